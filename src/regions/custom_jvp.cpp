// custom_jvp: forward mode replays the rule that the Eqn holds; reverse mode follows, as for any op.
#include "regions/calls.hpp"
#include "regions/custom.hpp"
#include "regions/loops.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

// The rule where some tangents are zero. What it makes of the tangents is linear in them, so it is its own derivative,
// and forward mode leaves out what depends on zeros alone.
WithTangents with_some_tangents(const ProgramPtr& rule, std::size_t results, const Arrays& in,
                                const Flags& is_tangent) {
  const Split s = tutti::split(rule, is_tangent);
  if (const Flags f = first_of(s.unknown_output, results); count(f) > 0) {  // it makes results of tangents
    Arrays all = in;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].has_value()) all[i] = zeros_of(rule->type(rule->inputs[i]));
    return with_tangents(tutti::apply(*rule, all), results);
  }
  const Arrays known = tutti::apply(*s.known, where(in, is_tangent, false));
  const std::size_t made = known.size() - static_cast<std::size_t>(s.num_residuals);
  const Arrays given = where(in, is_tangent);
  Arrays at = without_first(known, made);
  Flags differentiated(at.size(), false);
  append(differentiated, present(given));
  const std::vector<Type> types = s.unknown->input_types();
  for (const Array& t : given) at.push_back(t.has_value() ? t : zeros_of(types[at.size()]));
  append(at, where(given, present(given)));
  const JvpProgram linear = tutti::jvp(s.unknown, differentiated);
  const Arrays out = tutti::apply(*linear.program, at);
  const Arrays changes = spread(without_first(out, linear.tangent.size()), linear.tangent);
  return with_tangents(merged(s.unknown_output, changes, known), results);
}

WithTangents jvp_rule_custom_jvp(const Call& c, const Arrays& primals, const Arrays& tangents) {
  auto args = static_cast<std::size_t>(c.get<CustomJvp>().args);
  check_has_rule(c);
  refuse_captured(c, args, tangents);
  const std::size_t results = c.subs[0]->outputs.size();
  Arrays in = first_of(primals, args);
  Flags is_tangent(args, false);
  for (std::size_t i = 0; i < args; ++i)
    if (has_tangent(primals[i].type())) in.push_back(tangents[i]);
  is_tangent.resize(in.size(), true);
  append(in, without_first(primals, args));
  is_tangent.resize(in.size(), false);
  if (all_set(present(in))) return with_tangents(tutti::apply(*c.subs[1], in), results);
  return with_some_tangents(c.subs[1], results, in, is_tangent);
}

// A batch of a call is a call of batched programs. All of them agree on what is mapped: every result is.
Batched batch_rule_custom_jvp(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  auto args = static_cast<std::size_t>(c.get<CustomJvp>().args);
  std::vector<ProgramPtr> subs{batch_all(c.subs[0], mapped, axis)};
  if (c.subs.size() > 1) {
    Flags in = first_of(mapped, args);
    for (std::size_t i = 0; i < args; ++i)
      if (has_tangent(c.operands[i])) in.push_back(mapped[i]);
    append(in, without_first(mapped, args));
    subs.push_back(batch_all(c.subs[1], in, axis));
  }
  return {bind(c.op, c.params, operands, subs), Flags(c.subs[0]->outputs.size(), true)};
}

}  // namespace

void check_has_rule(const Call& c) {
  if (c.subs.size() < 2) throw InternalError(c.op.name + ": recorded for fewer derivatives than are taken of it");
}

void refuse_captured(const Call& c, std::size_t args, const std::vector<Array>& tangents) {
  for (std::size_t i = args; i < tangents.size(); ++i)
    if (tangents[i].has_value())
      raise<ValueError>(c.op.name,
                        "an array of type " + tangents[i].type().str() +
                            " that the function captured is differentiated, and the rule does not know of it",
                        "Pass it as an argument, or stop_gradient() it.");
}

constinit const Home custom_jvp = [] {
  Op op = call_op("custom_jvp");
  op.jvp_together = jvp_rule_custom_jvp;
  op.batch = batch_rule_custom_jvp;
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
