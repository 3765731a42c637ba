// Reverse mode of a while_loop that makes n steps at most: sqrt(n) stretches of sqrt(n) steps. The known half keeps the
// carries at the start of each stretch; the unknown half goes through a stretch again from there, step by step, as a
// scan that can be turned round. Both stop to compute once the condition fails.
#include <algorithm>
#include <cmath>

#include "regions/loop_cut.hpp"
#include "transform/effects.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// `yes` where the condition holds, else the arrays as they are; both make what `kept` picks.
Arrays if_it_goes_on(const Array& test, const Arrays& arrays, const ProgramPtr& yes, const Flags& kept) {
  const ProgramPtr no = recorded("while_loop", types_of(arrays), [&](const Arrays& x) { return where(x, kept); });
  Arrays operands{lax::convert_element_type(test, int32)};
  append(operands, arrays);
  return bind(cond, {}, operands, {no, yes});
}

// What the halves agree on. Residuals are the known consts, the known carries at the start of each stretch, and the
// first values of the carries that turn unknown.
struct Checkpoints {
  LoopCut cut;
  LoopParts<Type> types;            // of the inputs of the sub-programs
  std::int64_t stretch, stretches;  // steps of one, and how many
  ProgramPtr condition;             // without its effects; it depends on known carries alone
  ProgramPtr told;                  // the condition with its effects, which happen where its first input holds, or none
  ProgramPtr step;                  // known consts, known carries -> known carries
  std::size_t known_carries() const { return count(flipped(cut.late.carries)); }
};
Checkpoints checkpoints(const Call& c, const LoopCut& cut, const Split& body) {
  // A carry may begin narrower than the sub-programs have it, in the axes over which it varies.
  std::vector<Type> types = first_of(c.subs[0]->input_types(), cut.given.before.size());
  append(types, c.subs[1]->input_types());
  const std::int64_t most = c.get<While>().max_steps;
  const auto stretch = std::max<std::int64_t>(1, std::llround(std::ceil(std::sqrt(static_cast<double>(most)))));
  const bool tells = has_effect(*c.subs[0]);
  Program step = *body.known;
  step.outputs.resize(step.outputs.size() - static_cast<std::size_t>(body.num_residuals));
  return {cut,
          LoopParts<Type>(types, cut.loop),
          stretch,
          (most + (tells ? stretch : stretch - 1)) / stretch,  // one more look at a condition that tells
          without_effects(c.subs[0]),
          tells ? guarded(*c.subs[0], 0) : nullptr,
          tidied(std::move(step))};
}

Arrays condition_inputs(const Checkpoints& h, const Arrays& before, const Arrays& known_carries) {
  const Flags& late = h.cut.late.carries;
  Arrays zeros, in = before;
  for (const Type& t : where(h.types.carries, late)) zeros.push_back(zeros_of(t));
  append(in, merged(late, zeros, known_carries));
  return in;
}
Array goes_on(const Checkpoints& h, const Arrays& before, const Arrays& known_carries) {
  return tutti::apply(*h.condition, condition_inputs(h, before, known_carries))[0];
}

// The known carries a stretch later, as far as the condition holds. Where that tells, the first of the carries says
// whether it has held until now: it is looked at once for each step, and once more where it fails.
Arrays stretch_later(const Checkpoints& h, LoopParts<Array> x) {
  const std::size_t flags = h.told ? 1 : 0;
  x.before.insert(x.before.end(), x.carries.begin(), x.carries.begin() + static_cast<std::ptrdiff_t>(flags));
  x.carries.erase(x.carries.begin(), x.carries.begin() + static_cast<std::ptrdiff_t>(flags));
  x.carries.insert(x.carries.begin(), zeros_of(Type{int32, {}, false, {}}));  // counts the steps
  const ProgramPtr test = recorded("while_loop", types_of(x.of_condition()), [&](const Arrays& in) {
    Pieces given(in);
    const Arrays before = given.take(x.before.size() - flags), held = given.take(flags), step = given.take(1);
    Array ahead = step[0] < h.stretch;
    if (!h.told) return Arrays{lax::bitwise_and(ahead, goes_on(h, before, given.rest()))};
    ahead = lax::bitwise_and(held[0], ahead);
    Arrays inputs{ahead};
    append(inputs, condition_inputs(h, before, given.rest()));
    return Arrays{lax::bitwise_and(ahead, tutti::apply(*h.told, inputs)[0])};
  });
  const ProgramPtr body = recorded("while_loop", types_of(x.of_body()), [&](const Arrays& in) {
    Pieces given(in);
    Arrays args = given.take(x.consts.size()), out{given.take(1)[0] + 1};
    append(args, given.rest());
    append(out, tutti::apply(*h.step, args));
    return out;
  });
  const While p{static_cast<int>(x.before.size()), static_cast<int>(x.consts.size()), h.stretch};
  Arrays out = bind(while_loop, p, x.all(), {test, body});
  if (!h.told) return without_first(out, 1);
  out[0] = lax::bitwise_and(x.before.back(), out[0] == h.stretch);
  return out;
}

