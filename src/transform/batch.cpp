// A whole batch at once: one walk over the Eqns that knows, of every value, whether it has the batch dim in front.
#include <algorithm>

#include "transform/interpret.hpp"
#include "transform/kept.hpp"

namespace tutti {
namespace {

Type with_batch_dim(Type t, std::int64_t size) {
  t.shape.insert(0, size);
  return t;
}

struct Lane {
  Array array;
  bool mapped = false;  // it has the batch dim in front
};

Batched run(const Program& p, const Eqn& eqn, const std::vector<Array>& operands, const std::vector<bool>& mapped,
            const BatchAxis& axis) {
  bool any = std::find(mapped.begin(), mapped.end(), true) != mapped.end();
  // A collective, also in a sub-program, may name the axis, and then means something for unmapped operands too.
  bool may_name_axis = !axis.name.empty() && (eqn.op->collective || !eqn.subs.empty());
  if (!any && !may_name_axis) {
    std::vector<Array> results = bind(eqn, operands);
    return {results, std::vector<bool>(results.size(), false)};
  }
  if (eqn.op->batch) return eqn.op->batch(call_of(p, eqn), operands, mapped, axis);
  throw_unsupported(eqn, "vmap cannot map it: it has no batch rule",
                    "Use lax::map, which takes one element after the other.");
}

std::vector<Lane> step(const Program& p, const Eqn& eqn, const std::vector<Lane>& operands, const BatchAxis& axis) {
  std::vector<Array> arrays;
  std::vector<bool> mapped;
  for (const Lane& x : operands) {
    arrays.push_back(x.array);
    mapped.push_back(x.mapped);
  }
  Batched out = run(p, eqn, arrays, mapped, axis);
  std::vector<Lane> results;
  for (std::size_t k = 0; k < eqn.results.size(); ++k) {
    const Type& one = p.type(eqn.results[k]);
    results.push_back({out.results.at(k), out.mapped.at(k)});
    check_like(eqn, "batch", out.results[k], out.mapped[k] ? with_batch_dim(one, axis.size) : one);
  }
  return results;
}

}  // namespace

Batched apply_batched(const Program& program, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                      const BatchAxis& axis) {
  std::vector<Lane> inputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) inputs.push_back({operands[i], mapped[i]});
  Environment<Lane> env(program, inputs, [](const Atom& a) { return Lane{literal_array(a), false}; });
  Batched out;
  for (const Lane& y : replay(program, env, [&](const Eqn&e, const auto&x) { return step(program, e, x, axis); })) {
    out.results.push_back(y.array);
    out.mapped.push_back(y.mapped);
  }
  return out;
}

BatchedProgram batch(const Program& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const NamedAxes& axes) {
  const Transforming running;
  Recording recording("vmap", axes);
  std::vector<Array> inputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const Type& one = program.type(program.inputs[i]);
    inputs.push_back(recording.input(mapped[i] ? with_batch_dim(one, axis.size) : one, input_name(program, i)));
  }
  const Batched out = apply_batched(program, inputs, mapped, axis);
  return {recording.close(out.results), out.mapped};
}

BatchedProgram batch(const ProgramPtr& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const NamedAxes& axes) {
  return answer(&Kept::batch, {.programs = {program}, .flags = mapped, .axes = axes, .batch = axis},
                [&] { return batch(*program, mapped, axis, axes); });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
