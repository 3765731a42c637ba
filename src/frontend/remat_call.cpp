// A call of remat: the function is recorded into one Eqn, whose rules are in regions/remat.cpp. And what reverse mode
// keeps, told.
#include <ostream>

#include "frontend/bodies.hpp"
#include "frontend/call.hpp"
#include "ops/movement/checkpoint_name.hpp"
#include "regions/calls.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/remat.hpp"

namespace tutti {

std::int64_t SavedResiduals::nbytes() const {
  std::int64_t out = 0;
  for (const SavedResidual& r : *this) out += r.shape.num_elements() * r.dtype.size();
  return out;
}
std::string SavedResiduals::str() const {
  std::string out;
  for (const SavedResidual& r : *this) out += Type{r.dtype, r.shape}.str() + " from " + r.from + "\n";
  return out;
}
std::ostream& operator<<(std::ostream& out, const SavedResiduals& residuals) { return out << residuals.str(); }

namespace detail {
std::vector<Array> remat_call(const CallArrays& args, const Body& fn, const RematPolicy& policy, Loc made) {
  std::vector<Type> types;
  for (const Array& x : args.leaves) types.push_back(x.type());
  Bodies bodies("remat", made);
  bodies.add(types, derivatives_here(), [&](const std::vector<Array>& in) { return fn(in).leaves; });
  return bodies.bind(ops::remat, ops::Remat{policy}, args.leaves);
}

Array named_value(const Array& x, const std::string& name, Loc loc) {
  if (!x.has_value() || !being_recorded()) return x;
  CallScope scope(loc);
  return bind1(ops::checkpoint_name, ops::CheckpointName{name}, {x});
}

SavedResiduals saved_residuals_call(const CallArrays& args, const Body& fn, Loc made) {
  const auto leaves = differentiable(args, std::vector<bool>(args.leaves.size(), true));
  const Recorded call = record_call(args, leaves, fn, {"saved_residuals", made});
  const Linearized halves = linearize(*call.program, call.explicit_only());
  std::vector<std::string> inputs;
  const auto paths = args.paths();
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i]) inputs.push_back("argument " + leaf_name(paths[i]));
  inputs.resize(call.inputs.size(), "a captured array");
  const std::size_t results = call.program->outputs.size();
  const std::vector<std::string> origins = ops::residual_origins(*halves.known, results, inputs);
  SavedResiduals out;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const Type type = halves.known->type(halves.known->outputs[results + i]);
    out.push_back({type.dtype, type.shape, origins[i]});
  }
  return out;
}

}  // namespace detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
