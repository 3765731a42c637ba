// Programs and shapes from outside: jit_program is walked, eval_shape computes nothing.
#include <gtest/gtest.h>

#include <sstream>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct DenseParams {
  Array w, b;
};

TEST(EvalShape, ComputesTypesOnly) {
  int calls = 0;
  auto predict = [&](const DenseParams& p, const Array& x) {
    ++calls;
    return std::pair{tanh(dot(x, p.w) + p.b), DenseParams{p.b, x.astype(int32)}};
  };
  auto [y, rest] = eval_shape(predict, DenseParams{ShapeDtypeStruct({1 << 20, 1 << 20}), ShapeDtypeStruct({1 << 20})},
                              ShapeDtypeStruct({8, 1 << 20}));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(ShapeDtypeStruct(y), ShapeDtypeStruct({8, 1 << 20}));
  EXPECT_EQ(ShapeDtypeStruct(rest.b), ShapeDtypeStruct({8, 1 << 20}, int32));
  EXPECT_EQ(ShapeDtypeStruct(rest.w).str(), "float32[1048576]");
  EXPECT_THROW(y.to_vector<float>(), TracerError);
  EXPECT_THROW(sin(y), TracerError);
  EXPECT_EQ(eval_shape(
                [](const Array& x, int n) {
                  return broadcast_to(x, {n, 3});
                },
                ones({3}), 5)
                .shape(),
            Shape({5, 3}));
  EXPECT_THROW(eval_shape([](const Array& x) { return dot(x, x); }, ShapeDtypeStruct({2, 3})), ShapeError);
}

TEST(ProgramView, HasEquationsOperandsAndLines) {
  auto f = [](const Array& start, const Array& xs) {
    return lax::scan([](const Array& c, const Array& x) { return std::pair{c + x * 2, c}; }, start, xs).first;
  };
  const ProgramView p = jit_program(f)(sum(arange(4.f)), arange(4.f));
  ASSERT_EQ(p.inputs.size(), 2u);
  EXPECT_EQ(p.inputs[1].shape, Shape({4}));
  ASSERT_EQ(p.equations.size(), 1u) << p;
  const ProgramView::Equation& loop = p.equations[0];
  EXPECT_EQ(loop.op, "scan");
  EXPECT_NE(loop.parameters.find("length=4"), std::string::npos) << loop.parameters;
  EXPECT_NE(loop.loc.str().find("shapes_test.cpp"), std::string::npos);
  EXPECT_EQ(loop.operands[1].name, p.inputs[1].name);
  ASSERT_EQ(loop.bodies.size(), 1u);
  const ProgramView::Equation& first = loop.bodies[0].equations[0];
  EXPECT_EQ(first.op, "mul");
  EXPECT_TRUE(first.operands[1].is_literal);
  std::ostringstream out;
  out << p;
  EXPECT_EQ(out.str(), p.text);
}

TEST(ProgramView, NamesTheBodiesOfLoopsAndBranches) {
  auto f = [](const Array& x) {
    return lax::while_loop([](const Array& c) { return sum(c) < 9; },
                           [](const Array& c) {
                             return lax::cond(
                                 c[0] > 1, [](const Array& v) { return v + 1; }, [](const Array& v) { return v * 3; },
                                 c);
                           },
                           x);
  };
  const std::string text = jit_program(f)(arange(3.f));
  for (const char* name : {"\n    condition\n", "\n    body\n", "branch 0\n", "branch 1\n"})
    EXPECT_NE(text.find(name), std::string::npos) << name << text;
}

TEST(CostAnalysis, CountsAllStepsOfALoop) {
  auto step = [](const Array& w, const Array& c) { return tanh(dot(c, w)); };
  auto loop = [&](const Array& w, const Array& c) {
    return lax::fori_loop(
        0, 7, [&](const Array&, const Array& c) { return step(w, c); }, c);
  };
  Array w = ones({8, 8});
  const double once = jit(step).lower(w, w).compile().cost_analysis().flops;
  EXPECT_GT(once, 8 * 8 * 8);
  EXPECT_GE(jit(loop).lower(w, w).compile().cost_analysis().flops, 7 * once);
  EXPECT_LE(jit(loop).lower(w, w).compile().cost_analysis().flops, 7 * (once + 8));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
