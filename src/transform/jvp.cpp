// Forward mode: one walk over the Eqns that carries, with every value, its tangent (an empty array where it is zero).
#include <algorithm>
#include <optional>

#include "transform/interpret.hpp"
#include "transform/kept.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

const char* const kStop = "Use lax::stop_gradient on its operand where no derivative is meant.";

void accumulate(Array& sum, const Array& x) {
  if (!x.has_value()) return;
  sum = sum.has_value() ? lax::add(sum, x) : x;
}

// The tangent of a sum is the sum of the tangents that there are: no zeros for the others. Nothing when one of them is
// that of a scalar operand, which has to be spread.
std::optional<Array> signed_sum(const Op& op, const std::vector<Array>& tangents, const Array& result) {
  Array sum;
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    if (!tangents[i].has_value()) continue;
    if (tangents[i].shape() != result.shape()) return std::nullopt;
    if (!sum.has_value())
      sum = op.signs[i] < 0 ? lax::neg(tangents[i]) : tangents[i];
    else
      sum = op.signs[i] < 0 ? lax::sub(sum, tangents[i]) : lax::add(sum, tangents[i]);
  }
  return sum;
}

struct Dual {
  Array primal, tangent;  // the tangent is empty where it is zero
};

std::vector<Array> op_tangents(const Program& p, const Eqn& eqn, const std::vector<Array>& primals,
                               const std::vector<Array>& results, const std::vector<Array>& tangents) {
  const Op& op = *eqn.op;
  std::vector<Array> out(results.size());
  if (!op.signs.empty())
    if (std::optional<Array> sum = signed_sum(op, tangents, results[0])) return {*sum};
  std::vector<Array> rest = tangents;  // of the operands that no linear group covers
  for (const std::vector<int>& group : op.linear_sets(tangents.size())) {
    std::vector<Array> operands = primals;
    bool any = false;
    for (int i : group) {
      any = any || tangents[i].has_value();
      rest[i] = {};
    }
    if (!any) continue;
    for (int i : group) operands[i] = tangents[i].has_value() ? tangents[i] : zeros_of(primals[i].type());
    std::vector<Array> part = bind(op, eqn.params, operands, eqn.subs);
    for (std::size_t k = 0; k < part.size(); ++k)
      if (has_tangent(results[k].type())) accumulate(out[k], part[k]);
  }
  if (std::none_of(rest.begin(), rest.end(), [](const Array& t) { return t.has_value(); })) return out;
  if (!op.jvp)
    throw_unsupported(eqn,
                      "it cannot be differentiated: " +
                          (op.not_differentiable.empty() ? "it has no derivative rule" : op.not_differentiable),
                      kStop);
  std::vector<Array> part = op.jvp(call_of(p, eqn), primals, results, rest);
  for (std::size_t k = 0; k < std::min(part.size(), out.size()); ++k) accumulate(out[k], part[k]);
  return out;
}

std::vector<Dual> step(const Program& p, const Eqn& eqn, const std::vector<Dual>& operands) {
  std::vector<Array> primals, tangents;
  bool any = false;
  for (const Dual& x : operands) {
    primals.push_back(x.primal);
    tangents.push_back(x.tangent);
    any = any || x.tangent.has_value();
  }
  std::vector<Array> results, result_tangents;
  if (!any) {
    results = bind(eqn, primals);
  } else if (eqn.op->jvp_together) {
    WithTangents both = eqn.op->jvp_together(call_of(p, eqn), primals, tangents);
    results = std::move(both.results);
    result_tangents = std::move(both.tangents);
  } else {
    results = bind(eqn, primals);
    bool differentiable =
        std::any_of(results.begin(), results.end(), [](const Array& r) { return has_tangent(r.type()); });
    if (differentiable) result_tangents = op_tangents(p, eqn, primals, results, tangents);
  }
  result_tangents.resize(results.size());
  std::vector<Dual> out;
  for (std::size_t k = 0; k < results.size(); ++k) {
    out.push_back({results[k], {}});
    if (!has_tangent(results[k].type()) || !result_tangents[k].has_value()) continue;
    check_like(eqn, "jvp", result_tangents[k], results[k].type());
    out.back().tangent = result_tangents[k];
  }
  return out;
}

}  // namespace

JvpProgram jvp(const Program& program, const std::vector<bool>& differentiated, const NamedAxes& axes) {
  const Transforming running;
  Recording recording("jvp", axes);
  std::vector<Dual> inputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    inputs.push_back({recording.input(program.type(program.inputs[i]), input_name(program, i)), {}});
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    if (differentiated[i]) inputs[i].tangent = recording.input(program.type(program.inputs[i]));
  Environment<Dual> env(program, inputs, [](const Atom& a) { return Dual{literal_array(a), {}}; });
  JvpProgram out;
  std::vector<Array> outputs, tangents;
  for (const Dual& y : replay(program, env, [&](const Eqn&e, const auto&x) { return step(program, e, x); })) {
    outputs.push_back(y.primal);
    out.tangent.push_back(y.tangent.has_value());
    if (y.tangent.has_value()) tangents.push_back(with_weak(y.tangent, y.primal.weak_type()));
  }
  outputs.insert(outputs.end(), tangents.begin(), tangents.end());
  out.program = recording.close(outputs);
  return out;
}

JvpProgram jvp(const ProgramPtr& program, const std::vector<bool>& differentiated, const NamedAxes& axes) {
  return answer(&Kept::jvp, {.programs = {program}, .flags = differentiated, .axes = axes},
                [&] { return jvp(*program, differentiated, axes); });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