// Known operands -> known results, residuals.
Arrays known_half(const Call& c, const Checkpoints& h, const LoopParts<Array>& x) {
  const LoopParts<Array> known = h.cut.known(x);
  Arrays consts = known.before;
  append(consts, known.consts);
  const std::size_t flags = h.told ? 1 : 0;
  LoopParts<Type> types = h.cut.known(h.types);
  LoopParts<Array> start = known;
  if (h.told) {
    const Program& condition = *c.subs[0];
    types.carries.insert(types.carries.begin(), Type{bool_, {}, false, condition.type(condition.outputs[0]).varying});
    start.carries.insert(start.carries.begin(), Array(true));
  }
  const ProgramPtr keep = recorded(c.op.name, types.all(), [&](const Arrays& y) {
    const LoopParts<Array> from(y, start.loop());
    Arrays out = stretch_later(h, from);
    append(out, without_first(from.carries, flags));
    return out;
  });
  const Arrays all_made = bind_scan({.length = h.stretches}, {{}, consts, start.carries, {}}, keep);
  Pieces made(all_made);
  made.take(flags);
  Arrays out = made.take(known.carries.size());
  append(out, consts);
  append(out, made.rest());
  append(out, where(x.carries, h.cut.turning()));
  return out;
}

// (consts, carries) -> the carries one step later.
Arrays one_step(const Call& c, const Checkpoints& h, const LoopParts<Array>& x) {
  const std::size_t before = h.types.before.size();
  const Array going = goes_on(h, first_of(x.consts, before), where(x.carries, h.cut.late.carries, false));
  const ProgramPtr again = without_effects(c.subs[1]);
  const ProgramPtr yes = recorded(c.op.name, types_of(x.all()),
                                  [&](const Arrays& in) { return tutti::apply(*again, without_first(in, before)); });
  Flags kept(x.consts.size(), false);
  append(kept, Flags(x.carries.size(), true));
  return if_it_goes_on(going, x.all(), yes, kept);
}

// (consts, late carries, known carries) -> the late carries a stretch later.
Arrays one_stretch(const Call& c, const Checkpoints& h, const LoopParts<Array>& x) {
  const Flags& late = h.cut.late.carries;
  const Array going = goes_on(h, first_of(x.consts, h.types.before.size()), x.slices);
  const ProgramPtr steps = recorded(c.op.name, types_of(x.all()), [&](const Arrays& in) {
    const LoopParts<Array> y(in, x.loop());
    const LoopParts<Array> start({}, y.consts, merged(late, y.carries, y.slices), {});
    const ProgramPtr step = recorded(c.op.name, types_of(start.all()), [&](const Arrays& z) {
      return one_step(c, h, LoopParts<Array>(z, start.loop()));
    });
    return where(bind_scan({.length = h.stretch}, start, step), late);
  });
  Flags kept(x.consts.size(), false);
  append(kept, Flags(x.carries.size(), true));
  append(kept, Flags(x.slices.size(), false));
  return if_it_goes_on(going, x.all(), steps, kept);
}

// Residuals, unknown operands -> unknown results.
Arrays unknown_half(const Call& c, const Checkpoints& h, const Arrays& in) {
  const LoopParts<bool>& late = h.cut.late;
  Pieces given(in);
  Arrays consts = given.take(late.before.size());
  const Arrays known_consts = given.take(count(flipped(late.consts))), starts = given.take(h.known_carries()),
               turning = given.take(count(h.cut.turning()));
  const LoopParts<Array> own(spread(given.rest(), h.cut.given.all()), h.cut.loop);
  append(consts, merged(late.consts, where(own.consts, late.consts), known_consts));
  std::vector<Type> const_types = h.types.before;
  append(const_types, h.types.consts);
  const LoopParts<Type> types({}, const_types, where(h.types.carries, late.carries),
                              where(h.types.carries, late.carries, false));
  const ProgramPtr body = recorded(
      c.op.name, types.all(), [&](const Arrays& x) { return one_stretch(c, h, LoopParts<Array>(x, types.loop())); });
  return bind_scan({.length = h.stretches}, {{}, consts, h.cut.first_late(own.carries, turning), starts}, body);
}

}  // namespace

Split checkpointed_split(const Call& c, const Flags& unknown, const Flags& late, const Split& body) {
  const Checkpoints h = checkpoints(c, LoopCut(c, unknown, late), body);
  const Flags known = flipped(unknown);
  Split out;
  out.unknown_output = h.cut.late.carries;
  out.known = recorded(c.op.name, where(c.operands, known), [&](const Arrays& in) {
    return known_half(c, h, LoopParts<Array>(spread(in, known), h.cut.loop));
  });
  out.num_residuals = static_cast<int>(out.known->outputs.size() - h.known_carries());
  std::vector<Type> types = without_first(out.known->output_types(), h.known_carries());
  append(types, where(c.operands, unknown));
  out.unknown = recorded(c.op.name, types, [&](const Arrays& in) { return unknown_half(c, h, in); });
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
