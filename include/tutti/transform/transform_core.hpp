// What the templates of transforms.hpp stand on: transformations of functions from arrays to arrays, types forgotten.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/transform/prefix.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti::detail {

/// The arrays of the arguments of one call, in order.
struct CallArrays {
  std::vector<Array> leaves;
  std::vector<bool> frozen;  // per leaf: lies in a Frozen
  std::vector<int> counts;   // leaves per argument
  std::function<std::vector<std::pair<int, tree::Path>>()>
      paths;  // (argument, path in it) per leaf; asked when an error or a prefix needs them
};

/// What the function returned: its arrays, and their paths when asked.
struct BodyResult {
  std::vector<Array> leaves;
  std::function<std::vector<tree::Path>()> paths;
};
/// Calls the user's function on other arrays for the leaves.
using Body = std::function<BodyResult(const std::vector<Array>&)>;

/// A call of a user's function, its types forgotten: the arguments taken apart, and the function on other arrays. What
/// is made for each function and each type is in TreeCall (transforms.hpp).
class UntypedCall {
 public:
  CallArrays arrays;
  /// Refers to this.
  Body body();
  /// For each place of the arguments whether an array is there.
  std::vector<bool> present() const;
  UntypedCall(const UntypedCall&) = delete;

 protected:
  /// Calls the function and keeps its result, to which it refers.
  using Again = tree::detail::Ref (*)(UntypedCall& self, std::span<const Array> leaves);
  explicit UntypedCall(Again again);
  ~UntypedCall();
  /// The arguments, which stay where they are.
  void take(std::span<const tree::detail::Ref> trees);

 private:
  Again again_;
  std::span<const tree::detail::Ref> trees_;
};
/// For each place of a tree whether an array is there.
std::vector<bool> present_in(tree::detail::Ref tree);

/// Gradients of result 0, one per leaf of the arguments in `argnums`, in their order (empty: not differentiated), and
/// the results. `holomorphic`: arguments and result are complex.
struct Gradient {
  std::vector<Array> results;
  std::vector<Array> gradients;
  Gradient();
  ~Gradient();
  Gradient(Gradient&&) noexcept;
};
Gradient gradient(const CallArrays& args, const std::vector<int>& argnums, const Body& body, const char* what,
                  bool holomorphic, Loc made);

/// Results and their tangents (empty where the result has none). One tangent per leaf; an empty one is zero.
struct Pushed {
  std::vector<Array> results, tangents;
};
/// Of one array per place of the arguments, those at places where the arguments have an array; ValueError when the
/// places differ.
std::vector<Array> matching(const std::vector<bool>& present, const std::vector<Array>& places, const char* what,
                            Loc made);
Pushed push_forward(const CallArrays& args, const std::vector<Array>& tangents, const Body& body, Loc made);

/// A linear function of some arrays: the linear half of a linearized function, with its residuals, or the transpose of
/// it.
class LinearFunction {
 public:
  struct State;
  LinearFunction() = default;
  explicit LinearFunction(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  /// One array per place on the other side; empty ones are zero. Gives one array per place here, empty where there is
  /// no tangent.
  std::vector<Array> operator()(const std::vector<Array>& arrays, Loc loc) const;

 private:
  std::shared_ptr<const State> state_;
};
struct LinearizedCall {
  std::vector<Array> results;
  LinearFunction map;  // linearize: from tangents of the leaves; pull_back: from cotangents of the results
};
LinearizedCall linearize_call(const CallArrays& args, const Body& body, Loc made);
LinearizedCall pull_back(const CallArrays& args, const Body& body, Loc made);

/// The transpose of a linear function: from cotangents of the results to those of the leaves. UnsupportedError where it
/// is not linear.
LinearFunction transpose_call(const CallArrays& args, const Body& body, Loc made);

struct JacobianForm {
  bool forward = false, holomorphic = false;
  std::function<std::size_t()> results = {};  // how many of the arrays are differentiated, asked after a call; else all
};
/// derivatives[k]: of result k by each leaf of the arguments in `argnums`, in their order: shape of the result, then
/// shape of the leaf (empty: not differentiated).
struct Jacobians {
  std::vector<Array> results;
  std::vector<std::vector<Array>> derivatives;
};
Jacobians jacobians(const CallArrays& args, const std::vector<int>& argnums, const Body& body, const JacobianForm& form,
                    Loc made);

struct MapOptions {
  TreeOf<int> in_axes, out_axes;
  std::string axis_name;
  std::int64_t axis_size = 0;
  MapOptions();
  MapOptions(const MapOptions&);
  MapOptions(MapOptions&&) noexcept;
  ~MapOptions();
};
std::vector<Array> map_call(const CallArrays& args, const MapOptions& options, const Body& body, Loc made);

/// Whether a call is recorded: where nothing is, a function with rules is the function itself.
bool being_recorded();

/// Arrays of the arguments and tangents at all their places (empty: none) to arrays of the result and tangents at all
/// its places.
struct RuleResult {
  std::vector<Array> results;
  std::vector<bool> present;    // per place of the result: an array is there
  std::vector<Array> tangents;  // per place
};
struct JvpRule {
  std::function<RuleResult(const std::vector<Array>& primals, const std::vector<Array>& tangents)> call;
  std::vector<bool> present;  // per place of the arguments
  const void* function;       // tells functions with rules apart; copies are one
};
std::vector<Array> custom_jvp_call(const CallArrays& args, const Body& fn, const JvpRule& rule, Loc made);

/// The two halves of a reverse rule: arguments to results and residuals; residuals and cotangents at all places of the
/// result (empty: none) to cotangents at all places of the arguments.
struct VjpRule {
  struct Forward {
    std::vector<Array> results, residuals;
    std::vector<bool> present;
  };
  std::function<Forward(const std::vector<Array>&)> forward;
  std::function<std::vector<Array>(const std::vector<Array>& residuals, const std::vector<Array>& cotangents)> backward;
  std::vector<bool> present;  // per place of the arguments
  const void* function = nullptr;
};
std::vector<Array> custom_vjp_call(const CallArrays& args, const Body& fn, const VjpRule& rule, Loc made);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
