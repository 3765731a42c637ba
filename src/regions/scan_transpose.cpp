// scan turned round.
#include "ir/dataflow.hpp"
#include "regions/loop_cut.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// The outputs of the body that get a cotangent, of which those in `given` do: a carry whose input has one has one in
// the step before, too.
Flags with_cotangent(const Program& body, const Loop& loop, const Flags& is_linear, Flags given) {
  Dataflow flow(body);
  const auto consts = static_cast<std::size_t>(loop.consts), carries = static_cast<std::size_t>(loop.carries);
  for (std::size_t k = 0; k < carries; ++k) flow.feed_back(body.inputs[consts + k], body.outputs[k]);
  const Dataflow::Marks marks =
      flow.needed_for(where(body.outputs, given), flow.made_of(where(body.inputs, is_linear)));
  for (std::size_t k = 0; k < carries; ++k) given[k] = given[k] || marks[body.inputs[consts + k]];
  return given;
}

// The body turned round, for a loop in which every carry is linear. Cotangents of consts are sums over the steps, which
// the loop carries along with those of the carries.
struct Turned {
  LoopParts<bool> linear;  // per input of the body
  LoopParts<Type> types;   // of these
  Transposed step;         // (consts, slices, cotangents of carries, of ys) -> cotangents of consts, carries, slices
  Flags sums;              // per linear const: it has a cotangent
  Flags carries;           // per carry: it has one
  Flags ys;                // per y: it has one
  Flags slices;            // per linear slice: it has one
  std::vector<Type> sum_types, carry_types;  // of what has a cotangent
};
Turned turned(const Call& c, const Loop& loop, const Flags& is_linear, const Flags& cotangents) {
  const Program& body = *c.subs[0];
  const auto carries = static_cast<std::size_t>(loop.carries);
  Turned out{.linear = {is_linear, loop}, .types = {body.input_types(), loop}};
  const std::size_t consts = count(out.linear.consts);
  Flags given = with_cotangent(body, loop, is_linear, cotangents);
  for (bool grown = true; grown;) {
    out.step = tutti::transpose(c.subs[0], is_linear, given);
    grown = false;
    for (std::size_t k = 0; k < carries; ++k) {
      if (given[k] || !out.step.nonzero[consts + k]) continue;
      given[k] = grown = true;
    }
  }
  Pieces nonzero(out.step.nonzero);
  out.sums = nonzero.take(consts);
  nonzero.take(carries);
  out.slices = nonzero.rest();
  out.carries = first_of(given, carries);
  out.ys = without_first(given, carries);
  out.carry_types = where(out.types.carries, out.carries);
  out.sum_types = first_of(out.step.program->output_types(), count(out.sums));
  return out;
}

// What the loop backwards has: known consts; sums, then the carries that have a cotangent; known slices, then the ys
// that have one.
template <class T>
LoopParts<T> backwards(const Turned& t, const LoopParts<T>& x, const std::vector<T>& sums,
                       const std::vector<T>& carries, const std::vector<T>& ys) {
  LoopParts<T> out({}, where(x.consts, t.linear.consts, false), sums, where(x.slices, t.linear.slices, false));
  append(out.carries, carries);
  append(out.slices, where(ys, t.ys));
  return out;
}

Arrays with_zeros(Arrays xs, const std::vector<Type>& types) {
  for (std::size_t k = 0; k < xs.size(); ++k)
    if (!xs[k].has_value()) xs[k] = zeros_of(types[k]);
  return xs;
}

// One step backwards: its results are sums and cotangents of carries before it, then those of its slices.
Arrays step_back(const Turned& t, const LoopParts<Array>& x) {
  Pieces after(x.carries);
  const Arrays so_far = after.take(t.sum_types.size()), carries = after.rest();
  Pieces slices(x.slices);
  Arrays args = x.consts;
  append(args, slices.take(count(flipped(t.linear.slices))));
  append(args, carries);
  append(args, slices.rest());
  const Arrays all_made = spread(tutti::apply(*t.step.program, args), t.step.nonzero);
  Pieces made(all_made);
  Arrays out = where(made.take(t.sums.size()), t.sums);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = lax::add(so_far[k], out[k]);
  append(out, with_zeros(where(made.take(t.carries.size()), t.carries), t.carry_types));
  append(out, where(made.rest(), t.slices));
  return out;
}

}  // namespace

// The loop runs backwards, from cotangents of the last carries and the ys to those of the first carries and the slices.
Arrays scan_transpose(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  const Loop loop = loop_of(c);
  const LoopParts<bool> lacks(undefined, loop);
  // A carry that is given may begin as zeros and become linear at the first step.
  const Flags is_linear = all_set(lacks.carries) ? undefined : split_body(c, undefined).late;
  if (!all_set(LoopParts<bool>(is_linear, loop).carries))
    return transpose_by_split(scan_split(c, undefined), cotangents, operands, undefined);

  const Turned t = turned(c, loop, is_linear, present(cotangents));
  const std::vector<Type> results = c.subs[0]->output_types();
  const LoopParts<Type> types =
      backwards(t, t.types, t.sum_types, t.carry_types, without_first(results, t.carries.size()));
  const ProgramPtr back = recorded("transpose", types.all(),
                                   [&](const Arrays& x) { return step_back(t, LoopParts<Array>(x, types.loop())); });

  Arrays sums;
  for (const Type& type : t.sum_types) sums.push_back(zeros_of(type));
  Pieces given(cotangents);
  const Arrays carries = with_zeros(where(given.take(t.carries.size()), t.carries), t.carry_types);
  Scan p = c.get<Scan>();
  p.reverse = !p.reverse;
  const LoopParts<Array> x(operands, loop);
  const Arrays all_made = bind_scan(p, backwards(t, x, sums, carries, given.rest()), back);
  Pieces made(all_made);
  LoopParts<Array> out;
  out.consts = spread(spread(made.take(sums.size()), t.sums), t.linear.consts);
  out.carries = spread(made.take(count(t.carries)), t.carries);
  for (std::size_t k = 0; k < out.carries.size(); ++k)
    if (!lacks.carries[k]) out.carries[k] = {};  // it began as zeros
  out.slices = spread(spread(made.rest(), t.slices), t.linear.slices);
  return out.all();
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
