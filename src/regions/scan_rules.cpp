// scan forwards: tangents and batches ride along as further consts, carries, slices. How it is cut in two and turned
// round: scan_split.cpp.
#include "ops/movement/movement.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// Dim `from` of x as dim `to`.
Array moved(const Array& x, int from, int to) {
  Dims order = range(0, x.ndim());
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return lax::transpose(x, order);
}

}  // namespace

WithTangents scan_jvp(const Call& c, const Arrays& primals, const Arrays& tangents) {
  const Loop loop = loop_of(c);
  const Program& body = *c.subs[0];
  const auto carries = static_cast<std::size_t>(loop.carries);
  JvpProgram j;
  const Flags active = fixpoint(loop, present(tangents), [&](const Flags& in) {
    j = tutti::jvp(c.subs[0], in);
    return j.tangent;
  });
  const LoopParts<bool> given(active, loop);
  const LoopParts<Type> types(body.input_types(), loop);
  // Beside each list of the body's inputs the tangents of those that have one.
  std::vector<Type> in_types;
  for (auto [list, has] :
       {std::pair{&types.consts, &given.consts}, {&types.carries, &given.carries}, {&types.slices, &given.slices}}) {
    append(in_types, *list);
    append(in_types, where(*list, *has));
  }
  const Flags tangent_carries = first_of(j.tangent, carries), tangent_ys = without_first(j.tangent, carries);
  const ProgramPtr both = recorded("jvp", in_types, [&](const Arrays& in) {
    Arrays x, dx;
    std::size_t at = 0;
    for (const Flags* has : {&given.consts, &given.carries, &given.slices}) {
      for (std::size_t i = 0; i < has->size(); ++i) x.push_back(in[at++]);
      for (bool h : *has)
        if (h) dx.push_back(in[at++]);
    }
    append(x, dx);
    const Arrays out = tutti::apply(*j.program, x);
    const Arrays made = first_of(out, body.outputs.size());
    Arrays changes = spread(without_first(out, body.outputs.size()), j.tangent);
    Arrays results = first_of(made, carries);
    for (std::size_t k = 0; k < carries; ++k)
      if (given.carries[k]) results.push_back(changes[k].has_value() ? changes[k] : zeros_of(types.carries[k]));
    append(results, without_first(made, carries));
    append(results, where(without_first(changes, carries), tangent_ys));
    return results;
  });
  Arrays all;
  const LoopParts<Array> x(primals, loop), dx(tangents, loop);
  for (auto [list, change, has] : {std::tuple{&x.consts, &dx.consts, &given.consts},
                                   {&x.carries, &dx.carries, &given.carries},
                                   {&x.slices, &dx.slices, &given.slices}}) {
    append(all, *list);
    for (std::size_t i = 0; i < has->size(); ++i)
      if ((*has)[i]) all.push_back((*change)[i].has_value() ? (*change)[i] : zeros_of((*list)[i].type()));
  }
  Scan p = c.get<Scan>();
  p.consts += static_cast<int>(count(given.consts));
  p.carries += static_cast<int>(count(given.carries));
  Arrays out = bind(c.op, p, all, {both});
  // Carries, their tangents, ys, their tangents.
  const auto all_carries = static_cast<std::size_t>(p.carries);
  const std::size_t ys = body.outputs.size() - carries;
  WithTangents result{first_of(out, carries),
                      spread(without_first(first_of(out, all_carries), carries), given.carries)};
  append(result.results, without_first(first_of(out, all_carries + ys), all_carries));
  append(result.tangents, spread(without_first(out, all_carries + ys), tangent_ys));
  return result;
}

Batched scan_batch(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  const Loop loop = loop_of(c);
  const auto carries = static_cast<std::size_t>(loop.carries);
  const auto first = static_cast<std::size_t>(loop.first_carry()), slices = first + carries;
  BatchedProgram b;
  const Flags in = fixpoint(loop, mapped, [&](const Flags& flags) {
    b = tutti::batch(c.subs[0], flags, axis);
    return b.mapped;
  });
  const ProgramPtr body = recorded("vmap", b.program->input_types(), [&](const Arrays& x) {
    Arrays out = tutti::apply(*b.program, x);
    for (std::size_t k = 0; k < carries; ++k)
      if (in[first + k]) out[k] = batched(out[k], b.mapped[k], axis.size);
    return out;
  });
  Arrays args = operands;
  for (std::size_t i = first; i < slices; ++i)
    if (in[i]) args[i] = batched(args[i], mapped[i], axis.size);
  for (std::size_t i = slices; i < args.size(); ++i)
    if (in[i]) args[i] = moved(args[i], 0, 1);
  Arrays out = bind(c.op, c.params, args, {body});
  for (std::size_t k = 0; k < carries; ++k) b.mapped[k] = in[first + k];
  for (std::size_t k = carries; k < out.size(); ++k)
    if (b.mapped[k]) out[k] = moved(out[k], 1, 0);
  return {out, b.mapped};
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
