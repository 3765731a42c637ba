// What moves out of loops: the plans show it, and numbers that are whole, so that no order of additions rounds, stay.
#include <gtest/gtest.h>

#include "backend/cpu/loop_rows.hpp"
#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/reduce.hpp"
#include "regions/loops.hpp"

namespace tutti::test {
namespace {

using compile::Plan;
using compile::Repeat;

constexpr std::int64_t kSteps = 6;

ProgramPtr program(const Builder& b) { return std::make_shared<Program>(b.program); }
ops::DotGeneral product(lax::Dims lhs, lax::Dims rhs) { return {{lhs, rhs, {}, {}}, {}}; }

Plan plan_of(const Builder& b) { return compile::compile(on_one_device(b.program), {}); }
const Repeat& loop_of(const Plan& plan) {
  for (const compile::Step& step : plan.steps)
    if (const auto* r = std::get_if<Repeat>(&step.what)) return *r;
  throw InternalError("no loop in\n" + plan.str());
}
int products_in(const Plan& plan) {
  int n = 0;
  for (const compile::Step& step : plan.steps) n += std::holds_alternative<compile::Dot>(step.what);
  return n;
}

// Small whole numbers: every sum of them is exact.
void expect_equal(const Builder& b) {
  const Program& p = b.program;
  verify(compile::across_steps(compile::hoist(p)));
  std::mt19937 random(5);
  std::vector<BufferPtr> inputs;
  for (const Type& t : p.input_types()) {
    inputs.push_back(allocate_buffer(static_cast<std::size_t>(t.nbytes())));
    for (std::int64_t i = 0; i < t.num_elements(); ++i)
      static_cast<float*>(on_host(inputs.back()).data())[i] = static_cast<float>(static_cast<int>(random() % 5) - 2);
  }
  const auto want = backend("reference").compile(on_one_device(p))->run(inputs);
  const auto got = backend("cpu").compile(on_one_device(p))->run(inputs);
  for (std::size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(difference(p.type(p.outputs[k]), on_host(got[k]).data(), on_host(want[k]).data(), 0), "")
        << "output " << k;
}

// A scan: operands and inputs of the body by shape, in the order consts, carries, slices.
template <class Body>
Builder scan(const std::vector<Shape>& consts, const std::vector<Shape>& carries, const std::vector<Shape>& slices,
             bool reverse, Body make) {
  Builder body, b;
  std::vector<ValueId> in;
  std::vector<Atom> operands;
  for (const auto* list : {&consts, &carries, &slices})
    for (const Shape& s : *list) {
      in.push_back(body.input(f32(s)));
      Shape outside = s;
      if (list == &slices) outside.insert(0, kSteps);
      operands.push_back(b.input(f32(outside)));
    }
  make(body, in);
  const ops::Scan params{.length = kSteps,
                         .consts = static_cast<int>(consts.size()),
                         .carries = static_cast<int>(carries.size()),
                         .reverse = reverse};
  for (ValueId v : b.adds(ops::scan, params, operands, {program(body)})) b.output(v);
  return b;
}

}  // namespace

TEST(LoopMotion, WhatNoStepChangesIsComputedBefore) {
  const Builder b = scan({{8, 8}}, {{8, 8}}, {}, false, [](Builder& b, auto& in) {
    const ValueId w = b.add(ops::tanh, {b.add(ops::mul, {in[0], in[0]})});
    b.output(b.add(ops::max, {in[1], w}));
  });
  const Plan plan = plan_of(b);
  const Repeat& loop = loop_of(plan);
  EXPECT_EQ(loop.body->steps.size(), 1u) << plan.str();
  EXPECT_LT(std::get<compile::Loop>(loop.body->steps[0].what).body.insts.size(), 5u) << plan.str();
}

// It would take more memory than what it is made of, and costs little.
TEST(LoopMotion, WhatIsQuicklyMadeOfLittleStays) {
  const Builder b = scan({{}}, {{64, 64}}, {}, false, [](Builder& b, auto& in) {
    const ValueId all = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{64, 64}, {}}, {in[0]});
    b.output(b.add(ops::max, {in[1], b.add(ops::mul, {all, all})}));
  });
  const Plan plan = plan_of(b);
  EXPECT_EQ(plan.steps.size(), 1u) << plan.str();
  expect_equal(b);
}

