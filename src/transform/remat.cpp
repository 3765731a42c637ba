// remat: transformed like the function itself, but what the derivative needs of it is computed again from the operands.
#include "ops/region/calls.hpp"
#include "transform/subprogram_rules.hpp"
#include "transform/subprograms.hpp"
#include "tutti/transform/transform_core.hpp"

namespace tutti::detail {
namespace {

std::pair<std::vector<Array>, std::vector<Array>> jvp_rule(const Eqn& eqn, const std::vector<Array>& primals,
                                                           const std::vector<Array>& tangents) {
  JvpProgram body = jvp(*eqn.subs[0], present(tangents));
  std::vector<Array> operands = primals;
  append(operands, where(tangents, present(tangents)));
  std::vector<Array> out = bind(ops::remat, {}, operands, {body.program}), out_tangents(body.tangent.size());
  std::size_t next = body.tangent.size();
  for (std::size_t k = 0; k < body.tangent.size(); ++k)
    if (body.tangent[k]) out_tangents[k] = out[next++];
  out.resize(body.tangent.size());
  return {out, out_tangents};
}

// The known half gives its results; its operands are the residuals. The unknown half is the whole function again,
// behind a barrier, so that nobody recognises what was computed once.
EqnSplit split_rule(const Eqn& eqn, const std::vector<Type>&, const std::vector<bool>& unknown) {
  Split s = split(*eqn.subs[0], unknown);
  Program known = *s.known;
  known.outputs.resize(known.outputs.size() - static_cast<std::size_t>(s.num_residuals));
  for (ValueId v : known.inputs) known.outputs.push_back(Atom(v));
  auto residuals = static_cast<int>(known.inputs.size());

  const Program& body = *eqn.subs[0];
  Recording recording("remat", {});
  std::vector<Array> in(body.inputs.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!unknown[i]) in[i] = bind1(ops::barrier, {}, {recording.input(body.type(body.inputs[i]))});
  for (std::size_t i = 0; i < in.size(); ++i)
    if (unknown[i]) in[i] = recording.input(body.type(body.inputs[i]));
  ProgramPtr again = recording.close(where(tutti::apply(body, in), s.unknown_output));
  return {{eqn.op, {}, {std::make_shared<Program>(without_dead_code(known))}},
          {eqn.op, {}, {again}},
          residuals,
          s.unknown_output};
}

std::vector<Array> transpose_rule(const Eqn& eqn, const std::vector<Type>&, const std::vector<Array>& cotangents,
                                  const std::vector<Array>& operands, const std::vector<bool>& undefined) {
  Transposed t = transpose(*eqn.subs[0], undefined, present(cotangents));
  std::vector<Array> args = where(operands, undefined, false), out(operands.size());
  append(args, where(cotangents, present(cotangents)));
  std::vector<Array> results = bind(ops::remat, {}, args, {t.program});
  std::size_t linear = 0, next = 0;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (undefined[i] && t.nonzero[linear++]) out[i] = results[next++];
  return out;
}

Batched batch_rule(const Eqn& eqn, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                   const BatchAxis& axis) {
  BatchedProgram body = batch(*eqn.subs[0], mapped, axis);
  return {bind(ops::remat, {}, operands, {body.program}), body.mapped};
}

}  // namespace

std::vector<Array> remat_call(const CallArrays& args, const Body& fn, Loc made) {
  static const bool once = [] {
    set_subprogram_rules("remat", {jvp_rule, split_rule, transpose_rule, batch_rule});
    return true;
  }();
  (void)once;
  std::vector<Type> types;
  for (const Array& x : args.leaves) types.push_back(x.type());
  Bodies bodies("remat", made);
  bodies.add(types, [&](const std::vector<Array>& in) { return fn(in).leaves; });
  return bodies.bind(ops::remat, {}, args.leaves);
}

}  // namespace tutti::detail
