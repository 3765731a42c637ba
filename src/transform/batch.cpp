// A whole batch at once: one walk over the Eqns that knows, of every value, whether it has the batch dim in front.
#include <algorithm>

#include "transform/interpret.hpp"
#include "transform/subprogram_rules.hpp"

namespace tutti {
namespace {

Type with_batch_dim(Type t, std::int64_t size) {
  t.shape.insert(0, size);
  return t;
}

Batched run(const Program& p, const Eqn& eqn, const std::vector<Array>& operands, const std::vector<bool>& mapped,
            const BatchAxis& axis) {
  const SubprogramRules* rules = subprogram_rules(*eqn.op);
  bool any = std::find(mapped.begin(), mapped.end(), true) != mapped.end();
  // A collective may name the axis, and then means something for unmapped operands too.
  bool may_name_axis = !axis.name.empty() && (eqn.op->collective || rules);
  if (!any && !may_name_axis) {
    std::vector<Array> results = bind(*eqn.op, eqn.params, operands, eqn.subs);
    return {results, std::vector<bool>(results.size(), false)};
  }
  if (rules && rules->batch) return rules->batch(eqn, operands, mapped, axis);
  if (!rules && eqn.op->batch)
    return eqn.op->batch(Call{*eqn.op, eqn.params, operand_types(p, eqn), eqn.subs}, operands, mapped, axis);
  throw_unsupported(eqn, "vmap cannot map it: it has no batch rule",
                    "Use lax::map, which takes one element after the other.");
}

}  // namespace

BatchedProgram batch(const Program& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const NamedAxes& axes) {
  Recording recording("vmap", axes);
  std::vector<Array> env(program.types.size());
  std::vector<char> is_mapped(program.types.size(), 0);
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    ValueId v = program.inputs[i];
    is_mapped[v] = mapped[i];
    env[v] = recording.input(mapped[i] ? with_batch_dim(program.type(v), axis.size) : program.type(v),
                             input_name(program, i));
  }
  for (const Eqn& eqn : program.eqns) {
    LocOverride line(eqn.loc);
    std::vector<Array> operands;
    std::vector<bool> operand_mapped;
    for (const Atom& a : eqn.operands) {
      operands.push_back(read(env, a));
      operand_mapped.push_back(!a.is_literal() && is_mapped[a.id]);
    }
    Batched out = run(program, eqn, operands, operand_mapped, axis);
    for (std::size_t k = 0; k < eqn.results.size(); ++k) {
      ValueId v = eqn.results[k];
      check_like(eqn, "batch", out.results.at(k),
                 out.mapped.at(k) ? with_batch_dim(program.type(v), axis.size) : program.type(v));
      env[v] = out.results[k];
      is_mapped[v] = out.mapped[k];
    }
  }
  BatchedProgram out;
  std::vector<Array> outputs;
  for (const Atom& a : program.outputs) {
    outputs.push_back(read(env, a));
    out.mapped.push_back(!a.is_literal() && is_mapped[a.id]);
  }
  out.program = recording.close(outputs);
  return out;
}

}  // namespace tutti
