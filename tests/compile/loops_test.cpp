// Plans of loops and branches: what is kept, where it lies, what is left out.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/fft/fft.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/reduce.hpp"
#include "regions/loops.hpp"

namespace tutti::test {
namespace {

using compile::Plan;
using compile::Repeat;
using Kind = compile::Storage::Kind;

const Shape kShape{64, 64};
constexpr std::int64_t kBytes = 64 * 64 * 4;

ProgramPtr shared(const Builder& b) { return std::make_shared<Program>(b.program); }

const Repeat& first_loop_of(const Plan& plan) {
  for (const compile::Step& step : plan.steps)
    if (const auto* r = std::get_if<Repeat>(&step.what)) return *r;
  throw InternalError("no loop in\n" + plan.str());
}
int calls_in(const Plan& plan) {
  int n = 0;
  for (const compile::Step& step : plan.steps) {
    n += std::holds_alternative<compile::CallEqn>(step.what);
    if (const auto* r = std::get_if<Repeat>(&step.what)) n += calls_in(*r->body);
  }
  return n;
}

// A scan over carries of one shape, and one x.
template <class Body> Builder scan(std::int64_t length, int carries, Body make) {
  Builder body, b;
  std::vector<ValueId> c;
  std::vector<Atom> operands;
  for (int i = 0; i < carries; ++i) {
    c.push_back(body.input(f32(kShape)));
    operands.push_back(b.input(f32(kShape)));
  }
  make(body, c);
  for (ValueId v : b.adds(ops::scan, ops::Scan{.length = length, .carries = carries}, operands, {shared(body)}))
    b.output(v);
  return b;
}
Plan plan_of(const Builder& b, bool donated) {
  return compile::compile(on_one_device(b.program), std::vector<bool>(b.program.inputs.size(), donated));
}

}  // namespace

TEST(LoopPlans, DoNotGrowWithTheLength) {
  auto plan = [](std::int64_t n) {
    return plan_of(scan(n, 1, [](Builder& b, auto& c) { b.output(b.add(ops::sin, {c[0]})); }), false);
  };
  const Plan few = plan(10), many = plan(1000000);
  EXPECT_EQ(few.steps.size(), many.steps.size());
  EXPECT_EQ(few.slab_bytes, many.slab_bytes);
  EXPECT_EQ(first_loop_of(few).body->str(), first_loop_of(many).body->str());
}

TEST(LoopPlans, ACarryThatIsReadWhereItIsWrittenHasOnePlace) {
  const Builder b = scan(10, 1, [](Builder& b, auto& c) { b.output(b.add(ops::sin, {c[0]})); });
  EXPECT_TRUE(first_loop_of(plan_of(b, false)).carries[0].in_place);
  EXPECT_EQ(plan_of(b, false).slab_bytes, 0);
  const Plan donated = plan_of(b, true);
  EXPECT_EQ(donated.storages[donated.outputs[0]].takes, donated.inputs[0]);
}

TEST(LoopPlans, ACarryThatIsReadElsewhereHasTwoPlaces) {
  const Builder b = scan(10, 1, [](Builder& b, auto& c) {
    b.output(b.add(ops::add, {c[0], b.add(ops::roll, ops::Roll{1, 1}, {c[0]})}));
  });
  const Plan plan = plan_of(b, false);
  EXPECT_FALSE(first_loop_of(plan).carries[0].in_place);
  EXPECT_EQ(plan.slab_bytes, kBytes);
  EXPECT_EQ(calls_in(plan), 0) << plan.str();  // the roll is read where it lies
}

// Carries twice, results, and one body's temporaries: not a copy more.
TEST(LoopPlans, CarriesThatChangePlaces) {
  const Plan plan = plan_of(scan(7, 2,
                                 [](Builder& b, auto& c) {
                                   b.output(c[1]);
                                   b.output(c[0]);
                                 }),
                            true);
  EXPECT_LE(plan.slab_bytes, kBytes) << plan.str();
}

TEST(LoopPlans, CallsOfABodyThatDoNotNeedEachOtherAreOneStage) {
  const Plan plan = plan_of(scan(5, 3,
                                 [](Builder& b, auto& c) {
                                   for (const ValueId v : c) {
                                     const auto fft = [&](lax::FftType type, ValueId x) {
                                       return b.add(ops::fft, Params(ops::Fft{type, kShape}), {x});
                                     };
                                     b.output(fft(lax::FftType::irfft, fft(lax::FftType::rfft, v)));
                                   }
                                 }),
                            false);
  EXPECT_EQ(first_loop_of(plan).body->stages.size(), 2u) << plan.str();
}

TEST(LoopPlans, WhatNobodyReadsIsNotMade) {
  Builder b = scan(5, 2, [](Builder& b, auto& c) {
    b.output(b.add(ops::sin, {c[0]}));
    b.output(b.add(ops::tanh, {c[1]}));
    b.output(b.add(ops::cos, {c[0]}));  // ys
  });
  b.program.outputs.resize(1);
  const Plan plan = plan_of(b, false);
  EXPECT_EQ(first_loop_of(plan).carries.size(), 1u);
  EXPECT_EQ(first_loop_of(plan).results.size(), 1u);
  EXPECT_EQ(first_loop_of(plan).body->steps.size(), 1u) << plan.str();
}

TEST(LoopPlans, ACarryThatNoStepChangesIsNotCarried) {
  const Plan plan = plan_of(scan(5, 2,
                                 [](Builder& b, auto& c) {
                                   b.output(c[0]);
                                   b.output(b.add(ops::add, {c[0], c[1]}));
                                 }),
                            false);
  EXPECT_EQ(first_loop_of(plan).carries.size(), 1u);
  EXPECT_EQ(first_loop_of(plan).passed.size(), 1u);
  EXPECT_EQ(first_loop_of(plan).body->steps.size(), 1u) << plan.str();
}

TEST(LoopPlans, VerifyLooksInside) {
  Plan plan = plan_of(scan(5, 1, [](Builder& b, auto& c) { b.output(b.add(ops::sin, {c[0]})); }), false);
  compile::verify(plan);
  for (compile::Step& step : plan.steps)
    if (auto* r = std::get_if<Repeat>(&step.what)) {
      Plan broken = *r->body;
      broken.outputs[0] = broken.inputs[0];
      r->body = std::make_shared<Plan>(broken);
    }
  EXPECT_THROW(compile::verify(plan), InternalError);
}

// A stencil is one pass: rolls, borders and joined arrays are read where they lie, box by box.
TEST(PartPlans, AStencilMakesNoCopy) {
  Builder b;
  const ValueId u = b.input(f32(kShape));
  auto roll = [&](int dim, std::int64_t by) { return b.add(ops::roll, ops::Roll{dim, by}, {u}); };
  const ValueId both =
      b.add(ops::add, {b.add(ops::add, {roll(0, 1), roll(0, 63)}), b.add(ops::add, {roll(1, 1), roll(1, 63)})});
  b.output(b.add(ops::sub, {both, u}));
  const Plan plan = plan_of(b, false);
  EXPECT_EQ(calls_in(plan), 0);
  EXPECT_EQ(plan.slab_bytes, 0) << plan.str();
  EXPECT_EQ(plan.steps.size(), 9u) << plan.str();
}

TEST(PartPlans, PartsOfPartsAreReadAtOnce) {
  Builder b;
  const ValueId x = b.input(f32({30, 20})), y = b.input(f32({30, 20}));
  const ValueId joined = b.add(ops::concatenate, ops::Concatenate{0}, {x, y});
  const ValueId turned = b.add(ops::roll, ops::Roll{0, 7}, {joined});
  const ValueId border = b.add(ops::pad, ops::Pad{{{1, 2, 0}, {0, 3, 0}}}, {turned, Atom(Scalar(2.f), false)});
  b.output(b.add(ops::sin, {border}));
  const Plan plan = plan_of(b, false);
  EXPECT_EQ(calls_in(plan), 0);
  EXPECT_EQ(plan.slab_bytes, 0) << plan.str();
  std::mt19937 random(3);
  const std::vector<BufferPtr> in{random_buffer(f32({30, 20}), -2, 2, random),
                                  random_buffer(f32({30, 20}), -2, 2, random)};
  const auto want = backend("reference").compile(on_one_device(b.program))->run(in),
             got = backend("cpu").compile(on_one_device(b.program))->run(in);
  EXPECT_EQ(difference(b.program.type(b.program.outputs[0]), on_host(got[0]).data(), on_host(want[0]).data(), 0), "");
}

// y' = y + f(y) with f(y) = stack(y1, sin y0), of which only component 0 is asked after two steps.
TEST(PartPlans, StacksOfALoopAreTakenApart) {
  Builder body;
  const Shape pairs{100, 2};
  const ValueId y = body.input(f32(pairs));
  auto component = [&](ValueId v, std::int64_t k) {
    return body.add(ops::slice, ops::SliceParams{{0, k}, {100, k + 1}, {1, 1}}, {v});
  };
  auto f = [&](ValueId v) {
    return body.add(ops::concatenate, ops::Concatenate{1}, {component(v, 1), body.add(ops::sin, {component(v, 0)})});
  };
  const ValueId once = body.add(ops::add, {y, f(y)}), twice = body.add(ops::add, {once, f(once)});
  body.output(y);
  body.output(component(twice, 0));
  Builder b;
  const ValueId start = b.input(f32(pairs));
  b.output(b.adds(ops::scan, ops::Scan{.length = 3, .carries = 1}, {start}, {shared(body)})[1]);
  const Plan plan = plan_of(b, false);
  EXPECT_EQ(first_loop_of(plan).body->steps.size(), 1u) << plan.str();  // one loop over the rows, no stack anywhere
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
