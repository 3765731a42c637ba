// custom_jvp and custom_vjp: the function and its rules are recorded when it is called, into one Eqn that holds them
// all. Forward mode replays the rule; a reverse rule becomes a linear map that is never computed, only transposed.
#include <algorithm>

#include "ops/region/calls.hpp"
#include "transform/subprogram_rules.hpp"
#include "transform/subprograms.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/transform/transform_core.hpp"

namespace tutti::detail {
namespace {

using ops::CustomJvp;
using ops::CustomTangent;
using ops::CustomVjp;

// A rule that calls its own function would be recorded for ever.
thread_local std::vector<Loc> rules_running;
class RunningRule {
 public:
  RunningRule(const char* what, Loc made) {
    if (std::find(rules_running.begin(), rules_running.end(), made) != rules_running.end())
      raise<ValueError>(what, "a rule calls the function that it is a rule of",
                        "Call the plain function in the rule, the one that was given to " + std::string(what) + ".",
                        made);
    rules_running.push_back(made);
  }
  ~RunningRule() { rules_running.pop_back(); }
  RunningRule(const RunningRule&) = delete;
};

void check_fits(const char* what, const std::string& name, const Array& given, const Type& like, Loc made) {
  std::string problem = "the rule gives " + given.type().str() + " as " + name + ", the function's is " + like.str();
  if (given.shape() != like.shape) raise<ShapeError>(what, problem, "The shapes have to be equal.", made);
  if (given.dtype() != like.dtype)
    raise<TypeError>(what, problem, "Convert it with astype(" + std::string(like.dtype.name()) + ").", made);
}
// `given` as a derivative of a value of type `like`; zeros when empty.
Array derivative(const char* what, const std::string& name, const Array& given, const Type& like, Loc made) {
  if (!given.has_value()) return zeros_of(like);
  bool number = given.weak_type() && given.ndim() == 0 && given.shape() == like.shape && !given.dtype().is_complex();
  if (!number) check_fits(what, name, given, like, made);
  return number && given.dtype() != like.dtype ? lax::convert_element_type(given, like.dtype, like.weak)
                                               : with_weak(given, like.weak);
}
void check_results(const char* what, std::vector<Array>& given, const std::vector<Type>& like, Loc made) {
  if (given.size() != like.size())
    raise<ValueError>(what,
                      "the rule gives " + std::to_string(given.size()) + " arrays as result, the function " +
                          std::to_string(like.size()),
                      "Both have to return the same tree.", made);
  for (std::size_t k = 0; k < given.size(); ++k) {
    check_fits(what, "result " + std::to_string(k), given[k], like[k], made);
    given[k] = with_weak(given[k], like[k].weak);
  }
}

std::vector<Type> types_of(const std::vector<Array>& xs) {
  std::vector<Type> out;
  for (const Array& x : xs) out.push_back(x.type());
  return out;
}
// One array per type that has a tangent, spread over the places of a tree; empty elsewhere.
std::vector<Array> at_places(const std::vector<Array>& given, const std::vector<Type>& types,
                             const std::vector<bool>& present) {
  std::vector<Array> out;
  std::size_t type = 0, next = 0;
  for (bool here : present) {
    out.emplace_back();
    if (here && has_tangent(types.at(type++))) out.back() = given.at(next++);
  }
  return out;
}
// And back: what stands at the places where there is an array with a tangent.
std::vector<Array> from_places(const char* what, const std::string& name, const std::vector<Array>& given,
                               const std::vector<Type>& types, const std::vector<bool>& present, Loc made) {
  if (given.size() != present.size())
    raise<ValueError>(what,
                      "the rule gives " + name + " with " + std::to_string(given.size()) +
                          " places for arrays instead of " + std::to_string(present.size()),
                      "Give a tree like that of the values, or empty Arrays for zero.", made);
  std::vector<Array> out;
  std::size_t type = 0;
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (!present[i]) continue;
    const Type& t = types.at(type++);
    if (has_tangent(t)) out.push_back(derivative(what, name + " " + std::to_string(type - 1), given[i], t, made));
  }
  return out;
}

// Operands that the rule does not know of.
void refuse_captured(const char* what, const Eqn& eqn, std::size_t args, const std::vector<Array>& tangents) {
  for (std::size_t i = args; i < tangents.size(); ++i)
    if (tangents[i].has_value())
      raise<ValueError>(what,
                        "an array of type " + tangents[i].type().str() +
                            " that the function captured is differentiated, and the rule does not know of it",
                        "Pass it as an argument, or stop_gradient() it.", eqn.loc);
}

std::pair<std::vector<Array>, std::vector<Array>> jvp_of_jvp(const Eqn& eqn, const std::vector<Array>& primals,
                                                             const std::vector<Array>& tangents) {
  auto args = static_cast<std::size_t>(eqn.params.get<CustomJvp>().args);
  refuse_captured("custom_jvp", eqn, args, tangents);
  std::vector<Array> in(primals.begin(), primals.begin() + static_cast<std::ptrdiff_t>(args));
  append(in, instantiated(tangents, primals, args));
  in.insert(in.end(), primals.begin() + static_cast<std::ptrdiff_t>(args), primals.end());
  std::vector<Array> out = tutti::apply(*eqn.subs[1], in);
  return {first_of(out, eqn.results.size()), spread_tangents(out, eqn.results.size())};
}

std::pair<std::vector<Array>, std::vector<Array>> jvp_of_vjp(const Eqn& eqn, const std::vector<Array>& primals,
                                                             const std::vector<Array>& tangents) {
  const auto& p = eqn.params.get<CustomVjp>();
  auto args = static_cast<std::size_t>(p.args);
  refuse_captured("custom_vjp", eqn, args, tangents);
  std::vector<Array> out = tutti::apply(*eqn.subs[1], primals);
  std::size_t n = eqn.results.size();
  std::vector<Array> in(out.begin() + static_cast<std::ptrdiff_t>(n), out.end());
  in.insert(in.end(), primals.begin() + static_cast<std::ptrdiff_t>(args), primals.end());
  CustomTangent params{p.residuals, static_cast<int>(in.size())};
  append(in, instantiated(tangents, primals, args));
  out.resize(n);
  std::vector<Array> results = bind(ops::custom_tangent, params, in, {eqn.subs[2]});
  out.insert(out.end(), results.begin(), results.end());
  return {first_of(out, n), spread_tangents(out, n)};
}

std::vector<Array> transpose_tangent(const Eqn& eqn, const std::vector<Type>&, const std::vector<Array>& cotangents,
                                     const std::vector<Array>& operands, const std::vector<bool>&) {
  const auto& p = eqn.params.get<CustomTangent>();
  std::vector<Type> types = eqn.subs[0]->input_types();
  std::vector<Array> in = first_of(operands, static_cast<std::size_t>(p.residuals));
  for (std::size_t k = 0; k < cotangents.size(); ++k)
    in.push_back(cotangents[k].has_value() ? cotangents[k]
                                           : zeros_of(types[static_cast<std::size_t>(p.residuals) + k]));
  in.insert(in.end(), operands.begin() + p.residuals, operands.begin() + p.kept);
  std::vector<Array> out(static_cast<std::size_t>(p.kept)), given = tutti::apply(*eqn.subs[0], in);
  append(out, given);
  return out;
}

// A batch of a call is a call of batched programs. All of them agree on what is mapped: every result is.
Batched batch_of_jvp(const Eqn& eqn, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  auto args = static_cast<std::size_t>(eqn.params.get<CustomJvp>().args);
  std::vector<bool> in(mapped.begin(), mapped.begin() + static_cast<std::ptrdiff_t>(args));
  for (std::size_t i = 0; i < args; ++i)
    if (has_tangent(eqn.subs[0]->input_types()[i])) in.push_back(mapped[i]);
  in.insert(in.end(), mapped.begin() + static_cast<std::ptrdiff_t>(args), mapped.end());
  return {
      bind(*eqn.op, eqn.params, operands, {batch_all(*eqn.subs[0], mapped, axis), batch_all(*eqn.subs[1], in, axis)}),
      std::vector<bool>(eqn.results.size(), true)};
}

Batched batch_of_vjp(const Eqn& eqn, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  const auto& p = eqn.params.get<CustomVjp>();
  auto args = static_cast<std::size_t>(p.args);
  std::size_t cotangents = eqn.subs[2]->inputs.size() - static_cast<std::size_t>(p.residuals) - (mapped.size() - args);
  std::vector<bool> back(static_cast<std::size_t>(p.residuals) + cotangents, true);
  back.insert(back.end(), mapped.begin() + static_cast<std::ptrdiff_t>(args), mapped.end());
  // Arguments that are not mapped have cotangents that are not: the sum over the batch.
  std::vector<bool> keep;
  for (std::size_t i = 0; i < args; ++i)
    if (has_tangent(eqn.subs[0]->input_types()[i])) keep.push_back(mapped[i]);
  return {bind(*eqn.op, eqn.params, operands,
               {batch_all(*eqn.subs[0], mapped, axis), batch_all(*eqn.subs[1], mapped, axis),
                batch_all(*eqn.subs[2], back, axis, &keep)}),
          std::vector<bool>(eqn.results.size(), true)};
}

Batched batch_of_tangent(const Eqn& eqn, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                         const BatchAxis& axis) {
  const auto& p = eqn.params.get<CustomTangent>();
  std::vector<bool> in(mapped.begin(), mapped.begin() + p.residuals), keep(mapped.begin() + p.kept, mapped.end());
  in.insert(in.end(), eqn.results.size(), true);
  in.insert(in.end(), mapped.begin() + p.residuals, mapped.begin() + p.kept);
  return {bind(*eqn.op, eqn.params, operands, {batch_all(*eqn.subs[0], in, axis, &keep)}),
          std::vector<bool>(eqn.results.size(), true)};
}

void register_rules() {
  static const bool once = [] {
    set_subprogram_rules("custom_jvp", {jvp_of_jvp, {}, {}, batch_of_jvp});
    set_subprogram_rules("custom_vjp", {jvp_of_vjp, {}, {}, batch_of_vjp});
    set_subprogram_rules("custom_tangent", {{}, {}, transpose_tangent, batch_of_tangent});
    return true;
  }();
  (void)once;
}

}  // namespace

