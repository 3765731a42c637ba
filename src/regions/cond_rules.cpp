// cond transformed: branch by branch, and what one branch lacks (a tangent, a residual) it gives as zeros.
#include "ir/index.hpp"
#include "ops/movement/derivative_where.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "regions/packed.hpp"
#include "transform/effects.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

void unite(Flags& all, const Flags& with) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] || with[i];
}
// What is there, and zeros elsewhere, where `wanted`.
Arrays or_zeros(const Arrays& xs, const Flags& wanted, const std::vector<Type>& types) {
  Arrays out;
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (wanted[i]) out.push_back(xs[i].has_value() ? xs[i] : zeros_of(types[i]));
  return out;
}

}  // namespace

WithTangents cond_jvp(const Call& c, const Arrays& primals, const Arrays& tangents) {
  const Flags given = without_first(present(tangents), 1);
  const std::size_t results = c.subs[0]->outputs.size();
  std::vector<JvpProgram> branches;
  Flags tangent(results, false);
  for (const ProgramPtr& sub : c.subs) {
    branches.push_back(tutti::jvp(sub, given));
    unite(tangent, branches.back().tangent);
  }
  std::vector<ProgramPtr> subs;
  for (std::size_t b = 0; b < branches.size(); ++b)
    subs.push_back(recorded("jvp", branches[b].program->input_types(), [&](const Arrays& in) {
      const Arrays made = tutti::apply(*branches[b].program, in);
      Arrays out = first_of(made, results);
      append(out,
             or_zeros(spread(without_first(made, results), branches[b].tangent), tangent, c.subs[b]->output_types()));
      return out;
    }));
  Arrays operands = primals;
  append(operands, where(tangents, present(tangents)));
  return with_tangents(bind(c.op, {}, operands, subs), tangent);
}

namespace {

// Where the linear halves of the branches find what the known halves leave for them: what the cond was given is taken
// from there, all else is a slot of its type, which the branches share.
struct Slots {
  std::vector<Type> types;
  Flags passed;  // per known operand: a linear half reads it
  // Per branch and residual: the operand or, behind the operands, the slot that it is.
  std::vector<std::vector<std::size_t>> place;
};

// A slot for a value of this type that the branch has not taken; one more when there is none.
std::size_t take_slot(std::vector<Type>& slots, Flags& taken, Type type) {
  type.weak = false;
  std::size_t slot = 0;
  while (slot < slots.size() && (taken[slot] || slots[slot].dtype != type.dtype || slots[slot].shape != type.shape))
    ++slot;
  if (slot == slots.size()) {
    slots.push_back(type);
    taken.push_back(false);
  }
  slots[slot].varying = merge_names(slots[slot].varying, type.varying);
  taken[slot] = true;
  return slot;
}

Slots slots_of(const std::vector<Split>& branches, std::size_t results, std::size_t known) {
  Slots out{{}, Flags(known, false), {}};
  for (const Split& s : branches) {
    const ProgramIndex index(*s.known);
    Flags taken(out.types.size(), false);
    std::vector<std::size_t>& place = out.place.emplace_back();
    for (const Atom& a : without_first(s.known->outputs, results)) {
      const int input = a.is_literal() ? -1 : index.input(a.id);
      if (input >= 0) out.passed[static_cast<std::size_t>(input)] = true;
      place.push_back(input >= 0 ? static_cast<std::size_t>(input)
                                 : known + take_slot(out.types, taken, s.known->type(a)));
    }
  }
  return out;
}

// Known operands -> known results, packed slots.
ProgramPtr known_branch(const Slots& slots, const Packing& packing, std::size_t branch, const Program& known) {
  return recorded("cond", known.input_types(), [&](const Arrays& x) {
    const Arrays all_made = tutti::apply(known, x);
    const std::vector<std::size_t>& place = slots.place[branch];
    Pieces made(all_made);
    Arrays out = made.take(all_made.size() - place.size()), kept(slots.types.size());
    for (std::size_t at : place) {
      const Array residual = made.take(1)[0];
      if (at >= slots.passed.size()) kept[at - slots.passed.size()] = with_weak(residual, false);
    }
    append(out, packing.packed(or_zeros(kept, Flags(kept.size(), true), slots.types)));
    return out;
  });
}

// Known operands that are passed on, packed slots, unknown operands -> unknown results.
ProgramPtr unknown_branch(const Slots& slots, const Packing& packing, std::size_t branch,
                          const std::vector<Type>& types, const Program& unknown) {
  return recorded("cond", types, [&](const Arrays& x) {
    Pieces given(x);
    Arrays residuals = spread(given.take(count(slots.passed)), slots.passed), args;
    append(residuals, packing.unpacked(given.take(packing.types().size())));
    const std::vector<Type> like = unknown.input_types();
    for (std::size_t at : slots.place[branch]) args.push_back(with_weak(residuals[at], like[args.size()].weak));
    append(args, given.rest());
    return tutti::apply(unknown, args);
  });
}

}  // namespace

