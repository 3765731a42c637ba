// scan cut in two, and turned round. The known half runs forward and stacks what each step leaves for the linear half;
// what is the same in all steps is computed once, and what the loop was given is taken from there.
#include <algorithm>

#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// The body cut in two, where a carry that is unknown is made by the unknown half also where its steps know it.
struct BodySplit {
  Flags in;  // which inputs are unknown
  Split split;
};
BodySplit split_body(const Call& c, const Loop& loop, const Flags& unknown) {
  const Program& body = *c.subs[0];
  const auto consts = static_cast<std::size_t>(loop.consts), carries = static_cast<std::size_t>(loop.carries);
  BodySplit out;
  out.in = fixpoint(loop, unknown, [&](const Flags& in) {
    Flags whole(body.outputs.size(), false);
    for (std::size_t k = 0; k < carries; ++k) whole[k] = in[consts + k];
    out.split = tutti::split(body, in, whole);
    return out.split.unknown_output;
  });
  return out;
}

// The known half of a body, once more cut in two: what depends on consts alone, and what a step has to compute.
struct Hoisted {
  ProgramPtr once;         // consts -> residuals that are the same in all steps, then what a step takes of them
  ProgramPtr step;         // (that, carries, slices) -> known results, residuals of the step
  Flags of_step;           // per residual of the body: a step makes it, else `once`
  std::vector<int> slice;  // per residual that a step makes: which known slice it is, -1 for none
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
  const auto first_slice = static_cast<std::size_t>(s.num_residuals) + carries;
  std::vector<Atom> made = first_of(step.outputs, results);
  for (const Atom& a : without_first(step.outputs, results)) {
    const auto at = std::find(step.inputs.begin() + static_cast<std::ptrdiff_t>(first_slice), step.inputs.end(), a.id);
    const bool is_slice = !a.is_literal() && at != step.inputs.end();
    out.slice.push_back(is_slice ? static_cast<int>(at - step.inputs.begin()) - static_cast<int>(first_slice) : -1);
    if (!is_slice) made.push_back(a);
  }
  step.outputs = made;
  out.step = std::make_shared<Program>(without_dead_code(step));
  return out;
}

}  // namespace

Split scan_split(const Call& c, const Flags& unknown) {
  const Loop loop = loop_of(c);
  const auto p = c.get<Scan>();
  const BodySplit b = split_body(c, loop, unknown);
  const LoopParts<bool> late(b.in, loop), given_late(unknown, loop);
  const auto residuals = static_cast<std::size_t>(b.split.num_residuals);
  const std::size_t known_consts = (late.consts.size() - count(late.consts)),
                    known_carries = (late.carries.size() - count(late.carries));
  const Hoisted h = hoist(*b.split.known, residuals, known_consts, known_carries);

  Split out;
  out.unknown_output = b.split.unknown_output;
  std::size_t num_inits = 0;
  // Results, then residuals: those of no step, first values of carries that are unknown from some step on, those of
  // each step.
  out.known = recorded(c.op.name, where(c.operands, unknown, false), [&](const Arrays& in) {
    const LoopParts<Array> x(spread(in, flipped(unknown)), loop);
    Arrays consts = where(x.consts, late.consts, false), carries = where(x.carries, late.carries, false);
    const Arrays slices = where(x.slices, late.slices, false);
    Arrays once = tutti::apply(*h.once, consts);
    const std::size_t same = (h.of_step.size() - count(h.of_step));
    Arrays operands = without_first(once, same);
    Scan params = p;
    params.consts = static_cast<int>(operands.size());
    params.carries = static_cast<int>(carries.size());
    append(operands, carries);
    append(operands, slices);
    Arrays made = bind(c.op, params, operands, {h.step});
    const std::size_t results = b.split.known->outputs.size() - residuals;
    Arrays outputs = first_of(made, results);
    append(outputs, first_of(once, same));
    for (std::size_t k = 0; k < x.carries.size(); ++k) {
      if (!late.carries[k] || given_late.carries[k]) continue;
      outputs.push_back(x.carries[k]);
      ++num_inits;
    }
    std::size_t next = results;
    for (int slice : h.slice) outputs.push_back(slice < 0 ? made[next++] : slices[static_cast<std::size_t>(slice)]);
    return outputs;
  });
  const std::size_t results = b.split.known->outputs.size() - residuals;
  out.num_residuals = static_cast<int>(out.known->outputs.size() - results);

  // The body of the other half: its inputs as a loop has them.
  Program body = *b.split.unknown;
  const std::vector<ValueId> kept = first_of(body.inputs, residuals);
  const LoopParts<ValueId> own(spread(without_first(body.inputs, residuals), b.in), loop);
  std::vector<ValueId> inputs = where(kept, h.of_step, false);
  append(inputs, where(own.consts, late.consts));
  append(inputs, where(own.carries, late.carries));
  append(inputs, where(kept, h.of_step));
  append(inputs, where(own.slices, late.slices));
  body.inputs = inputs;
  body.input_names.clear();
  const std::size_t same = (h.of_step.size() - count(h.of_step));
  std::vector<Type> types = without_first(out.known->output_types(), results);
  append(types, where(c.operands, unknown));
  out.unknown = recorded(c.op.name, types, [&](const Arrays& in) {
    const auto first_own = static_cast<std::size_t>(out.num_residuals);
    const LoopParts<Array> x(spread(without_first(in, first_own), unknown), loop);
    Arrays operands = first_of(in, same);
    append(operands, where(x.consts, late.consts));
    Scan params = p;
    params.consts = static_cast<int>(operands.size());
    std::size_t init = same;
    for (std::size_t k = 0; k < x.carries.size(); ++k)
      if (late.carries[k]) operands.push_back(given_late.carries[k] ? x.carries[k] : in[init++]);
    params.carries = static_cast<int>(operands.size()) - params.consts;
    operands.insert(operands.end(), in.begin() + static_cast<std::ptrdiff_t>(same + num_inits),
                    in.begin() + static_cast<std::ptrdiff_t>(first_own));
    append(operands, where(x.slices, late.slices));
    return bind(c.op, params, operands, {std::make_shared<Program>(body)});
  });
  return out;
}

