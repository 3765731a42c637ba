// Programs and shapes from outside: jit_program is walked, eval_shape computes nothing.
#include <gtest/gtest.h>

#include <sstream>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Params {
  Array w, b;
};

TEST(EvalShape, ComputesTypesOnly) {
  int calls = 0;
  auto predict = [&](const Params& p, const Array& x) {
    ++calls;
    return std::pair{tanh(dot(x, p.w) + p.b), Params{p.b, x.astype(int32)}};
  };
  auto [y, rest] = eval_shape(predict, Params{ShapeDtypeStruct({1 << 20, 1 << 20}), ShapeDtypeStruct({1 << 20})},
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

}  // namespace
}  // namespace tutti
