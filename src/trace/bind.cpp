// Where an operation goes: into the innermost trace, or to the eager runtime.
#include <algorithm>

#include "array/runtime.hpp"
#include "ir/program.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {

namespace {

// No stage after this one meets a size that overflows. An empty array has none, whatever its other extents.
void check_size(const Op& op, const Type& t) {
  std::int64_t bytes = t.dtype.size();
  bool empty = false;
  for (std::int64_t d : t.shape) {
    bytes = extent::mul(bytes, d);
    empty = empty || d == 0;
  }
  if (!empty && bytes > extent::most)
    raise<ShapeError>(op.name, "the result " + t.str() + " is larger than any memory",
                      "Check its shape: the sizes multiply.");
}

}  // namespace

std::vector<Type> infer_types(const Op& op, const Params& params, const std::vector<Type>& operands,
                              const std::vector<ProgramPtr>& subs) {
  std::vector<Type> out = op.infer(Call{op, params, operands, subs});
  for (const Type& t : out) check_size(op, t);
  if (op.collective) return out;
  std::vector<std::string> varying;
  bool weak = !operands.empty();
  for (const Type& t : operands) {
    varying = merge_names(varying, t.varying);
    weak = weak && t.weak;
  }
  for (Type& t : out) {
    if (!op.own_varying) t.varying = merge_names(t.varying, varying);
    if (!op.own_weak) t.weak = weak && t.dtype == operands[0].dtype;
  }
  return out;
}

std::vector<Array> bind(const Op& op, Params params, std::vector<Array> operands, std::vector<ProgramPtr> subs) {
  const std::shared_ptr<Trace>& trace = innermost_trace();
  if (trace) {
    bool traced = std::any_of(operands.begin(), operands.end(),
                              [](const Array& x) { return x.has_value() && x.node()->traced(); });
    if (traced || op.collective || inside_staged())
      return trace->record(op, std::move(params), operands, std::move(subs), current_loc());
  }
  for (const Array& x : operands)
    if (x.has_value() && x.node()->traced()) x.node()->trace->check_usable(x);
  return run_eagerly(op, params, operands, subs);
}

std::vector<Array> bind(const Eqn& eqn, std::vector<Array> operands) {
  return bind(*eqn.op, eqn.params, std::move(operands), eqn.subs);
}

std::vector<Array> apply(const Program& program, const std::vector<Array>& args) {
  Environment<Array> env(program, args, literal_array);
  return replay(program, env, [](const Eqn& e, std::vector<Array> x) { return bind(e, std::move(x)); });
}

Array zeros_of(const Type& type) {
  Scalar zero(0.0);
  Array z = array_from_scalar(zero.to(type.dtype), type.weak);
  return type.shape.empty() ? z : lax::broadcast_in_dim(z, type.shape, {});
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
