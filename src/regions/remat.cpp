// remat: transformed like the function itself, but what the derivative needs of it is computed again from the operands.
#include "ops/movement/barrier.hpp"
#include "regions/calls.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "transform/effects.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

WithTangents jvp_rule_remat(const Call& c, const Arrays& primals, const Arrays& tangents) {
  JvpProgram body = tutti::jvp(c.subs[0], present(tangents));
  Arrays operands = primals;
  append(operands, where(tangents, present(tangents)));
  return with_tangents(bind(c.op, c.params, operands, {body.program}), body.tangent);
}

// Residuals of a function: its operands and what the policy keeps. The known half gives its results and these; the
// unknown half computes the residuals of its linear half again, behind a barrier, so that nobody recognises what was
// computed once.
Split split_rule(const Call& c, const Flags& unknown) {
  const Split s = tutti::split(c.subs[0], unknown);
  const auto residuals = static_cast<std::size_t>(s.num_residuals), results = s.known->outputs.size() - residuals;
  Flags again(results, false);
  again.resize(results + residuals, true);
  const PolicyCut cut = cut_by_policy(*s.known, c.get<Remat>().policy, again);
  const Flags needed = inputs_read(*cut.again);  // of the operands, and all that is kept

  Program once = *cut.once;
  once.outputs = first_of(once.outputs, results);
  append(once.outputs, without_first(cut.once->outputs, results + residuals));
  const ProgramPtr forward = tidied(std::move(once));
  Program known = *program_of(c.op, c.params, where(c.operands, unknown, false), {forward});
  Program later = *cut.again;
  later.inputs = where(later.inputs, needed);
  for (std::size_t i = 0; i < known.inputs.size(); ++i)
    if (needed[i]) known.outputs.emplace_back(known.inputs[i]);
  const std::vector<Type> kept = without_first(known.output_types(), results);

  Recording recording("remat", {});
  Arrays in, late;
  for (const Type& t : kept) in.push_back(bind1(barrier, {}, {recording.input(t)}));
  for (const Type& t : where(c.operands, unknown)) late.push_back(recording.input(t));
  // `later` takes operands first, what the known half made behind them.
  Arrays given = without_first(in, static_cast<std::size_t>(cut.kept));
  append(given, first_of(in, static_cast<std::size_t>(cut.kept)));
  // What the function tells somebody outside it has told the first time.
  Arrays made = tutti::apply(*without_effects(std::make_shared<Program>(later)), given);
  append(made, late);
  ProgramPtr linear = recording.close(tutti::apply(*s.unknown, made));
  return {std::make_shared<Program>(known), program_of(c.op, c.params, linear->input_types(), {linear}),
          static_cast<int>(kept.size()), s.unknown_output};
}

Arrays transpose_rule(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  Transposed t = tutti::transpose(c.subs[0], undefined, present(cotangents));
  Arrays args = where(operands, undefined, false);
  append(args, where(cotangents, present(cotangents)));
  return spread(spread(bind(c.op, c.params, args, {t.program}), t.nonzero), undefined);
}

Batched batch_rule_remat(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  BatchedProgram body = tutti::batch(c.subs[0], mapped, axis);
  return {bind(c.op, c.params, operands, {body.program}), body.mapped};
}

}  // namespace

constinit const Home remat = [] {
  Op op = call_op("remat");
  op.jvp_together = jvp_rule_remat;
  op.split = split_rule;
  op.transpose = transpose_rule;
  op.batch = batch_rule_remat;
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
