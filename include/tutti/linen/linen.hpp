// Modules that take their variables from a Dict, as Flax's linen does: names, shapes, initial values and key folding
// are Flax's.
//
//     struct MLP {
//       int layers, width;
//       Array operator()(linen::Scope& s, Array x) const {
//         for (int i = 0; i < layers; ++i) x = nn::relu(s.apply("layers_" + std::to_string(i), linen::Dense{width},
//         x)); return s.apply(linen::Dense{1}, x);                  // without a name: Dense_0, Dense_1, ... as in a
//         compact module
//       }
//     };
//     Dict variables = linen::init(MLP{2, 64}, random::key(0), x);      // {'params': {'layers_0': {'bias', 'kernel'},
//     ...}} Array y = linen::apply(MLP{2, 64}, variables, x);
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/tree/dict.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::linen {

/// The first value of a parameter.
using Initializer = std::function<Array(const Array& key, const Shape& shape, DType dtype)>;
namespace initializers {
enum class Fan { in, out, average };
enum class Distribution { truncated_normal, normal, uniform };
constexpr Choices choices_of(Fan) { return {"variance_scaling", "mode", "fan_in|in fan_out|out fan_avg|average"}; }
constexpr Choices choices_of(Distribution) {
  return {"variance_scaling", "distribution", "truncated_normal normal uniform"};
}
/// Variance scale / fan. Source: jax.nn.initializers.variance_scaling.
Initializer variance_scaling(double scale, OneOf<Fan> fan, OneOf<Distribution> distribution, int in_axis = -2,
                             int out_axis = -1);
Initializer lecun_normal();
Initializer lecun_uniform();
Initializer glorot_normal();
Initializer glorot_uniform();
Initializer he_normal();
Initializer he_uniform();
Initializer normal(double stddev = 1e-2);
/// In [0, scale).
Initializer uniform(double scale = 1e-2);
Initializer zeros();
Initializer ones();
Initializer constant(double value);
/// A normal distribution cut to (lower, upper), times `stddev`.
Initializer truncated_normal(double stddev = 1e-2, double lower = -2, double upper = 2);
/// Matrices with orthonormal rows or columns, times `scale`; the columns are those of dim `column_axis`. ShapeError for
/// fewer than 2 dims. delta_orthogonal: of a convolution of 1 to 3 spatial dims, zeros but for the middle of the window
/// (Xiao et al. 2018); ShapeError where there are more input than output features.
Initializer orthogonal(double scale = 1, int column_axis = -1);
Initializer delta_orthogonal(double scale = 1, int column_axis = -1);
}  // namespace initializers

/// Keys by name: `{{"params", k1}, {"dropout", k2}}`.
using Rngs = std::map<std::string, Array>;

namespace detail {
/// One run of a model.
struct Run {
  Dict variables;
  Rngs rngs;
  bool initializing = false;
  std::vector<std::string> mutable_collections;  // may be changed and are returned
  std::map<std::string, int> draws;              // keys drawn so far, by stream and path
};
/// "Dense" of "tutti::linen::Dense".
std::string class_name(std::string_view type);
/// `key` folded with the SHA-1 of the path and the count. Source: flax.core.scope.
Array fold_in_path(const Array& key, const std::vector<std::string>& path, int count);
}  // namespace detail

/// A module's place in the model while it is called: its parameters, its other variables, its keys, and the modules
/// below it.
/// Threads: lives on the thread that made it.
class Scope {
 public:
  explicit Scope(detail::Run& run, std::vector<std::string> path = {}) : run_(&run), path_(std::move(path)) {}

  /// The parameter of that name; drawn when the model is being initialised. Throws ValueError when it is missing,
  /// ShapeError when its shape is another one.
  Array param(const std::string& name, const Initializer& init, const Shape& shape, DType dtype = float32);
  /// A variable of another collection, `first()` when there is none yet.
  Array variable(const std::string& collection, const std::string& name, const std::function<Array()>& first);
  /// Another value for a variable; nothing happens unless its collection is mutable.
  void set(const std::string& collection, const std::string& name, const Array& value);
  /// A key of the stream `name`, another one each time. Falls back to the stream "params"; ValueError when there is
  /// neither.
  Array make_rng(const std::string& name = "params");

  /// Calls a module below this one; the same name again shares its parameters.
  template <class Module, class... Args>
  auto apply(const std::string& name, const Module& module, const Args&... args) {
    Scope below(*run_, extended(name));
    return module(below, args...);
  }
  /// Named after its class and counted: Dense_0, Dense_1.
  template <class Module, class... Args>
  requires(!std::is_convertible_v<const Module&, std::string>) auto apply(const Module& module, const Args&... args) {
    return apply(next_name(tree::detail::type_name<Module>()), module, args...);
  }

  bool is_initializing() const { return run_->initializing; }
  bool is_mutable(const std::string& collection) const;
  const std::vector<std::string>& path() const { return path_; }

 private:
  std::vector<std::string> extended(const std::string& name) const;
  std::string next_name(std::string_view type);
  Dict* find(const std::string& collection, const std::string& name) const;
  Dict& place(const std::string& collection, const std::string& name);

  detail::Run* run_;
  std::vector<std::string> path_;
  std::map<std::string, int> names_;
};

struct ApplyOptions {
  Rngs rngs{};
  std::vector<std::string> mutable_collections{};
};

/// The variables and the result of a first call.
template <class Model, class... Args> auto init_with_output(const Model& model, const Rngs& rngs, const Args&... args) {
  detail::Run run{{}, rngs, true, {}, {}};
  Scope scope(run);
  auto out = model(scope, args...);
  return std::pair{std::move(out), std::move(run.variables)};
}
template <class Model, class... Args> auto init_with_output(const Model& model, const Array& key, const Args&... args) {
  return init_with_output(model, Rngs{{"params", key}}, args...);
}
/// The variables of a model: {'params': {...}}, shapes from a first call. Source: flax.linen.Module.init.
template <class Model, class... Args> Dict init(const Model& model, const Array& key, const Args&... args) {
  return init_with_output(model, Rngs{{"params", key}}, args...).second;
}
template <class Model, class... Args> Dict init(const Model& model, const Rngs& rngs, const Args&... args) {
  return init_with_output(model, rngs, args...).second;
}

/// The model with these variables. Source: flax.linen.Module.apply.
template <class Model, class... Args> auto apply(const Model& model, const Dict& variables, const Args&... args) {
  detail::Run run{variables, {}, false, {}, {}};
  Scope scope(run);
  return model(scope, args...);
}
/// With keys: `linen::apply(model, variables, linen::ApplyOptions{.rngs = {{"dropout", key}}}, x)`.
template <class Model, class... Args>
auto apply(const Model& model, const Dict& variables, const ApplyOptions& options, const Args&... args) {
  detail::Run run{variables, options.rngs, false, {}, {}};
  Scope scope(run);
  return model(scope, args...);
}
/// `pair(result, changed)`: the collections named in options.mutable_collections after the call.
template <class Model, class... Args>
auto apply_mutable(const Model& model, const Dict& variables, const ApplyOptions& options, const Args&... args) {
  detail::Run run{variables, options.rngs, false, options.mutable_collections, {}};
  Scope scope(run);
  auto out = model(scope, args...);
  Dict changed;
  for (const std::string& c : options.mutable_collections)
    if (run.variables.contains(c)) changed[c] = run.variables[c];
  return std::pair{std::move(out), std::move(changed)};
}
namespace detail {
/// Names in braces. An aggregate, and no initializer_list: GCC 12 takes `{.mutable_collections = {"a"}}` for a list of
/// one name as well, and finds the call ambiguous.
struct CollectionNames {
  struct Name {
    Name(const char* t) : text(t) {}
    const char* text;
  };
  Name first;  // needed, so that {} is no list of names
  const char* others[15] = {};
  std::vector<std::string> list() const {
    std::vector<std::string> out{first.text};
    for (const char* name : others)
      if (name) out.emplace_back(name);
    return out;
  }
};
}  // namespace detail
/// The same with the names alone: `linen::apply_mutable(model, variables, {"batch_stats"}, x)`.
template <class Model, class... Args>
auto apply_mutable(const Model& model, const Dict& variables, const detail::CollectionNames& mutable_collections,
                   const Args&... args) {
  return apply_mutable(model, variables, ApplyOptions{{}, mutable_collections.list()}, args...);
}

}  // namespace tutti::linen

#include "tutti/linen/attention.hpp"
#include "tutti/linen/layers.hpp"
#include "tutti/linen/train_state.hpp"

// SPDX-License-Identifier: Apache-2.0
