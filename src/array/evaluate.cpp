#include "array/evaluate.hpp"

#include "array/literal.hpp"
#include "ir/replay.hpp"

namespace tutti {

void evaluate(const Eqn& eqn, const std::vector<Type>& operand_types, std::span<const HostView> operands,
              std::span<const HostView> results) {
  if (!eqn.op->eval)
    raise<UnsupportedError>(eqn.op->name, "it has no meaning outside of the region that it belongs to",
                            "Call it inside shard_map or pmap.", eqn.loc);
  eqn.op->eval(Call{*eqn.op, eqn.params, operand_types, eqn.subs}, operands, results);
}

namespace {

BufferPtr literal_buffer(const Atom& a) {
  BufferPtr b = allocate_buffer(static_cast<std::size_t>(a.literal.dtype.size()));
  write_scalar(a.literal, a.literal.dtype, b->data());
  return b;
}

}  // namespace

std::vector<BufferPtr> evaluate(const Program& p, std::span<const BufferPtr> inputs) {
  Environment<BufferPtr> env(p, {inputs.begin(), inputs.end()}, literal_buffer);
  return replay(p, env, [&](const Eqn& e, const std::vector<BufferPtr>& operands) {
    std::vector<Type> types;
    std::vector<HostView> in, out;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      types.push_back(p.type(e.operands[i]));
      in.push_back({types[i], operands[i]->data()});
    }
    std::vector<BufferPtr> results;
    for (ValueId v : e.results) {
      results.push_back(allocate_buffer(static_cast<std::size_t>(p.type(v).nbytes())));
      out.push_back({p.type(v), results.back()->data()});
    }
    evaluate(e, types, in, out);
    return results;
  });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
