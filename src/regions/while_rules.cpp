// while_loop transformed. The condition decides by values: tangents and batches ride along as further carries.
#include <algorithm>

#include "ops/movement/derivative_where.hpp"
#include "ops/movement/movement.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "transform/effects.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

Arrays with_last(Arrays xs, const Array& x) {
  xs.push_back(x);
  return xs;
}

// A step of one element of a batch. Elements that are done keep their carry, and tell nobody anything. What their steps
// would compute may be inf or nan: no derivative comes from there.
Arrays step_where(const Call& c, LoopParts<Array> x, const Array& going) {
  const Arrays before = x.carries;
  if (c.get<While>().max_steps >= 0)
    for (Arrays* list : {&x.consts, &x.carries})
      for (Array& a : *list)
        if (has_tangent(a.type())) a = bind1(derivative_where, {}, {a, going});
  const bool tells = has_effect(*c.subs[1]);
  Arrays out = tells ? tutti::apply(*guarded(*c.subs[1], c.subs[1]->inputs.size()), with_last(x.of_body(), going))
                     : tutti::apply(*c.subs[1], x.of_body());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = lax::select(going, out[k], before[k]);
  return out;
}

// (consts of condition and body, carries) -> carries, of one element of a batch.
ProgramPtr step_where_it_goes_on(const Call& c, const Loop& loop) {
  std::vector<Type> types = c.subs[0]->input_types();
  types.resize(static_cast<std::size_t>(loop.condition_consts));
  append(types, c.subs[1]->input_types());
  return recorded("vmap", types, [&](const Arrays& in) {
    const LoopParts<Array> x(in, loop);
    return step_where(c, x, tutti::apply(*c.subs[0], x.of_condition())[0]);
  });
}

// The same with `going`, whether the element makes the step, in front.
ProgramPtr step_where_told(const Call& c, const Loop& loop) {
  std::vector<Type> types{c.subs[0]->type(c.subs[0]->outputs[0])};
  append(types, first_of(c.subs[0]->input_types(), static_cast<std::size_t>(loop.condition_consts)));
  append(types, c.subs[1]->input_types());
  return recorded("vmap", types,
                  [&](const Arrays& in) { return step_where(c, LoopParts<Array>(without_first(in, 1), loop), in[0]); });
}

// A batch of loops whose condition, which is mapped, tells somebody something: a carry in front says of which elements
// it has held until now. The body begins with it, so that each element looks at it once for each step and once where it
// fails.
Batched batch_that_tells(const Call& c, const LoopParts<Array>& operands, const LoopParts<bool>& mapped,
                         const BatchAxis& axis) {
  const Loop loop = loop_of(c);
  Flags of_test = mapped.of_condition(), of_step = mapped.all();
  of_test.insert(of_test.begin(), true);
  of_step.insert(of_step.begin(), true);
  const ProgramPtr test = batch_all(guarded(*c.subs[0], 0), of_test, axis);
  const BatchedProgram step = tutti::batch(*step_where_told(c, loop), of_step, axis);
  LoopParts<Array> x({}, operands.before, operands.carries, {});
  append(x.consts, operands.consts);
  x.carries.insert(x.carries.begin(), lax::broadcast(Array(true), Shape{axis.size}));
  std::vector<Type> types = without_first(step.program->input_types(), 1);
  types.insert(types.begin() + static_cast<std::ptrdiff_t>(x.consts.size()), test->output_types()[0]);
  const ProgramPtr body = recorded("vmap", types, [&](const Arrays& in) {
    Pieces given(in);
    Arrays args = given.take(x.consts.size());
    const Array held = given.take(1)[0];
    const Arrays carries = given.rest();
    Arrays looks{held};
    append(looks, first_of(args, operands.before.size()));
    append(looks, carries);
    const Array going = lax::bitwise_and(held, tutti::apply(*test, looks)[0]);
    append(args, carries);
    args.insert(args.begin(), going);
    const ProgramPtr stay =
        recorded("vmap", types_of(args), [&](const Arrays& y) { return without_first(y, y.size() - carries.size()); });
    const ProgramPtr go = recorded("vmap", types_of(args), [&](const Arrays& y) {
      Arrays out = tutti::apply(*step.program, y);
      for (std::size_t k = 0; k < out.size(); ++k)
        if (mapped.carries[k]) out[k] = batched(out[k], step.mapped[k], axis.size);
      return out;
    });
    args.insert(args.begin(), lax::convert_element_type(lax::reduce_any(going, {0}), int32));
    Arrays out{going};
    append(out, bind(cond, {}, args, {stay, go}));
    return out;
  });
  const ProgramPtr any = recorded("vmap", without_first(types, x.consts.size()),
                                  [](const Arrays& carries) { return Arrays{lax::reduce_any(carries[0], {0})}; });
  While p = c.get<While>();
  p.cond_consts = 0;
  p.body_consts = static_cast<int>(x.consts.size());
  if (p.max_steps >= 0) ++p.max_steps;
  return {without_first(bind(c.op, p, x.all(), {any, body}), 1), mapped.carries};
}

}  // namespace

