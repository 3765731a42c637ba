// remat: transformed like the function itself, but what the derivative needs of it is computed again from the operands.
#include "ops/movement/barrier.hpp"
#include "regions/calls.hpp"
#include "regions/lists.hpp"
#include "transform/effects.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

WithTangents jvp_rule(const Call& c, const Arrays& primals, const Arrays& tangents) {
  JvpProgram body = tutti::jvp(*c.subs[0], present(tangents));
  Arrays operands = primals;
  append(operands, where(tangents, present(tangents)));
  return with_tangents(bind(c.op, {}, operands, {body.program}), body.tangent);
}

// The known half gives its results; its operands are the residuals. The unknown half is the whole function again,
// behind a barrier, so that nobody recognises what was computed once.
Split split_rule(const Call& c, const Flags& unknown) {
  const Program& body = *c.subs[0];
  Split s = tutti::split(body, unknown);
  const std::vector<Type> types = where(c.operands, unknown, false);
  Program once = *s.known;
  once.outputs.resize(once.outputs.size() - static_cast<std::size_t>(s.num_residuals));
  Program known = *program_of(c.op, {}, types, {std::make_shared<Program>(without_dead_code(once))});
  for (ValueId v : known.inputs) known.outputs.emplace_back(v);

  Recording recording("remat", {});
  Arrays in(unknown.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!unknown[i]) in[i] = bind1(barrier, {}, {recording.input(body.type(body.inputs[i]))});
  for (std::size_t i = 0; i < in.size(); ++i)
    if (unknown[i]) in[i] = recording.input(body.type(body.inputs[i]));
  // What the function tells somebody outside it has told the first time.
  ProgramPtr again = recording.close(where(tutti::apply(*without_effects(c.subs[0]), in), s.unknown_output));
  return {std::make_shared<Program>(known), program_of(c.op, {}, again->input_types(), {again}),
          static_cast<int>(types.size()), s.unknown_output};
}

Arrays transpose_rule(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags& undefined) {
  Transposed t = tutti::transpose(*c.subs[0], undefined, present(cotangents));
  Arrays args = where(operands, undefined, false);
  append(args, where(cotangents, present(cotangents)));
  return spread(spread(bind(c.op, {}, args, {t.program}), t.nonzero), undefined);
}

Batched batch_rule(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  BatchedProgram body = tutti::batch(*c.subs[0], mapped, axis);
  return {bind(c.op, {}, operands, {body.program}), body.mapped};
}

}  // namespace

constinit const Home remat = [] {
  Op op = call_op("remat");
  op.jvp_together = jvp_rule;
  op.split = split_rule;
  op.transpose = transpose_rule;
  op.batch = batch_rule;
  return op;
};

}  // namespace tutti::ops
