// custom_vjp: forward mode replays `forward` and binds a linear map that is never computed, only transposed: then it
// replays `backward`.
#include "regions/calls.hpp"
#include "regions/custom.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

WithTangents jvp_rule_custom_vjp(const Call& c, const Arrays& primals, const Arrays& tangents) {
  auto args = static_cast<std::size_t>(c.get<CustomVjp>().args);
  check_has_rule(c);
  refuse_captured(c, args, tangents);
  const std::size_t n = c.subs[0]->outputs.size();
  Arrays out = tutti::apply(*c.subs[1], primals), in = without_first(out, n);
  append(in, without_first(primals, args));
  CustomTangent params{c.get<CustomVjp>().residuals, static_cast<int>(in.size())};
  append(in, instantiated(tangents, primals, args));
  out.resize(n);
  append(out, bind(custom_tangent, params, in, {c.subs[2]}));
  return with_tangents(out, n);
}

// As of custom_jvp: every result is mapped.
Batched batch_rule_custom_vjp(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  auto args = static_cast<std::size_t>(c.get<CustomVjp>().args);
  std::vector<ProgramPtr> subs{batch_all(c.subs[0], mapped, axis)};
  if (c.subs.size() > 1) {
    // Arguments that are not mapped have cotangents that are not: the sum over the batch.
    Flags keep;
    for (std::size_t i = 0; i < args; ++i)
      if (has_tangent(c.operands[i])) keep.push_back(mapped[i]);
    std::size_t captured = mapped.size() - args;
    Flags back(c.subs[2]->inputs.size() - captured, true);  // residuals and cotangents
    append(back, without_first(mapped, args));
    subs.push_back(batch_all(c.subs[1], mapped, axis));
    subs.push_back(batch_all(c.subs[2], back, axis, &keep));
  }
  return {bind(c.op, c.params, operands, subs), Flags(c.subs[0]->outputs.size(), true)};
}

// The inputs of `backward`: residuals, cotangents, captured arrays. Those of custom_tangent have no cotangents.
template <class T>
std::vector<T> with_cotangents(const CustomTangent& p, const std::vector<T>& operands, const std::vector<T>& given) {
  std::vector<T> in(operands.begin(), operands.begin() + p.residuals);
  append(in, given);
  in.insert(in.end(), operands.begin() + p.residuals, operands.begin() + p.kept);
  return in;
}

std::vector<Type> cotangent_types(const Call& c) {
  const auto& p = c.get<CustomTangent>();
  std::vector<Type> in = c.subs.at(0)->input_types();
  return {in.begin() + p.residuals, in.end() - (p.kept - p.residuals)};
}

Arrays transpose_tangent(const Call& c, const Arrays& cotangents, const Arrays& operands, const Flags&) {
  const auto& p = c.get<CustomTangent>();
  std::vector<Type> types = cotangent_types(c);
  Arrays given, out(static_cast<std::size_t>(p.kept));
  for (std::size_t k = 0; k < cotangents.size(); ++k)
    given.push_back(cotangents[k].has_value() ? cotangents[k] : zeros_of(types[k]));
  append(out, tutti::apply(*c.subs[0], with_cotangents(p, operands, given)));
  return out;
}

Batched batch_tangent(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  const auto& p = c.get<CustomTangent>();
  Flags results(cotangent_types(c).size(), true), keep(mapped.begin() + p.kept, mapped.end());
  ProgramPtr body = batch_all(c.subs[0], with_cotangents(p, mapped, results), axis, &keep);
  return {bind(c.op, c.params, operands, {body}), results};
}

}  // namespace

constinit const Home custom_vjp = [] {
  Op op = call_op("custom_vjp");
  op.jvp_together = jvp_rule_custom_vjp;
  op.batch = batch_rule_custom_vjp;
  return op;
};

constinit const Home custom_tangent = [] {
  Op op;
  op.name = "custom_tangent";
  op.infer = cotangent_types;
  op.own_weak = true;
  op.transpose = transpose_tangent;
  op.batch = batch_tangent;
  op.without = {{"eval", "it can be transposed and not computed"},
                {"factors", "it never comes so far"},
                {"samples", "it needs a body: tests/transform/custom_rules_test.cpp"}};
  op.not_differentiable = "it has no forward-mode derivative";
  op.refuse = [](Loc loc) {
    raise<TypeError>("custom_vjp", "a function with a reverse rule has no forward-mode derivative",
                     "Use grad, vjp or jacrev, or give a forward rule with custom_jvp.", loc);
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