WithTangents while_jvp(const Call& c, const Arrays& primals, const Arrays& tangents) {
  const Loop loop = loop_of(c);
  const Program& body = *c.subs[1];
  const auto before = static_cast<std::size_t>(loop.condition_consts);
  JvpProgram j;
  const Flags active = fixpoint(loop, without_first(present(tangents), before), [&](const Flags& in) {
    j = tutti::jvp(c.subs[1], in);
    return j.tangent;
  });
  const Flags of_consts = first_of(active, static_cast<std::size_t>(loop.consts)),
              of_carries = without_first(active, of_consts.size());
  const std::vector<Type> types = body.input_types(), consts = first_of(types, of_consts.size()),
                          carries = without_first(types, of_consts.size()), changes = where(carries, of_carries);
  std::vector<Type> in_types = consts;
  append(in_types, where(consts, of_consts));
  append(in_types, carries);
  append(in_types, changes);
  const std::size_t const_changes = count(of_consts);
  const ProgramPtr both = recorded("jvp", in_types, [&](const Arrays& in) {
    const Arrays dc(in.begin() + loop.consts, in.begin() + loop.consts + static_cast<std::ptrdiff_t>(const_changes));
    const Arrays rest = without_first(in, consts.size() + const_changes);
    Arrays x = first_of(in, consts.size());
    append(x, first_of(rest, carries.size()));
    append(x, dc);
    append(x, without_first(rest, carries.size()));
    const Arrays made = tutti::apply(*j.program, x);
    const Arrays d = spread(without_first(made, carries.size()), j.tangent);
    Arrays out = first_of(made, carries.size());
    for (std::size_t k = 0; k < carries.size(); ++k)
      if (of_carries[k]) out.push_back(d[k].has_value() ? d[k] : zeros_of(carries[k]));
    return out;
  });
  std::vector<Type> condition_types = c.subs[0]->input_types();
  append(condition_types, changes);
  const ProgramPtr condition = recorded("jvp", condition_types, [&](const Arrays& in) {
    return tutti::apply(*c.subs[0], first_of(in, in.size() - changes.size()));
  });
  const LoopParts<Array> x(primals, loop), dx(tangents, loop);
  While p = c.get<While>();
  p.body_consts += static_cast<int>(const_changes);
  Arrays all = x.before;
  append(all, x.consts);
  append(all, where(dx.consts, of_consts));
  append(all, x.carries);
  for (std::size_t k = 0; k < carries.size(); ++k)
    if (of_carries[k]) all.push_back(dx.carries[k].has_value() ? dx.carries[k] : zeros_of(carries[k]));
  return with_tangents(bind(c.op, p, all, {condition, both}), of_carries);
}

