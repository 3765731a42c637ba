// cond transformed: branch by branch, and what one branch lacks (a tangent, a residual) it gives as zeros.
#include <algorithm>

#include "ops/movement/derivative_where.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
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
    branches.push_back(tutti::jvp(*sub, given));
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

// What a branch leaves for its linear half is a slot of its type, which the branches share; what the cond was given is
// taken from there.
Split cond_split(const Call& c, const Flags& unknown) {
  if (unknown[0]) return nothing_known(c, unknown);
  const Flags in = without_first(unknown, 1);
  Flags late(c.subs[0]->outputs.size(), false);
  for (const ProgramPtr& sub : c.subs) unite(late, tutti::split(*sub, in).unknown_output);
  std::vector<Split> branches;
  for (const ProgramPtr& sub : c.subs) branches.push_back(tutti::split(*sub, in, late));

  const std::size_t results = late.size() - count(late), known = in.size() - count(in);
  Flags passed(known, false);  // known operands that a linear half reads
  std::vector<Type> slots;
  // Per branch and residual: the operand or, behind the operands, the slot that it is.
  std::vector<std::vector<std::size_t>> place;
  for (const Split& s : branches) {
    place.emplace_back();
    Flags taken(slots.size(), false);
    for (const Atom& a : without_first(s.known->outputs, results)) {
      const auto at = std::find(s.known->inputs.begin(), s.known->inputs.end(), a.id);
      if (at != s.known->inputs.end()) {
        place.back().push_back(static_cast<std::size_t>(at - s.known->inputs.begin()));
        passed[place.back().back()] = true;
        continue;
      }
      Type type = s.known->type(a);
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
      place.back().push_back(known + slot);
    }
  }
  std::vector<ProgramPtr> firsts, thens;
  std::vector<Type> rest_types = where(where(c.subs[0]->input_types(), in, false), passed);
  const std::size_t num_passed = rest_types.size();
  append(rest_types, slots);
  append(rest_types, where(c.subs[0]->input_types(), in));
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Split& s = branches[b];
    firsts.push_back(recorded("cond", s.known->input_types(), [&](const Arrays& x) {
      const Arrays made = tutti::apply(*s.known, x);
      Arrays out = first_of(made, results), kept(slots.size());
      for (std::size_t r = 0; r < place[b].size(); ++r)
        if (place[b][r] >= known) kept[place[b][r] - known] = with_weak(made[results + r], false);
      append(out, or_zeros(kept, Flags(slots.size(), true), slots));
      return out;
    }));
    thens.push_back(recorded("cond", rest_types, [&](const Arrays& x) {
      Arrays operands = spread(first_of(x, num_passed), passed), args;
      operands.insert(operands.end(), x.begin() + static_cast<std::ptrdiff_t>(num_passed),
                      x.begin() + static_cast<std::ptrdiff_t>(num_passed + slots.size()));
      const std::vector<Type> like = s.unknown->input_types();
      for (std::size_t r = 0; r < place[b].size(); ++r) args.push_back(with_weak(operands[place[b][r]], like[r].weak));
      append(args, without_first(x, num_passed + slots.size()));
      return tutti::apply(*s.unknown, args);
    }));
  }
  Split out;
  out.unknown_output = late;
  out.known = recorded("cond", where(c.operands, unknown, false), [&](const Arrays& x) {
    const Arrays made = bind(c.op, {}, x, firsts);
    Arrays outputs = first_of(made, results);
    outputs.push_back(x[0]);
    append(outputs, where(without_first(x, 1), passed));
    append(outputs, without_first(made, results));
    return outputs;
  });
  out.num_residuals = static_cast<int>(out.known->outputs.size() - results);
  rest_types.insert(rest_types.begin(), c.operands[0]);
  out.unknown = recorded("cond", rest_types, [&](const Arrays& x) { return bind(c.op, {}, x, thens); });
  return out;
}

Arrays cond_transpose(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  if (undefined[0]) throw InternalError("cond: the number of the branch is no linear operand");
  const Flags linear = without_first(undefined, 1), given = present(cotangents);
  std::vector<Transposed> branches;
  Flags nonzero(count(linear), false);
  for (const ProgramPtr& sub : c.subs) {
    branches.push_back(tutti::transpose(*sub, linear, given));
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
  if (mapped[0]) {
    const BatchedProgram all = tutti::batch(*every_branch(c), mapped, axis);
    return {tutti::apply(*all.program, operands), all.mapped};
  }
  const Flags in = without_first(mapped, 1);
  std::vector<BatchedProgram> branches;
  Flags out(c.subs[0]->outputs.size(), false);
  for (const ProgramPtr& sub : c.subs) {
    branches.push_back(tutti::batch(*sub, in, axis));
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

std::optional<Eqn> cond_narrowed(const Program&, const Eqn& e, const Flags& needed) {
  std::vector<Program> branches;
  Flags read(e.operands.size() - 1, false);
  for (const ProgramPtr& sub : e.subs) {
    Program p = *sub;
    p.outputs = where(p.outputs, needed);
    branches.push_back(without_dead_code(p));
    unite(read, inputs_read(branches.back()));
  }
  if (all_set(needed) && all_set(read)) return std::nullopt;
  Eqn out = e;
  out.subs.clear();
  for (Program& p : branches) {
    p.inputs = where(p.inputs, read);
    p.input_names.clear();
    out.subs.push_back(std::make_shared<Program>(without_dead_code(p)));
  }
  read.insert(read.begin(), true);
  out.operands = where(e.operands, read);
  out.results = where(e.results, needed);
  return out;
}

}  // namespace tutti::ops