Split cond_split(const Call& c, const Flags& unknown) {
  if (unknown[0]) return nothing_known(c, unknown);
  const Flags in = without_first(unknown, 1);
  Flags late(c.subs[0]->outputs.size(), false);
  for (const ProgramPtr& sub : c.subs) unite(late, tutti::split(sub, in).unknown_output);
  std::vector<Split> branches;
  for (const ProgramPtr& sub : c.subs) branches.push_back(tutti::split(sub, in, late));
  const std::size_t results = count(flipped(late));
  const Slots slots = slots_of(branches, results, count(flipped(in)));

  const Packing packing(slots.types);
  const std::vector<Type> all_types = c.subs[0]->input_types();
  std::vector<Type> types = where(where(all_types, in, false), slots.passed);
  append(types, packing.types());
  append(types, where(all_types, in));
  std::vector<ProgramPtr> firsts, thens;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    firsts.push_back(known_branch(slots, packing, b, *branches[b].known));
    thens.push_back(unknown_branch(slots, packing, b, types, *branches[b].unknown));
  }
  Split out;
  out.unknown_output = late;
  out.known = recorded("cond", where(c.operands, unknown, false), [&](const Arrays& x) {
    const Arrays all_made = bind(c.op, {}, x, firsts);
    Pieces made(all_made);
    Arrays outputs = made.take(results);
    outputs.push_back(x[0]);
    append(outputs, where(without_first(x, 1), slots.passed));
    append(outputs, made.rest());
    return outputs;
  });
  out.num_residuals = static_cast<int>(out.known->outputs.size() - results);
  types.insert(types.begin(), c.operands[0]);
  out.unknown = recorded("cond", types, [&](const Arrays& x) { return bind(c.op, {}, x, thens); });
  return out;
}

Arrays cond_transpose(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  if (undefined[0]) throw InternalError("cond: the number of the branch is no linear operand");
  const Flags linear = without_first(undefined, 1), given = present(cotangents);
  std::vector<Transposed> branches;
  Flags nonzero(count(linear), false);
  for (const ProgramPtr& sub : c.subs) {
    branches.push_back(tutti::transpose(sub, linear, given));
    unite(nonzero, branches.back().nonzero);
  }
  std::vector<ProgramPtr> subs;
  for (std::size_t b = 0; b < branches.size(); ++b)
    subs.push_back(recorded("transpose", branches[b].program->input_types(), [&](const Arrays& in) {
      return or_zeros(spread(tutti::apply(*branches[b].program, in), branches[b].nonzero), nonzero,
                      where(c.subs[b]->input_types(), linear));
    }));
  Arrays args = where(operands, undefined, false);
  append(args, where(cotangents, given));
  return spread(spread(bind(c.op, {}, args, subs), nonzero), undefined);
}

namespace {

// All branches, of which each element takes its own. No derivative comes from those that it does not take, whatever
// they are there.
ProgramPtr every_branch(const Call& c) {
  std::vector<Type> types = c.subs[0]->input_types();
  types.insert(types.begin(), c.operands[0]);
  return recorded("cond", types, [&](const Arrays& in) {
    const auto most = static_cast<std::int64_t>(c.subs.size()) - 1;
    Arrays out;
    for (std::int64_t b = 0; b <= most; ++b) {
      Array taken = most == 0 ? Array(true) : b == 0 ? in[0] <= 0 : b == most ? in[0] >= b : in[0] == b;
      Arrays x = without_first(in, 1);
      for (Array& a : x)
        if (has_tangent(a.type())) a = bind1(derivative_where, {}, {a, taken});
      const ProgramPtr& branch = c.subs[static_cast<std::size_t>(b)];
      const bool tells = has_effect(*branch);
      if (tells) x.push_back(taken);
      Arrays made = tutti::apply(tells ? *guarded(*branch, x.size() - 1) : *branch, x);
      for (std::size_t k = 0; k < made.size() && b > 0; ++k) made[k] = lax::select(taken, made[k], out[k]);
      out = std::move(made);
    }
    return out;
  });
}

}  // namespace

Batched cond_batch(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  // In place: a nest of them is recorded once, not once for each cond around it.
  if (mapped[0]) return apply_batched(*every_branch(c), operands, mapped, axis);
  const Flags in = without_first(mapped, 1);
  std::vector<BatchedProgram> branches;
  Flags out(c.subs[0]->outputs.size(), false);
  for (const ProgramPtr& sub : c.subs) {
    branches.push_back(tutti::batch(sub, in, axis));
    unite(out, branches.back().mapped);
  }
  std::vector<ProgramPtr> subs;
  for (const BatchedProgram& b : branches)
    subs.push_back(recorded("vmap", b.program->input_types(), [&](const Arrays& x) {
      Arrays made = tutti::apply(*b.program, x);
      for (std::size_t k = 0; k < made.size(); ++k)
        if (out[k] && !b.mapped[k]) made[k] = lax::broadcast(made[k], Shape{axis.size});
      return made;
    }));
  return {bind(c.op, {}, operands, subs), out};
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
