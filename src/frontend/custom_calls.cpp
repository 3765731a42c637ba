// Calls of custom_jvp and custom_vjp. The function is recorded into one Eqn; so are its rules, now and not when a
// derivative is taken, since what they captured by reference may be gone by then, but only where a derivative can be
// taken (Trace::derivatives). Never of the function itself, one fewer of the rules: what they call in turn is recorded
// for fewer derivatives, so that functions which nest cost no more than their depth.
#include <algorithm>

#include "base/per_thread.hpp"
#include "frontend/bodies.hpp"
#include "frontend/call.hpp"
#include "regions/calls.hpp"
#include "regions/lists.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/transform/custom_vmap.hpp"

namespace tutti::detail {
namespace {

// A rule that takes the derivative of its own function would be recorded for ever.
struct RulesRunning : std::vector<const void*> {};  // of these functions, on this thread
class RunningRule {
 public:
  explicit RunningRule(const void* function) { per_thread<RulesRunning>().push_back(function); }
  ~RunningRule() { per_thread<RulesRunning>().pop_back(); }
  RunningRule(const RunningRule&) = delete;
};
void refuse_own_call(const char* what, const void* function, Loc made) {
  const auto& rules_running = per_thread<RulesRunning>();
  if (std::find(rules_running.begin(), rules_running.end(), function) != rules_running.end())
    raise<ValueError>(what, "a rule calls the function that it is a rule of",
                      "Call the plain function in the rule, the one that was given to " + std::string(what) + ".",
                      made);
}

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

}  // namespace

bool being_recorded() { return innermost_trace() != nullptr; }

std::vector<Array> custom_jvp_call(const CallArrays& args, const Body& fn, const JvpRule& rule, Loc made) {
  refuse_own_call("custom_jvp", rule.function, made);
  std::vector<Type> types = types_of(args.leaves), results;
  const ops::CustomJvp params{static_cast<int>(types.size())};
  Bodies bodies("custom_jvp", made);
  bodies.add(types, 0, [&](const std::vector<Array>& in) {
    std::vector<Array> out = fn(in).leaves;
    results = types_of(out);
    return out;
  });
  const int derivatives = derivatives_here();
  if (derivatives == 0) return bodies.bind(ops::custom_jvp, params, args.leaves);
  RunningRule running(rule.function);
  bodies.add(with_tangent_types(types), derivatives - 1, [&](const std::vector<Array>& in) {
    RuleResult out =
        rule.call(first_of(in, types.size()), at_places(without_first(in, types.size()), types, rule.present));
    check_results("custom_jvp", out.results, results, made);
    append(out.results, from_places("custom_jvp", "the tangent of result", out.tangents, results, out.present, made));
    return out.results;
  });
  return bodies.bind(ops::custom_jvp, params, args.leaves);
}

std::vector<Array> custom_vjp_call(const CallArrays& args, const Body& fn, const VjpRule& rule, Loc made) {
  refuse_own_call("custom_vjp", rule.function, made);
  std::vector<Type> types = types_of(args.leaves), results, residuals;
  std::vector<bool> present;
  ops::CustomVjp params{static_cast<int>(types.size()), 0};
  Bodies bodies("custom_vjp", made);
  bodies.add(types, 0, [&](const std::vector<Array>& in) {
    std::vector<Array> out = fn(in).leaves;
    results = types_of(out);
    return out;
  });
  const int derivatives = derivatives_here();
  if (derivatives == 0) return bodies.bind(ops::custom_vjp, params, args.leaves);
  RunningRule running(rule.function);
  bodies.add(types, derivatives - 1, [&](const std::vector<Array>& in) {
    VjpRule::Forward out = rule.forward(in);
    present = out.present;
    check_results("custom_vjp", out.results, results, made);
    residuals = types_of(out.residuals);
    append(out.results, out.residuals);
    return out.results;
  });
  params.residuals = static_cast<int>(residuals.size());
  std::vector<Type> back = residuals;
  append(back, without_first(with_tangent_types(results), results.size()));
  bodies.add(back, derivatives - 1, [&](const std::vector<Array>& in) {
    std::vector<Array> out =
        rule.backward(first_of(in, residuals.size()), at_places(without_first(in, residuals.size()), results, present));
    return from_places("custom_vjp", "the cotangent of argument", out, types, rule.present, made);
  });
  return bodies.bind(ops::custom_vjp, params, args.leaves);
}

std::vector<bool> mapped_arguments(const std::vector<int>& counts, std::int64_t size, const std::vector<bool>& mapped,
                                   std::vector<Array>& leaves) {
  std::vector<bool> out;
  std::size_t first = 0;
  for (int count : counts) {
    const std::size_t end = first + static_cast<std::size_t>(count);
    bool any = false;
    for (std::size_t i = first; i < end; ++i) any = any || mapped[i];
    for (std::size_t i = first; i < end; ++i)
      if (any && !mapped[i]) leaves[i] = lax::broadcast(leaves[i], Shape{size});
    out.push_back(any);
    first = end;
  }
  return out;
}

std::vector<Array> custom_vmap_call(const CallArrays& args, const Body& fn, MappedCall rule, Loc made) {
  const std::vector<Type> types = types_of(args.leaves);
  Bodies bodies("custom_vmap", made);
  bodies.add(types, derivatives_here(), [&](const std::vector<Array>& in) { return fn(in).leaves; });
  auto call = [rule = std::move(rule)](std::int64_t size, const std::vector<bool>& mapped,
                                       const std::vector<Array>& leaves) {
    MappedResult out = rule(size, mapped, leaves);
    return Batched{std::move(out.results), std::move(out.mapped)};
  };
  return bodies.bind(ops::custom_vmap, ops::CustomVmap{static_cast<int>(types.size()), {std::move(call), made}},
                     args.leaves);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
