#include "ir/loop_form.hpp"

namespace tutti {
namespace {

using Way = LoopForm::Way;

LoopForm form_of(const Loop& loop, std::size_t subs, std::size_t results) {
  LoopForm out;
  out.kind = loop.condition < 0 ? LoopForm::Kind::scan : LoopForm::Kind::until;
  out.length = loop.length < 0 ? 1 : loop.length;
  out.reverse = loop.reverse;
  out.body = loop.body;
  out.condition = loop.condition;
  out.bodies.resize(subs);
  LoopForm::Body& body = out.bodies[loop.body];
  body.inputs.reserve(static_cast<std::size_t>(loop.consts + loop.carries + loop.slices));
  body.outputs.reserve(results);
  auto carries = [&](LoopForm::Body& of) {
    for (int k = 0; k < loop.carries; ++k) of.inputs.push_back({loop.first_carry() + k, Way::carried, k});
  };
  for (int i = 0; i < loop.consts; ++i) body.inputs.push_back({loop.first_const() + i});
  carries(body);
  for (int i = 0; i < loop.slices; ++i) body.inputs.push_back({loop.first_slice() + i, Way::slice});
  for (int r = 0; r < static_cast<int>(results); ++r) body.outputs.push_back({r, r >= loop.carries});
  if (loop.condition < 0) return out;
  LoopForm::Body& condition = out.bodies[loop.condition];
  condition.inputs.reserve(static_cast<std::size_t>(loop.condition_consts + loop.carries));
  for (int i = 0; i < loop.condition_consts; ++i) condition.inputs.push_back({i});
  carries(condition);
  condition.outputs.push_back({});
  return out;
}

LoopForm branches(const Eqn& eqn) {
  LoopForm out;
  out.kind = LoopForm::Kind::branch;
  LoopForm::Body body;
  body.inputs.reserve(eqn.operands.size());
  body.outputs.reserve(eqn.results.size());
  for (int o = 1; o < static_cast<int>(eqn.operands.size()); ++o) body.inputs.push_back({o});
  for (int r = 0; r < static_cast<int>(eqn.results.size()); ++r) body.outputs.push_back({r});
  out.bodies.assign(eqn.subs.size(), body);
  return out;
}

}  // namespace

std::optional<LoopForm> loop_form(const Eqn& eqn) {
  if (eqn.op->role == Role::branch) return branches(eqn);
  if (eqn.op->role == Role::loop) return form_of(loop_of(eqn), eqn.subs.size(), eqn.results.size());
  return std::nullopt;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