TEST(LoopMotion, TheConditionOfAWhile) {
  Builder body, condition, b;
  body.output(body.add(ops::add, {body.input(f32({})), Atom(Scalar(1.f), false)}));
  const ValueId limits = condition.input(f32({500})), x = condition.input(f32({}));
  const ValueId most = condition.add(ops::reduce_max, ops::Reduction{{0}}, {limits});
  condition.output(condition.add(ops::lt, {x, most}));
  const std::vector<Atom> operands{b.input(f32({500})), b.input(f32({}))};
  b.output(b.adds(ops::while_loop, ops::While{.cond_consts = 1}, operands, {program(condition), program(body)})[0]);
  const Plan plan = plan_of(b);
  EXPECT_EQ(loop_of(plan).condition->steps.size(), 1u) << plan.str();
  expect_equal(b);
}

TEST(LoopMotion, ProductsOfSlicesAreOneProduct) {
  for (bool turned : {false, true}) {
    const Builder b = scan({{5, 7}}, {{3, 7}}, {{3, 5}}, true, [&](Builder& b, auto& in) {
      ValueId y = turned ? b.add(ops::dot_general, product({0}, {1}), {in[0], in[2]})
                         : b.add(ops::dot_general, product({1}, {0}), {in[2], in[0]});
      if (turned)
        b.output(b.add(ops::max, {in[1], b.add(ops::dot_general, product({1}, {0}), {in[2], in[0]})}));
      else
        b.output(b.add(ops::max, {in[1], y}));
      b.output(b.add(ops::mul, {y, y}));
    });
    const Plan plan = plan_of(b);
    EXPECT_EQ(products_in(*loop_of(plan).body), 0) << plan.str();
    expect_equal(b);
  }
}

TEST(LoopMotion, ProductsThatAreOnlyStackedAreOneProduct) {
  for (bool turned : {false, true}) {
    const Builder b = scan({{7, 4}}, {{3, 7}}, {}, turned, [&](Builder& b, auto& in) {
      const ValueId next = b.add(ops::max, {in[1], b.add(ops::mul, {in[1], Atom(Scalar(-1.f), false)})});
      b.output(next);
      b.output(turned ? b.add(ops::dot_general, product({0}, {1}), {in[0], next})
                      : b.add(ops::dot_general, product({1}, {0}), {next, in[0]}));
    });
    const Plan plan = plan_of(b);
    EXPECT_EQ(products_in(*loop_of(plan).body), 0) << plan.str();
    EXPECT_EQ(products_in(plan), 1) << plan.str();
    expect_equal(b);
  }
}

// The gradient of a weight that all steps share.
TEST(LoopMotion, ProductsThatAreAddedUpAreOneProduct) {
  const Builder b = scan({}, {{5, 7}, {3, 7}}, {{3, 5}}, true, [](Builder& b, auto& in) {
    const ValueId next = b.add(ops::max, {in[1], b.add(ops::mul, {in[1], Atom(Scalar(-1.f), false)})});
    b.output(b.add(ops::add, {in[0], b.add(ops::dot_general, product({0}, {0}), {in[2], next})}));
    b.output(next);
  });
  const Plan plan = plan_of(b);
  EXPECT_EQ(products_in(*loop_of(plan).body), 0) << plan.str();
  EXPECT_EQ(products_in(plan), 1) << plan.str();
  expect_equal(b);
}

