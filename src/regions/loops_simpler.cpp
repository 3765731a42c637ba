// Loops and branches once nothing is transformed any more: a carry that no step changes is a const, and a branch whose
// number is known is what it computes.
#include <algorithm>

#include "regions/lists.hpp"
#include "regions/loops.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// Per carry, whether the body gives it as it came.
Flags unchanged(const Program& body, const Loop& loop) {
  Flags out;
  for (int k = 0; k < loop.carries; ++k) out.push_back(body.outputs[k].id == body.inputs[loop.consts + k]);
  return out;
}
// The inputs with the carries that stay behind the consts.
std::vector<ValueId> with_consts(LoopParts<ValueId> in, const Flags& stay) {
  append(in.consts, where(in.carries, stay));
  in.carries = where(in.carries, stay, false);
  return in.all();
}
ProgramPtr with_inputs(Program p, std::vector<ValueId> inputs) {
  p.inputs = std::move(inputs);
  p.input_names.clear();
  return tidied(std::move(p));
}
// The carries of the whole loop: those that stay are what they were.
Arrays with_unchanged(const Arrays& carries, const Arrays& changed, const Flags& stay) {
  Arrays out = carries;
  std::size_t next = 0;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (!stay[k]) out[k] = changed[next++];
  return out;
}

}  // namespace

ProgramPtr scan_simpler(const Call& c, const std::vector<Atom>&) {
  const Loop loop = loop_of(c);
  Program body = *c.subs[0];
  const Flags stay = unchanged(body, loop);
  if (count(stay) == 0) return nullptr;
  const auto carries = static_cast<std::size_t>(loop.carries);
  const std::vector<ValueId> inputs = with_consts(LoopParts<ValueId>(body.inputs, loop), stay);
  const std::vector<Atom> ys = without_first(body.outputs, carries);
  body.outputs = where(first_of(body.outputs, carries), stay, false);
  append(body.outputs, ys);
  return recorded(c.op.name, c.operands, [&](const Arrays& in) {
    LoopParts<Array> x(in, loop);
    const Arrays before = x.carries;
    append(x.consts, where(x.carries, stay));
    x.carries = where(x.carries, stay, false);
    const Arrays made = bind_scan(c.get<Scan>(), x, with_inputs(body, inputs));
    Arrays out = with_unchanged(before, made, stay);
    append(out, without_first(made, x.carries.size()));
    return out;
  });
}

ProgramPtr while_simpler(const Call& c, const std::vector<Atom>&) {
  const Loop loop = loop_of(c);
  Program body = *c.subs[1];
  const Program& test = *c.subs[0];
  const Flags stay = unchanged(body, loop);
  if (count(stay) == 0) return nullptr;
  Loop of_test;
  of_test.consts = loop.condition_consts;
  of_test.carries = loop.carries;
  Loop of_body = loop;
  of_body.condition_consts = 0;
  const std::vector<ValueId> inputs = with_consts(LoopParts<ValueId>(body.inputs, of_body), stay);
  body.outputs = where(body.outputs, stay, false);
  return recorded(c.op.name, c.operands, [&](const Arrays& in) {
    LoopParts<Array> x(in, loop);
    const Arrays before = x.carries, consts = where(x.carries, stay);
    append(x.before, consts);
    append(x.consts, consts);
    x.carries = where(x.carries, stay, false);
    While p = c.get<While>();
    p.cond_consts = static_cast<int>(x.before.size());
    p.body_consts = static_cast<int>(x.consts.size());
    const ProgramPtr condition = with_inputs(test, with_consts(LoopParts<ValueId>(test.inputs, of_test), stay));
    return with_unchanged(before, bind(c.op, p, x.all(), {condition, with_inputs(body, inputs)}), stay);
  });
}

ProgramPtr cond_simpler(const Call& c, const std::vector<Atom>& operands) {
  const auto most = static_cast<std::int64_t>(c.subs.size()) - 1;
  if (most > 0 && !operands[0].is_literal()) return nullptr;
  const std::int64_t given = operands[0].is_literal() ? operands[0].literal.as<std::int64_t>() : 0;
  const Program& branch = *c.subs[static_cast<std::size_t>(std::clamp<std::int64_t>(given, 0, most))];
  return recorded(c.op.name, c.operands, [&](const Arrays& in) { return tutti::apply(branch, without_first(in, 1)); });
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
