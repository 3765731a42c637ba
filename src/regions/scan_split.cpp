// scan cut in two. The known half runs forward and stacks what each step leaves for the linear half;
// what is the same in all steps is computed once, and what the loop was given is taken from there.
#include <algorithm>

#include "ir/index.hpp"
#include "regions/loop_cut.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// The known half of a body, once more cut in two: what depends on consts alone, and what a step has to compute.
struct Hoisted {
  ProgramPtr once;         // consts -> residuals that are the same in all steps, then what a step takes of them
  ProgramPtr step;         // (that, carries, slices) -> known results, residuals of the step
  Flags of_step;           // per residual of the body: a step makes it, else `once`
  std::vector<int> slice;  // per residual that a step makes: which known slice it is, -1 for none
  std::size_t same() const { return of_step.size() - slice.size(); }
};
Hoisted hoist(const Program& known, std::size_t residuals, std::size_t consts, std::size_t carries) {
  const std::size_t results = known.outputs.size() - residuals;
  Flags changes(known.inputs.size(), true), whole(known.outputs.size(), false);
  std::fill(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(consts), false);
  std::fill(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(results), true);
  // An effect happens in each step, whatever it depends on.
  const Split s = tutti::split(known, changes, whole, Effects::unknown);
  Hoisted out{s.known, {}, without_first(s.unknown_output, results), {}};
  Program step = *s.unknown;
  const ProgramIndex index(step);
  const int first_slice = s.num_residuals + static_cast<int>(carries);
  std::vector<Atom> made = first_of(step.outputs, results);
  for (const Atom& a : without_first(step.outputs, results)) {
    const int slice = a.is_literal() ? -1 : std::max(-1, index.input(a.id) - first_slice);
    out.slice.push_back(slice);
    if (slice < 0) made.push_back(a);
  }
  step.outputs = made;
  out.step = tidied(std::move(step));
  return out;
}

// What the halves agree on. Residuals are those that are the same in all steps, the first values of the carries that
// turn unknown, and those of each step, stacked.
struct Halves {
  LoopCut cut;
  Split body;
  Hoisted known;
  std::size_t results() const {  // of the known half
    return body.known->outputs.size() - static_cast<std::size_t>(body.num_residuals);
  }
};
// No step computes anything from what is known: the loop is the unknown half as it is, with the body that it has, so
// that a split of a loop around it finds its answer kept.
bool is_unknown(const Call& c, const BodySplit& body) {
  const auto all = [](const Flags& flags) { return std::find(flags.begin(), flags.end(), false) == flags.end(); };
  return body.split.known->eqns.empty() && all(body.split.unknown_output) &&
         all(LoopParts<bool>(body.late, loop_of(c)).carries);
}

Halves halves_of(const Call& c, const Flags& unknown, const BodySplit& body) {
  const LoopCut cut(c, unknown, body.late);
  return {cut, body.split,
          hoist(*body.split.known, static_cast<std::size_t>(body.split.num_residuals), count(flipped(cut.late.consts)),
                count(flipped(cut.late.carries)))};
}

// Known operands -> known results, residuals.
Arrays known_half(const Call& c, const Halves& h, const LoopParts<Array>& x) {
  const LoopParts<Array> known = h.cut.known(x);
  const Arrays all_once = tutti::apply(*h.known.once, known.consts);
  Pieces once(all_once);
  const Arrays same = once.take(h.known.same());
  const Arrays all_made = bind_scan(c.get<Scan>(), {{}, once.rest(), known.carries, known.slices}, h.known.step);
  Pieces made(all_made);
  Arrays out = made.take(h.results());
  append(out, same);
  append(out, where(x.carries, h.cut.turning()));
  for (int slice : h.known.slice)
    out.push_back(slice < 0 ? made.take(1)[0] : known.slices[static_cast<std::size_t>(slice)]);
  return out;
}

// The body of the unknown half takes residuals among the consts and the slices.
ProgramPtr unknown_body(const Halves& h) {
  Program body = *h.body.unknown;
  const LoopParts<bool>& late = h.cut.late;
  Pieces inputs(body.inputs);
  const std::vector<ValueId> kept = inputs.take(h.known.of_step.size());
  const LoopParts<ValueId> own(spread(inputs.rest(), late.all()), h.cut.loop);
  LoopParts<ValueId> in({}, where(kept, h.known.of_step, false), where(own.carries, late.carries),
                        where(kept, h.known.of_step));
  append(in.consts, where(own.consts, late.consts));
  append(in.slices, where(own.slices, late.slices));
  body.inputs = in.all();
  body.input_names.clear();
  auto out = std::make_shared<Program>(std::move(body));
  out->facts.tidy = h.body.unknown->facts.tidy.load();  // only the order of its inputs is another
  return out;
}

// Residuals, unknown operands -> unknown results.
Arrays unknown_half(const Call& c, const Halves& h, const Arrays& in) {
  const LoopCut& cut = h.cut;
  Pieces given(in);
  const Arrays same = given.take(h.known.same()), turning = given.take(count(cut.turning())),
               of_steps = given.take(h.known.slice.size());
  const LoopParts<Array> own(spread(given.rest(), cut.given.all()), cut.loop);
  LoopParts<Array> x({}, same, cut.first_late(own.carries, turning), of_steps);
  append(x.consts, where(own.consts, cut.late.consts));
  append(x.slices, where(own.slices, cut.late.slices));
  return bind_scan(c.get<Scan>(), x, unknown_body(h));
}

}  // namespace

BodySplit split_body(const Call& c, const Flags& unknown) {
  const Loop loop = loop_of(c);
  const Program& body = *c.subs[0];
  BodySplit out;
  out.late = fixpoint(loop, unknown, [&](const Flags& in) {
    Flags whole = LoopParts<bool>(in, loop).carries;
    whole.resize(body.outputs.size(), false);
    out.split = tutti::split(c.subs[0], in, whole);
    return out.split.unknown_output;
  });
  return out;
}

Split scan_split(const Call& c, const Flags& unknown) {
  const BodySplit body = split_body(c, unknown);
  if (is_unknown(c, body)) return nothing_known(c, unknown);
  const Halves h = halves_of(c, unknown, body);
  const Flags known = flipped(unknown);
  Split out;
  out.unknown_output = h.body.unknown_output;
  out.known = recorded(c.op.name, where(c.operands, known), [&](const Arrays& in) {
    return known_half(c, h, LoopParts<Array>(spread(in, known), h.cut.loop));
  });
  out.num_residuals = static_cast<int>(out.known->outputs.size() - h.results());
  std::vector<Type> types = without_first(out.known->output_types(), h.results());
  append(types, where(c.operands, unknown));
  out.unknown = recorded(c.op.name, types, [&](const Arrays& in) { return unknown_half(c, h, in); });
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
