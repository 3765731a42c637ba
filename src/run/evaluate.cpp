#include "run/evaluate.hpp"

#include "array/literal.hpp"

namespace tutti::run {

void evaluate(const Eqn& eqn, const std::vector<Type>& operand_types, std::span<const HostView> operands,
              std::span<const HostView> results) {
  if (!eqn.op->eval)
    raise<UnsupportedError>(eqn.op->name, "it has no meaning outside of the region that it belongs to",
                            "Call it inside shard_map or pmap.", eqn.loc);
  eqn.op->eval(Call{*eqn.op, eqn.params, operand_types, eqn.subs}, operands, results);
}

std::vector<BufferPtr> evaluate(const Program& p, std::span<const BufferPtr> inputs) {
  std::vector<BufferPtr> held(p.types.size());
  std::vector<std::size_t> last(p.types.size(), 0);
  for (std::size_t i = 0; i < p.inputs.size(); ++i) held[p.inputs[i]] = inputs[i];
  for (std::size_t i = 0; i < p.eqns.size(); ++i)
    for (const Atom& a : p.eqns[i].operands)
      if (!a.is_literal()) last[a.id] = i;
  for (const Atom& a : p.outputs)
    if (!a.is_literal()) last[a.id] = p.eqns.size();

  auto scalar = [](const Atom& a) {
    BufferPtr b = allocate_buffer(static_cast<std::size_t>(a.literal.dtype.size()));
    write_scalar(a.literal, a.literal.dtype, b->data());
    return b;
  };
  for (std::size_t i = 0; i < p.eqns.size(); ++i) {
    const Eqn& e = p.eqns[i];
    std::vector<Type> types;
    std::vector<BufferPtr> literals;
    std::vector<HostView> operands, results;
    for (const Atom& a : e.operands) {
      types.push_back(p.type(a));
      if (a.is_literal()) literals.push_back(scalar(a));
      operands.push_back({types.back(), a.is_literal() ? literals.back()->data() : held[a.id]->data()});
    }
    for (ValueId v : e.results) {
      held[v] = allocate_buffer(static_cast<std::size_t>(p.type(v).nbytes()));
      results.push_back({p.type(v), held[v]->data()});
    }
    evaluate(e, types, operands, results);
    for (const Atom& a : e.operands)
      if (!a.is_literal() && last[a.id] == i) held[a.id].reset();
  }
  std::vector<BufferPtr> out;
  for (const Atom& a : p.outputs) out.push_back(a.is_literal() ? scalar(a) : held[a.id]);
  return out;
}

}  // namespace tutti::run
