// custom_vmap: vmap asks the user's rule what a whole batch of calls is. Forward mode makes a call whose rule is the
// derivative of the rule; reverse mode, of which the rule knows nothing, is that of the function.
#include "regions/calls.hpp"
#include "regions/lists.hpp"
#include "trace/record.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

Type batched(Type t, std::int64_t size) {
  t.shape.insert(0, size);
  return t;
}
// A rule that maps its own function as it is mapped itself would be called for ever.
thread_local int rules_running = 0;
class RunningRule {
 public:
  explicit RunningRule(Loc made) {
    if (rules_running >= 64)
      raise<ValueError>("custom_vmap", "rules call each other 64 deep",
                        "A rule must not map its own function the way that it is mapped itself.", made);
    ++rules_running;
  }
  ~RunningRule() { --rules_running; }
  RunningRule(const RunningRule&) = delete;
};

// The rule as a Program over arguments of these types.
struct RecordedRule {
  ProgramPtr program;
  Flags mapped;  // per result
};
RecordedRule recorded(const MapRule& rule, std::int64_t size, const Flags& mapped, const std::vector<Type>& args) {
  RecordedRule out;
  RunningRule running(rule.made());
  const Traced traced = record("custom_vmap", rule.made(), args, [&](const Arrays& in) {
    Batched made = (*rule)(size, mapped, in);
    out.mapped = made.mapped;
    return made.results;
  });
  if (!traced.captured.empty())
    raise<ValueError>("custom_vmap",
                      "the rule uses an array of type " + traced.captured[0].type().str() +
                          " that it captured; it is called when the map is made, for any call",
                      "Give the array to the function as an argument.", rule.made());
  out.program = traced.program;
  return out;
}

void check_results(const Call& c, const MapRule& rule, std::int64_t size, const RecordedRule& given) {
  const std::vector<Type> one = c.subs[0]->output_types(), got = given.program->output_types();
  auto number = [](std::size_t n) { return std::to_string(n); };
  if (got.size() != one.size() || given.mapped.size() != one.size())
    raise<ValueError>("custom_vmap",
                      "the rule gives " + number(got.size()) + " arrays as result and says of " +
                          number(given.mapped.size()) + " whether they are mapped; the function gives " +
                          number(one.size()),
                      "Both have to return the same tree.", rule.made());
  for (std::size_t k = 0; k < one.size(); ++k) {
    const Type want = given.mapped[k] ? batched(one[k], size) : one[k];
    const std::string problem = "the rule gives " + got[k].str() + " as result " + number(k) +
                                (given.mapped[k] ? ", mapped over " + number(size) : ", not mapped") +
                                "; with the function's result that is " + want.str();
    if (got[k].shape != want.shape)
      raise<ShapeError>("custom_vmap", problem, "A mapped result has the batch in front.", rule.made());
    if (got[k].dtype != want.dtype)
      raise<TypeError>("custom_vmap", problem, "Convert it with astype(" + std::string(want.dtype.name()) + ").",
                       rule.made());
  }
}

Batched batch_rule_custom_vmap(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  const auto& p = c.get<CustomVmap>();
  const auto args = static_cast<std::size_t>(p.args);
  // Asked for the sake of a named axis.
  if (count(mapped) == 0) return apply_batched(*c.subs[0], operands, mapped, axis);
  for (std::size_t i = args; i < mapped.size(); ++i)
    if (mapped[i])
      raise<ValueError>("custom_vmap",
                        "an array of type " + c.operands[i].str() +
                            " that the function captured is mapped, and the rule does not know of it",
                        "Pass it as an argument.", p.rule.made());
  const Arrays in = first_of(operands, args);
  const RecordedRule rule = recorded(p.rule, axis.size, first_of(mapped, args), types_of(in));
  check_results(c, p.rule, axis.size, rule);
  const std::vector<Type> one = c.subs[0]->output_types();
  Arrays out = tutti::apply(*rule.program, in);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = with_weak(out[k], one[k].weak);
  return {out, rule.mapped};
}

