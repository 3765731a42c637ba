// What the handlers of nn.json share: inputs as trees, results by path, both threefry layouts, and Optax's expressions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "golden/golden.hpp"
#include "golden/python_expr.hpp"

namespace golden {

/// A Python path such as `['a'][0].b` as tutti writes it: `a[0].b`.
std::string plain_path(const std::string& python);

/// The inputs of a case: trees by argument number.
struct NnInputs {
  const json& list;
  /// Argument `i`: an array.
  tutti::Array array(int i) const;
  /// Argument `i`: a tree of dicts.
  tutti::Dict dict(int i) const;
};

/// Results by path, as plain_path writes it.
using NnOutputs = std::vector<std::pair<std::string, tutti::Array>>;
/// The leaves of a tree, below `prefix`.
template <class T> NnOutputs leaves_below(const std::string& prefix, const T& tree) {
  NnOutputs out;
  for (const auto& [path, leaf] : tutti::tree::leaves_with_path(tree)) {
    std::string text = path.str();
    out.emplace_back(prefix.empty() || text.empty() || text[0] == '[' ? prefix + text : prefix + "." + text, leaf);
  }
  return out;
}
void append(NnOutputs& to, NnOutputs more);

/// A kind of case: its function gets inputs and parameters.
using NnFunction = std::function<NnOutputs(const NnInputs& inputs, const json& params)>;
struct NnFamily {
  NnFamily(std::map<std::string, NnFunction> kinds);
};
/// Compares with the recorded outputs; the recorded paths must all be there, and no others unless `more`. `tolerance`:
/// instead of that of the file's README.
void expect_outputs(const NnOutputs& got, const json& want, bool more = false, const Tolerance* tolerance = nullptr);

/// The optimiser of an expression such as `optax.chain(optax.clip(1.), optax.adam(1e-3))`, for trees of dicts; its
/// state is a Dict by paths.
class AnyTransform : public tutti::optim::Updates<AnyTransform> {
 public:
  using Dict = tutti::Dict;
  std::function<Dict(const Dict& params)> make;
  std::function<std::pair<Dict, Dict>(const Dict& grads, const Dict& state, const Dict* params)> run;
  /// From a path in Optax's state to the path in ours.
  std::function<std::string(const std::string& path)> where;

  Dict init(const Dict& params) const { return make(params); }
  std::pair<Dict, Dict> step(const Dict& grads, const Dict& state, const Dict* params) const {
    return run(grads, state, params);
  }
};
AnyTransform optimiser_of(const python::Node& node);
tutti::optim::Schedule schedule_of(const python::Node& node);
/// The value of an expression of losses, arrays and arithmetic.
tutti::Array loss_of(const python::Node& node, const std::map<std::string, tutti::Array>& names);
/// The array or nothing at a path of a Dict, "mu.b".
tutti::Array at_path(const tutti::Dict& tree, const std::string& path);

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
