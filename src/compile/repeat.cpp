#include "compile/repeat.hpp"

#include <algorithm>

#include "compile/live.hpp"
#include "compile/passes.hpp"
#include "compile/place.hpp"

namespace tutti::compile {
namespace {

PlanPtr planned(const Program& program, const std::vector<int>& own) {
  return std::make_shared<Plan>(plan_within(program, own));
}

// The output that a storage of the plan is, or -1: outputs have storages of their own here.
bool lies_in_input(const Plan& plan, std::size_t output) { return plan.storages[plan.outputs[output]].takes >= 0; }

}  // namespace

std::int64_t plan_repeat(const Looping& l, Repeat& r) {
  const std::size_t carries = l.carries.size();
  std::vector<int> own(l.body.outputs.size(), -1);
  for (std::size_t c = 0; c < carries; ++c) own[c] = static_cast<int>(l.consts.size() + c);
  r.body = planned(l.body, own);
  r.length = l.length;
  r.reverse = l.reverse;
  r.condition_consts = static_cast<int>(l.condition_consts.size());
  r.consts = static_cast<int>(l.consts.size());
  std::int64_t bytes = 0;
  auto room = [&](std::int64_t n) {
    const std::int64_t at = bytes;
    bytes += aligned(n);
    return at;
  };
  for (std::size_t c = 0; c < carries; ++c) {
    Repeat::Carry carry;
    carry.bytes = r.body->storages[r.body->outputs[c]].bytes;
    carry.in_place = lies_in_input(*r.body, c);
    if (!carry.in_place) carry.slot = room(carry.bytes);
    r.carries.push_back(carry);
  }
  r.body_slab = room(r.body->slab_bytes);
  if (!l.condition) return bytes;
  r.condition = planned(*l.condition, {-1});
  r.condition_slab = room(r.condition->slab_bytes);
  r.held = room(1);
  return bytes;
}

std::int64_t plan_branch(const std::vector<ProgramPtr>& branches, Branch& b) {
  std::int64_t bytes = 0;
  for (const ProgramPtr& p : branches) {
    b.branches.push_back(planned(live(*p), {}));
    bytes = std::max(bytes, b.branches.back()->slab_bytes);
  }
  return bytes;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