// The derivative of a rule by the arguments in `differentiated`, which come with their tangents behind all arguments.
// `tangent`: the results whose tangents are asked for.
MapRule derivative(const MapRule& rule, const Flags& differentiated, const Flags& tangent) {
  auto call = [=](std::int64_t size, const Flags& mapped, const Arrays& operands) {
    const std::size_t args = differentiated.size();
    Arrays primals = first_of(operands, args), tangents = without_first(operands, args);
    Flags either = first_of(mapped, args);
    const Flags of_tangents = without_first(mapped, args);
    std::size_t next = 0;
    for (std::size_t i = 0; i < args; ++i) {
      if (!differentiated[i]) continue;
      const bool primal = either[i], its = of_tangents[next];
      either[i] = primal || its;
      if (its && !primal) primals[i] = lax::broadcast(primals[i], Shape{size});
      if (primal && !its) tangents[next] = lax::broadcast(tangents[next], Shape{size});
      ++next;
    }
    const RecordedRule recorded_rule = recorded(rule, size, either, types_of(primals));
    const JvpProgram both = tutti::jvp(recorded_rule.program, differentiated);
    append(primals, tangents);
    const Arrays made = tutti::apply(*both.program, primals);
    Batched out{first_of(made, tangent.size()), recorded_rule.mapped};
    const Arrays changes = spread(without_first(made, tangent.size()), both.tangent);
    for (std::size_t k = 0; k < tangent.size(); ++k) {
      if (!tangent[k]) continue;
      out.results.push_back(changes[k].has_value() ? changes[k] : zeros_of(out.results[k].type()));
      out.mapped.push_back(recorded_rule.mapped[k]);
    }
    return out;
  };
  return {call, rule.made()};
}

WithTangents jvp_rule_custom_vmap(const Call& c, const Arrays& primals, const Arrays& tangents) {
  const auto& p = c.get<CustomVmap>();
  const auto args = static_cast<std::size_t>(p.args);
  const Flags differentiated = present(tangents);
  const JvpProgram body = tutti::jvp(c.subs[0], differentiated);
  const Arrays captured = without_first(primals, args);
  Arrays operands = primals;
  append(operands, where(tangents, differentiated));
  if (count(without_first(differentiated, args)) > 0)  // by something that the rule does not know
    return with_tangents(tutti::apply(*body.program, operands), body.tangent);
  // Arguments first, captured arrays last.
  auto turned = [&](const auto& list) {
    auto out = first_of(list, args);
    append(out, without_first(list, primals.size()));
    append(out, first_of(without_first(list, args), captured.size()));
    return out;
  };
  Program turned_body = *body.program;
  turned_body.inputs = turned(turned_body.inputs);
  turned_body.input_names.clear();
  const CustomVmap params{static_cast<int>(operands.size() - captured.size()),
                          derivative(p.rule, first_of(differentiated, args), body.tangent)};
  return with_tangents(bind(c.op, params, turned(operands), {std::make_shared<Program>(std::move(turned_body))}),
                       body.tangent);
}

Split split_rule_custom_vmap(const Call& c, const Flags& unknown) { return tutti::split(c.subs[0], unknown); }

Arrays transpose_rule_custom_vmap(const Call& c, const Arrays& cotangents, const Arrays& operands,
                                  const Flags& undefined) {
  const Transposed t = tutti::transpose(c.subs[0], undefined, present(cotangents));
  Arrays args = where(operands, undefined, false);
  append(args, where(cotangents, present(cotangents)));
  return spread(spread(tutti::apply(*t.program, args), t.nonzero), undefined);
}

}  // namespace

constinit const Home custom_vmap = [] {
  Op op = call_op("custom_vmap");
  op.jvp_together = jvp_rule_custom_vmap;
  op.split = split_rule_custom_vmap;
  op.transpose = transpose_rule_custom_vmap;
  op.batch = batch_rule_custom_vmap;
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