bool being_recorded() { return innermost_trace() != nullptr; }

std::vector<Array> custom_jvp_call(const CallArrays& args, const Body& fn, const JvpRule& rule, Loc made) {
  register_rules();
  std::vector<Type> types = types_of(args.leaves), results;
  Bodies bodies("custom_jvp", made);
  bodies.add(types, [&](const std::vector<Array>& in) {
    std::vector<Array> out = fn(in).leaves;
    results = types_of(out);
    return out;
  });
  RunningRule running("custom_jvp", made);
  bodies.add(with_tangent_types(types), [&](const std::vector<Array>& in) {
    std::vector<Array> primals = first_of(in, types.size());
    RuleResult out = rule.call(
        primals, at_places({in.begin() + static_cast<std::ptrdiff_t>(types.size()), in.end()}, types, rule.present));
    check_results("custom_jvp", out.results, results, made);
    append(out.results, from_places("custom_jvp", "the tangent of result", out.tangents, results, out.present, made));
    return out.results;
  });
  return bodies.bind(ops::custom_jvp, CustomJvp{static_cast<int>(types.size())}, args.leaves);
}

std::vector<Array> custom_vjp_call(const CallArrays& args, const Body& fn, const VjpRule& rule, Loc made) {
  register_rules();
  std::vector<Type> types = types_of(args.leaves), results, residuals;
  std::vector<bool> present;
  Bodies bodies("custom_vjp", made);
  bodies.add(types, [&](const std::vector<Array>& in) {
    std::vector<Array> out = fn(in).leaves;
    results = types_of(out);
    return out;
  });
  RunningRule running("custom_vjp", made);
  bodies.add(types, [&](const std::vector<Array>& in) {
    VjpRule::Forward out = rule.forward(in);
    present = out.present;
    check_results("custom_vjp", out.results, results, made);
    residuals = types_of(out.residuals);
    append(out.results, out.residuals);
    return out.results;
  });
  std::vector<Type> back = residuals;
  for (const Type& t : results)
    if (has_tangent(t)) back.push_back(t);
  bodies.add(back, [&](const std::vector<Array>& in) {
    std::vector<Array> kept = first_of(in, residuals.size());
    std::vector<Array> out = rule.backward(
        kept, at_places({in.begin() + static_cast<std::ptrdiff_t>(residuals.size()), in.end()}, results, present));
    return from_places("custom_vjp", "the cotangent of argument", out, types, rule.present, made);
  });
  return bodies.bind(ops::custom_vjp, CustomVjp{static_cast<int>(types.size()), static_cast<int>(residuals.size())},
                     args.leaves);
}

}  // namespace tutti::detail