// Every carry is linear: the loop runs backwards, from cotangents of the last carries and the ys to those of the first
// carries and the slices. Cotangents of consts are sums over the steps, carried along.
Arrays scan_transpose(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  const Loop loop = loop_of(c);
  const LoopParts<bool> lacks(undefined, loop);
  // A carry that is given may begin as zeros and become linear at the first step.
  const Flags is_linear = all_set(lacks.carries) ? undefined : split_body(c, loop, undefined).in;
  const LoopParts<bool> linear(is_linear, loop);
  if (!all_set(linear.carries)) return transpose_by_split(scan_split(c, undefined), cotangents, operands, undefined);

  const Program& body = *c.subs[0];
  const auto carries = static_cast<std::size_t>(loop.carries);
  const std::size_t linear_consts = count(linear.consts);
  const LoopParts<Type> types(body.input_types(), loop);
  Flags given = present(cotangents);
  Transposed t;
  for (bool grown = true; grown;) {
    t = tutti::transpose(body, is_linear, given);
    grown = false;
    for (std::size_t k = 0; k < carries; ++k) {
      if (given[k] || !t.nonzero[linear_consts + k]) continue;
      given[k] = grown = true;
    }
  }
  const Flags const_sums = first_of(t.nonzero, linear_consts),
              slice_sums = without_first(t.nonzero, linear_consts + carries);
  const Flags back_carries = first_of(given, carries), back_ys = without_first(given, carries);
  const std::vector<Type> sums = first_of(t.program->output_types(), count(const_sums));
  const std::vector<Type> results = body.output_types();
  std::vector<Type> in = where(types.consts, linear.consts, false);
  Scan params = c.get<Scan>();
  params.consts = static_cast<int>(in.size());
  append(in, sums);
  append(in, where(types.carries, back_carries));
  params.carries = static_cast<int>(in.size()) - params.consts;
  params.reverse = !params.reverse;
  append(in, where(types.slices, linear.slices, false));
  append(in, where(without_first(results, carries), back_ys));
  const ProgramPtr back = recorded("transpose", in, [&](const Arrays& x) {
    auto at = x.begin();
    auto take = [&](std::size_t n) {
      Arrays out(at, at + static_cast<std::ptrdiff_t>(n));
      at += static_cast<std::ptrdiff_t>(n);
      return out;
    };
    Arrays args = take(static_cast<std::size_t>(params.consts));
    const Arrays so_far = take(sums.size()), after = take(count(back_carries));
    append(args, take((linear.slices.size() - count(linear.slices))));
    append(args, after);
    append(args, Arrays(at, x.end()));
    const Arrays made = spread(tutti::apply(*t.program, args), t.nonzero);
    Arrays out = where(first_of(made, linear_consts), const_sums);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = lax::add(so_far[k], out[k]);
    for (std::size_t k = 0; k < carries; ++k) {
      const Array& before = made[linear_consts + k];
      if (back_carries[k]) out.push_back(before.has_value() ? before : zeros_of(types.carries[k]));
    }
    append(out, where(without_first(made, linear_consts + carries), slice_sums));
    return out;
  });

  const LoopParts<Array> x(operands, loop);
  Arrays all = where(x.consts, linear.consts, false);
  for (const Type& t : sums) all.push_back(zeros_of(t));
  for (std::size_t k = 0; k < carries; ++k)
    if (back_carries[k]) all.push_back(cotangents[k].has_value() ? cotangents[k] : zeros_of(types.carries[k]));
  append(all, where(x.slices, linear.slices, false));
  append(all, where(without_first(cotangents, carries), back_ys));
  const Arrays made = bind(c.op, params, all, {back});
  Arrays out = spread(spread(first_of(made, sums.size()), const_sums), linear.consts);
  const Arrays firsts = without_first(first_of(made, static_cast<std::size_t>(params.carries)), sums.size());
  Arrays before = spread(firsts, back_carries);
  for (std::size_t k = 0; k < carries; ++k)
    if (!lacks.carries[k]) before[k] = {};  // it began as zeros
  append(out, before);
  append(out, spread(spread(without_first(made, static_cast<std::size_t>(params.carries)), slice_sums), linear.slices));
  return out;
}

}  // namespace tutti::ops
