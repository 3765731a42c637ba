#include "regions/lists.hpp"

#include "tutti/lax/lax.hpp"

namespace tutti {

std::vector<Type> types_of(const std::vector<Array>& xs) {
  std::vector<Type> out;
  for (const Array& x : xs) out.push_back(x.type());
  return out;
}
std::vector<bool> present(const std::vector<Array>& xs) {
  std::vector<bool> out;
  for (const Array& x : xs) out.push_back(x.has_value());
  return out;
}

ProgramPtr program_of(const Op& op, Params params, const std::vector<Type>& operands, std::vector<ProgramPtr> subs) {
  Recording recording(op.name, {});
  std::vector<Array> in;
  for (const Type& t : operands) in.push_back(recording.input(t));
  return recording.close(bind(op, std::move(params), std::move(in), std::move(subs)));
}

std::vector<Type> with_tangent_types(const std::vector<Type>& types) {
  std::vector<Type> out = types;
  for (const Type& t : types)
    if (has_tangent(t)) out.push_back(t);
  return out;
}

std::vector<Array> instantiated(const std::vector<Array>& tangents, const std::vector<Array>& primals, std::size_t n) {
  std::vector<Array> out;
  for (std::size_t i = 0; i < n; ++i)
    if (has_tangent(primals[i].type()))
      out.push_back(tangents[i].has_value() ? tangents[i] : zeros_of(primals[i].type()));
  return out;
}

WithTangents with_tangents(const std::vector<Array>& out, const std::vector<bool>& tangent) {
  return {first_of(out, tangent.size()), spread(without_first(out, tangent.size()), tangent)};
}
WithTangents with_tangents(const std::vector<Array>& out, std::size_t n) {
  std::vector<bool> tangent;
  for (std::size_t k = 0; k < n; ++k) tangent.push_back(has_tangent(out[k].type()));
  return with_tangents(out, tangent);
}

ProgramPtr batch_all(const ProgramPtr& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const std::vector<bool>* keep) {
  BatchedProgram batched = batch(program, mapped, axis);
  Recording recording("vmap", {});
  std::vector<Array> in;
  for (ValueId v : batched.program->inputs) in.push_back(recording.input(batched.program->type(v)));
  std::vector<Array> out = tutti::apply(*batched.program, in);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!batched.mapped[k]) out[k] = lax::broadcast(out[k], Shape{axis.size});
    if (keep && !(*keep)[k]) out[k] = lax::reduce_sum(out[k], {0});
  }
  return recording.close(out);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
