// linearize, vjp and linear_transpose of calls: linear functions with the residuals that they keep.
#include <algorithm>

#include "frontend/derivative_calls.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {

// Inputs: residuals, then those arrays given where `takes`. Outputs go where `gives`; elsewhere zeros of `types`, or
// nothing.
struct LinearFunction::State {
  ProgramPtr program;
  std::vector<Array> residuals;
  std::vector<std::optional<Type>> takes;  // per place given: its type, if it has a tangent
  std::vector<bool> used;                  // per place given: it is an input of the program
  std::vector<std::optional<Type>> types;  // per place returned
  std::vector<bool> gives;
  const char* what = "";
  Loc made;
};

std::vector<Array> LinearFunction::operator()(const std::vector<Array>& arrays, Loc loc) const {
  const State& s = *state_;
  const Loc line = loc ? loc : s.made;
  if (arrays.size() != s.takes.size())
    raise<ValueError>(s.what,
                      std::to_string(arrays.size()) + " arrays came instead of " + std::to_string(s.takes.size()),
                      tangents_advice(s.what), line);
  CallScope scope(line, Loc{"", s.what});
  std::vector<Array> inputs = s.residuals;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!s.takes[i]) continue;
    Array x = arrays[i].has_value()
                  ? fit(arrays[i], *s.takes[i], s.what,
                        (std::string(s.what) == "vjp" ? "result " : "argument ") + std::to_string(i), line)
                  : Array();
    if (s.used[i]) inputs.push_back(x.has_value() ? x : zeros_of(*s.takes[i]));
  }
  std::vector<Array> results = tutti::apply(*s.program, inputs), out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < s.types.size(); ++i)
    out.push_back(s.gives[i] ? results[next++] : s.types[i] ? zeros_of(*s.types[i]) : Array());
  return out;
}

Halves halves(const CallArrays& args, const std::vector<bool>& wanted, const Body& body, const char* what, Loc made) {
  auto leaves = differentiable(args, wanted);
  Recorded call = record_call(args, leaves, body, {what, made});
  Halves h;
  h.lin = linearize(*call.program, call.explicit_only());
  h.results = tutti::apply(*h.lin.known, call.inputs);
  h.residuals.assign(h.results.end() - h.lin.num_residuals, h.results.end());
  h.results.resize(h.results.size() - static_cast<std::size_t>(h.lin.num_residuals));
  for (const auto& l : leaves) h.in.push_back(l ? std::optional(l->type) : std::nullopt);
  for (const Type& t : call.program->output_types()) {
    h.out.push_back(has_tangent(t) ? std::optional(t) : std::nullopt);
    h.result += (h.result.empty() ? "" : ", ") + t.str();
  }
  if (h.result.empty()) h.result = "empty";
  return h;
}

namespace {

std::vector<bool> present(const std::vector<std::optional<Type>>& types) {
  std::vector<bool> out;
  for (const auto& t : types) out.push_back(t.has_value());
  return out;
}

// A value that depends on an argument may only stand where the operation is linear in it, or in several together.
void refuse_nonlinear(const Program& program, const std::vector<bool>& linear, Loc made) {
  std::vector<bool> depends(program.types.size(), false);
  for (std::size_t i = 0; i < program.inputs.size(); ++i) depends[program.inputs[i]] = linear[i];
  for (const Eqn& e : program.eqns) {
    std::vector<int> at;
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      if (!e.operands[i].is_literal() && depends[e.operands[i].id]) at.push_back(static_cast<int>(i));
    if (at.empty()) continue;
    for (ValueId r : e.results) depends[r] = true;
    const auto& sets = e.op->linear;
    const bool fits = std::any_of(sets.begin(), sets.end(), [&](const std::vector<int>& set) {
      return std::all_of(at.begin(), at.end(),
                         [&](int i) { return std::find(set.begin(), set.end(), i) != set.end(); });
    });
    if (fits || (sets.empty() && e.op->transpose)) continue;
    raise<UnsupportedError>("linear_transpose", "the function is not linear: " + e.op->name + " is not",
                            "Use vjp, which transposes the derivative.", made);
  }
}

}  // namespace

Transposed transpose_half(const Linearized& lin) {
  std::vector<bool> linear(lin.linear->inputs.size(), true);
  std::fill(linear.begin(), linear.begin() + lin.num_residuals, false);
  return transpose(*lin.linear, linear, std::vector<bool>(lin.linear->outputs.size(), true));
}

LinearizedCall linearize_call(const CallArrays& args, const Body& body, Loc made) {
  Halves h = halves(args, everything(args), body, "linearize", made);
  auto state = std::make_shared<LinearFunction::State>();
  *state = {h.lin.linear, h.residuals, h.in, present(h.in), h.out, h.lin.tangent, "linearize", made};
  return {h.results, LinearFunction(state)};
}

LinearizedCall pull_back(const CallArrays& args, const Body& body, Loc made) {
  Halves h = halves(args, everything(args), body, "vjp", made);
  Transposed back = transpose_half(h.lin);
  std::vector<bool> gives;
  std::size_t next = 0;
  for (const auto& t : h.in) gives.push_back(t && back.nonzero[next++]);
  auto state = std::make_shared<LinearFunction::State>();
  *state = {back.program, h.residuals, h.out, h.lin.tangent, h.in, gives, "vjp", made};
  return {h.results, LinearFunction(state)};
}

LinearFunction transpose_call(const CallArrays& args, const Body& body, Loc made) {
  const char* what = "linear_transpose";
  auto leaves = differentiable(args, everything(args));
  for (auto& l : leaves)
    if (l) l->known = false;  // the arguments stand for their types
  Recorded call = record_call(args, leaves, body, {what, made});
  refuse_nonlinear(*call.program, call.explicit_only(), made);
  const std::vector<Type> types = call.program->output_types();
  const Transposed back = transpose(*call.program, call.explicit_only(), std::vector<bool>(types.size(), true));
  auto state = std::make_shared<LinearFunction::State>();
  state->program = back.program;
  state->residuals.assign(call.inputs.begin() + static_cast<std::ptrdiff_t>(call.num_explicit), call.inputs.end());
  std::size_t next = 0;
  for (const auto& l : leaves) {
    state->types.push_back(l ? std::optional(l->type) : std::nullopt);
    state->gives.push_back(l && back.nonzero[next++]);
  }
  for (const Type& t : types) {
    state->takes.push_back(has_tangent(t) ? std::optional(t) : std::nullopt);
    state->used.push_back(true);
  }
  state->what = what;
  state->made = made;
  return LinearFunction(state);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
