// custom_jvp: forward mode replays the rule that the Eqn holds; reverse mode follows, as for any op.
#include "regions/calls.hpp"
#include "regions/custom.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

WithTangents jvp_rule(const Call& c, const Arrays& primals, const Arrays& tangents) {
  auto args = static_cast<std::size_t>(c.get<CustomJvp>().args);
  check_has_rule(c);
  refuse_captured(c, args, tangents);
  Arrays in = first_of(primals, args);
  append(in, instantiated(tangents, primals, args));
  append(in, without_first(primals, args));
  return with_tangents(tutti::apply(*c.subs[1], in), c.subs[0]->outputs.size());
}

// A batch of a call is a call of batched programs. All of them agree on what is mapped: every result is.
Batched batch_rule(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  auto args = static_cast<std::size_t>(c.get<CustomJvp>().args);
  std::vector<ProgramPtr> subs{batch_all(*c.subs[0], mapped, axis)};
  if (c.subs.size() > 1) {
    Flags in = first_of(mapped, args);
    for (std::size_t i = 0; i < args; ++i)
      if (has_tangent(c.operands[i])) in.push_back(mapped[i]);
    append(in, without_first(mapped, args));
    subs.push_back(batch_all(*c.subs[1], in, axis));
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
  op.jvp_together = jvp_rule;
  op.batch = batch_rule;
  return op;
};

}  // namespace tutti::ops