// A sum over rows of which every step needs its own only: the loop runs by rows, and the sum is taken behind it.
TEST(LoopMotion, SumsThatAreAddedUpAreTakenOnce) {
  const Builder b = scan({{}}, {{}, {512}}, {{512}}, false, [](Builder& b, auto& in) {
    const ValueId x = b.add(ops::mul, {in[2], in[3]});
    auto sum = [&](ValueId v) { return b.add(ops::mul, {b.add(ops::reduce_sum, ops::Reduction{{0}}, {v}), in[0]}); };
    b.output(b.add(ops::add, {b.add(ops::add, {sum(x), sum(in[3])}), in[1]}));
    b.output(b.add(ops::max, {in[2], in[3]}));
  });
  const Plan plan = plan_of(b);
  EXPECT_TRUE(cpu::rows_of(loop_of(plan)).has_value()) << plan.str();
  expect_equal(b);
}

// Somebody looks at the sum, so it has to be there.
TEST(LoopMotion, SumsThatAreReadStay) {
  const Builder b = scan({}, {{}}, {{64}}, false, [](Builder& b, auto& in) {
    b.output(b.add(ops::add, {in[0], b.add(ops::reduce_sum, ops::Reduction{{0}}, {in[1]})}));
    b.output(in[0]);
  });
  EXPECT_EQ(loop_of(plan_of(b)).body->steps.size(), 3u) << plan_of(b).str();
  expect_equal(b);
}

// What a wrapping roll cuts off runs with the rows that it belongs to, not in stages of its own.
TEST(LoopMotion, TheEndsOfAStencilsRowsRunWithThem) {
  const Builder b = scan({}, {{300, 300}}, {}, false, [](Builder& b, auto& in) {
    ValueId sum = in[0];
    for (int dim : {0, 1}) sum = b.add(ops::max, {sum, b.add(ops::roll, ops::Roll{dim, 1}, {in[0]})});
    b.output(sum);
  });
  const Plan plan = plan_of(b);
  int by_rows = 0;
  for (const compile::Stage& s : loop_of(plan).body->stages) by_rows += s.rows == 299 && s.steps.size() >= 2;
  EXPECT_EQ(by_rows, 1) << plan.str();
  expect_equal(b);
}

// An escape-time fractal written with stacks of large planes: loops of the body may hand each other several MiB, but
// all steps of a few points can run before those of the next ones.
TEST(LoopMotion, StacksOfLargePlanesGoByRows) {
  const std::int64_t n = 1 << 20;
  const Builder b = scan({{2, n}}, {{2, n}}, {}, false, [&](Builder& b, auto& in) {
    auto plane = [&](ValueId v, std::int64_t k) {
      return b.add(ops::slice, ops::SliceParams{{k, 0}, {k + 1, n}, {1, 1}}, {v});
    };
    const ValueId x = plane(in[1], 0), y = plane(in[1], 1);
    const ValueId re = b.add(ops::add, {b.add(ops::mul, {x, x}), plane(in[0], 0)}),
                  im = b.add(ops::add, {b.add(ops::mul, {x, y}), plane(in[0], 1)});
    const ValueId z = b.add(ops::concatenate, ops::Concatenate{0}, {re, im});
    const ValueId size = b.add(ops::reduce_sum, ops::Reduction{{0}}, {b.add(ops::mul, {z, z})});
    const ValueId wide = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{2, n}, {1}}, {size});
    b.output(b.add(ops::min, {z, wide}));
  });
  const Plan plan = plan_of(b);
  EXPECT_TRUE(cpu::rows_of(loop_of(plan)).has_value()) << plan.str();
}

// Columns 2, 3 and 4 elements apart, of each width of element.
TEST(LoopMotion, ElementsThatAreFewApart) {
  for (std::int64_t apart : {2, 3, 4, 5})
    for (std::int64_t rows : {1, 15, 16, 17, 100, 1000}) {
      const Builder b = scan({}, {{rows, apart}}, {{rows}}, false, [&](Builder& b, auto& in) {
        const ValueId wide = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{rows, apart}, {0}}, {in[1]});
        const ValueId most = b.add(ops::reduce_max, ops::Reduction{{1}}, {in[0]});
        b.output(b.add(ops::max, {wide, b.add(ops::roll, ops::Roll{1, 1}, {in[0]})}));
        b.output(most);
      });
      expect_equal(b);
    }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