Batched while_batch(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  const Loop loop = loop_of(c);
  const LoopParts<bool> given(mapped, loop);
  // Whether the condition is mapped follows from the carries, and these from the condition.
  Flags all = mapped;
  BatchedProgram condition, body;
  const ProgramPtr selecting = step_where_it_goes_on(c, loop);
  bool decides = false;
  for (bool grown = true; grown;) {
    const LoopParts<bool> now(all, loop);
    condition = tutti::batch(c.subs[0], now.of_condition(), axis);
    decides = condition.mapped[0];
    Flags in = now.of_body();
    if (decides) in.insert(in.begin(), now.before.begin(), now.before.end());
    body = tutti::batch(decides ? selecting : c.subs[1], in, axis);
    grown = false;
    for (std::size_t k = 0; k < now.carries.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(loop.first_carry()) + k;
      if (all[at] || !body.mapped[k]) continue;
      all[at] = grown = true;
    }
  }
  const LoopParts<bool> in(all, loop);
  LoopParts<Array> x(operands, loop);
  for (std::size_t k = 0; k < x.carries.size(); ++k)
    if (in.carries[k]) x.carries[k] = batched(x.carries[k], given.carries[k], axis.size);
  if (decides && has_effect(*c.subs[0])) return batch_that_tells(c, x, in, axis);
  const ProgramPtr step = recorded("vmap", body.program->input_types(), [&](const Arrays& y) {
    Arrays out = tutti::apply(*body.program, y);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (in.carries[k]) out[k] = batched(out[k], body.mapped[k], axis.size);
    return out;
  });
  const ProgramPtr test = recorded("vmap", condition.program->input_types(), [&](const Arrays& y) {
    Arrays out = tutti::apply(*condition.program, y);
    if (decides) out[0] = lax::reduce_any(out[0], {0});
    return out;
  });
  While p = c.get<While>();
  if (decides) {
    p.body_consts += p.cond_consts;
    x.consts.insert(x.consts.begin(), x.before.begin(), x.before.end());
  }
  return {bind(c.op, p, x.all(), {test, step}), in.carries};
}

// What is known is computed; the unknown half is the whole loop again, as its condition needs all of it. Where a number
// of steps is promised there is a better way (while_checkpoints.cpp).
Split while_split(const Call& c, const Flags& unknown) {
  const Loop loop = loop_of(c);
  const auto before = static_cast<std::size_t>(loop.condition_consts);
  Split body;
  const Flags in = fixpoint(loop, without_first(unknown, before), [&](const Flags& flags) {
    Flags whole = without_first(flags, static_cast<std::size_t>(loop.consts));
    body = tutti::split(c.subs[1], flags, whole);
    return body.unknown_output;
  });
  Flags late = first_of(unknown, before);
  append(late, in);
  const LoopParts<bool> parts(late, loop);
  const Split decision = tutti::split(c.subs[0], parts.of_condition());
  if (decision.unknown_output[0]) return nothing_known(c, unknown);
  if (c.get<While>().max_steps >= 0) return checkpointed_split(c, unknown, late, body);

  Program step = *body.known;
  step.outputs.resize(step.outputs.size() - static_cast<std::size_t>(body.num_residuals));
  const Flags operand_known = flipped(unknown);
  Program test = *decision.known;
  Split out = nothing_known(c, unknown);
  const ProgramPtr again = out.unknown;
  out.known = recorded(c.op.name, where(c.operands, operand_known), [&](const Arrays& given) {
    const LoopParts<Array> x(spread(given, operand_known), loop);
    While p = c.get<While>();
    Arrays operands = where(x.before, parts.before, false);
    p.cond_consts = static_cast<int>(operands.size());
    append(operands, where(x.consts, parts.consts, false));
    p.body_consts = static_cast<int>(operands.size()) - p.cond_consts;
    append(operands, where(x.carries, parts.carries, false));
    Arrays results = bind(c.op, p, operands, {std::make_shared<Program>(test), tidied(step)});
    append(results, given);
    return results;
  });
  out.unknown_output = parts.carries;
  Program rest = *without_effects(again);  // they happen in the known half
  rest.outputs = where(rest.outputs, parts.carries);
  out.unknown = tidied(std::move(rest));
  return out;
}

Arrays while_transpose(const Call& c, const Arrays&, const Arrays&, const Flags&) {
  raise<UnsupportedError>(c.op.name,
                          "reverse mode has to go back through the steps, and their number is not known beforehand",
                          "Say how many there are at most: while_loop(cond, body, init, {.max_steps = n}), or make a "
                          "known number of steps with scan or fori_loop; forward mode (jvp, jacfwd) needs neither.");
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
