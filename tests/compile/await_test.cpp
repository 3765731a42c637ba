// Collectives of a plan: awaited where their results are used, their memory kept until then.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/collective/collective.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/trigonometric.hpp"

namespace tutti::test {
namespace {

Params product() {
  ops::DotGeneral d;
  d.dims.lhs_contract = {1};
  d.dims.rhs_contract = {0};
  return d;
}

int stage_of_sum(const compile::Plan& plan) {
  for (std::size_t k = 0; k < plan.stages.size(); ++k)
    if (compile::is_sending(plan.steps[plan.stages[k].steps[0]])) return static_cast<int>(k);
  return -1;
}

}  // namespace

TEST(await, behind_what_does_not_need_it) {
  Builder b;
  const Atom x = b.input(f32({64, 64})), y = b.input(f32({64, 64}));
  const Atom mine = b.add(ops::dot_general, product(), {x, y});
  const Atom sum = b.add(ops::psum, Group{{"x"}, {2}}, {mine});
  Atom other = y;  // as large as `mine`, and made and read meanwhile
  for (int i = 0; i < 4; ++i) other = b.add(ops::dot_general, product(), {other, x});
  b.output(b.add(ops::dot_general, product(), {other, sum}));
  const compile::Plan plan = compile::compile(on_one_device(b.program), {});
  const int started = stage_of_sum(plan), last = static_cast<int>(plan.stages.size()) - 1;
  ASSERT_GE(started, 0);
  ASSERT_LT(started, last - 3) << plan.str();
  for (int k = 0; k < last; ++k) EXPECT_TRUE(plan.stages[k].awaits.empty()) << plan.str();
  EXPECT_EQ(plan.stages[last].awaits, plan.stages[started].steps);
  const auto& call = std::get<compile::CallEqn>(plan.steps[plan.stages[started].steps[0]].what);
  EXPECT_EQ(plan.storages[call.operands[0]].last, last - 1) << "what travels is not written over\n" << plan.str();
  verify(plan);
}

TEST(await, an_output_at_the_end) {
  Builder b;
  const Atom x = b.input(f32({64, 64}));
  const Atom mine = b.add(ops::sin, {x});
  b.output(b.add(ops::psum, Group{{"x"}, {2}}, {mine}));
  b.output(b.add(ops::dot_general, product(), {x, x}));
  const compile::Plan plan = compile::compile(on_one_device(b.program), {});
  const int started = stage_of_sum(plan);
  for (const compile::Stage& s : plan.stages) EXPECT_TRUE(s.awaits.empty());
  const auto& call = std::get<compile::CallEqn>(plan.steps[plan.stages[started].steps[0]].what);
  EXPECT_EQ(plan.storages[call.operands[0]].last, static_cast<int>(plan.stages.size()) - 1);
}

// Of a program cut to this process: whether a result is read depends on the process, that it is sent does not.
TEST(await, what_nobody_reads_is_sent) {
  Builder b;
  const Atom x = b.input(f32({64, 64}));
  (void)b.add(ops::psum, Group{{"x"}, {2}}, {b.add(ops::sin, {x})});
  b.output(b.add(ops::dot_general, product(), {x, x}));
  const compile::Plan plan = compile::compile(on_one_device(b.program), {});
  EXPECT_GE(stage_of_sum(plan), 0) << plan.str();
  verify(plan);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
