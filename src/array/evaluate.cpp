#include "array/evaluate.hpp"

#include <iterator>

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

HostPtr literal_buffer(const Atom& a) {
  HostPtr b = allocate_buffer(static_cast<std::size_t>(a.literal.dtype.size()));
  write_scalar(a.literal, a.literal.dtype, b->data());
  return b;
}

}  // namespace

std::vector<HostPtr> evaluate(const Program& p, std::span<const HostPtr> inputs) {
  Environment<HostPtr> env(p, {inputs.begin(), inputs.end()}, literal_buffer);
  return replay(p, env, [&](const Eqn& e, const std::vector<HostPtr>& operands) {
    std::vector<Type> types;
    std::vector<HostView> in, out;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      types.push_back(p.type(e.operands[i]));
      in.push_back({types[i], operands[i]->data()});
    }
    std::vector<HostPtr> results;
    for (ValueId v : e.results) {
      results.push_back(allocate_buffer(static_cast<std::size_t>(p.type(v).nbytes())));
      out.push_back({p.type(v), results.back()->data()});
    }
    evaluate(e, types, in, out);
    return results;
  });
}

std::vector<BufferPtr> evaluate(const Program& p, std::span<const BufferPtr> inputs) {
  std::vector<HostPtr> given;
  for (const BufferPtr& b : inputs) given.push_back(host_share(b));
  std::vector<HostPtr> made = evaluate(p, given);
  return {std::make_move_iterator(made.begin()), std::make_move_iterator(made.end())};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
