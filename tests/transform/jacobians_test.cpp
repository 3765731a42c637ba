// Jacobians, Hessians and linear maps: arguments by number, trees on both sides, results that carry more.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using F = std::vector<float>;
F floats(const Array& x) { return x.astype(float32).to_vector<float>(); }

struct StraightLine {
  Array slope, offset;
};
Array at(const StraightLine& line, const Array& x) { return line.slope * x + line.offset; }

TEST(Jacobians, ByArgumentsWithNumbers) {
  auto f = [](const Array& a, const Array& x, const Array& b) { return a * square(x) + b; };
  const Array a = array({1.f, 2.f}), x = array({3.f, 4.f}), b = array({5.f, 6.f});
  for (int reverse : {0, 1}) {
    const auto by_x = reverse ? jacrev<1>(f)(a, x, b) : jacfwd<1>(f)(a, x, b);
    EXPECT_EQ(floats(by_x), F({6, 0, 0, 16}));
    const auto [by_a, by_b] = reverse ? jacrev<0, 2>(f)(a, x, b) : jacfwd<0, 2>(f)(a, x, b);
    EXPECT_EQ(floats(by_a), F({9, 0, 0, 16}));
    EXPECT_EQ(floats(by_b), F({1, 0, 0, 1}));
  }
  EXPECT_EQ(floats(jit(jacfwd<1>(f))(a, x, b)), F({6, 0, 0, 16}));
}

TEST(Jacobians, OfTreesByTrees) {
  const StraightLine line{array({2.f, 3.f}), array({1.f, 1.f})};
  const StraightLine by_line = jacrev(at)(line, array({5.f, 7.f}));
  EXPECT_EQ(floats(by_line.slope), F({5, 0, 0, 7}));
  EXPECT_EQ(floats(by_line.offset), F({1, 0, 0, 1}));
  // A pair of results, each by a struct.
  auto two = [](const StraightLine& l, const Array& x) { return std::pair{at(l, x), sum(l.slope * x)}; };
  const auto [first, second] = jacfwd(two)(line, array({5.f, 7.f}));
  EXPECT_EQ(floats(first.slope), F({5, 0, 0, 7}));
  EXPECT_EQ(floats(second.slope), F({5, 7}));
  EXPECT_EQ(floats(second.offset), F({0, 0}));
  // A struct of results by an array.
  auto parts = [](const Array& x) { return StraightLine{2 * x, square(x)}; };
  const StraightLine by_x = jacrev(parts)(array({1.f, 2.f}));
  EXPECT_EQ(floats(by_x.offset), F({2, 0, 0, 4}));
}

TEST(Jacobians, CarryMoreAlong) {
  auto f = [](const Array& x) { return std::pair{square(x), StraightLine{x.astype(int32), x}}; };
  const Array x = array({2.f, 3.f});
  const auto [forward, more] = jacfwd(has_aux, f)(x);
  EXPECT_EQ(floats(forward), F({4, 0, 0, 6}));
  EXPECT_EQ(more.slope.dtype(), int32);
  EXPECT_EQ(floats(more.offset), F({2, 3}));
  const auto [backward, again] = jacrev<0>(has_aux, f)(x);
  EXPECT_EQ(floats(backward), F({4, 0, 0, 6}));
  auto cube = [](const Array& v) { return std::pair{sum(v * v * v), v}; };
  const auto [h, kept] = hessian(has_aux, cube)(x);
  EXPECT_EQ(floats(h), F({12, 0, 0, 18}));
  EXPECT_EQ(floats(kept), F({2, 3}));
}

TEST(Jacobians, HessiansByTwoArguments) {
  auto f = [](const Array& x, const Array& y) { return sum(x * x * y); };
  const auto [xx_xy, yx_yy] = hessian<0, 1>(f)(array(3.f), array(5.f));
  EXPECT_EQ(floats(std::get<0>(xx_xy)), F({10}));
  EXPECT_EQ(floats(std::get<1>(xx_xy)), F({6}));
  EXPECT_EQ(floats(std::get<0>(yx_yy)), F({6}));
  EXPECT_EQ(floats(std::get<1>(yx_yy)), F({0}));
}

TEST(Jacobians, ComplexOnesAreAskedFor) {
  const Array z = lax::complex(array({1.f, 0.f}), array({0.f, 2.f}));
  auto f = [](const Array& v) { return v * v; };
  EXPECT_THROW(jacfwd(f)(z), TypeError);
  EXPECT_THROW(jacrev(f)(z), TypeError);
  EXPECT_THROW(jacfwd(f, {.holomorphic = true})(array({1.f})), TypeError);
  for (const Array& j : {jacfwd(f, {.holomorphic = true})(z), jacrev(f, {.holomorphic = true})(z)}) {
    EXPECT_EQ(floats(real(j)), F({2, 0, 0, 0}));
    EXPECT_EQ(floats(imag(j)), F({0, 0, 0, 4}));
  }
  EXPECT_THROW(jacfwd([](const Array& v) { return v.astype(int32); })(array({1.f})), TypeError);
  EXPECT_THROW(jacfwd([](const Array& v) { return v; })(array({1})), TypeError);
}

TEST(LinearMaps, CarryMoreAlong) {
  auto f = [](const Array& x, const Array& y) { return std::pair{x * y, std::tuple{x + y, 7}}; };
  const auto [value, tangent, more] =
      jvp(has_aux, f, std::tuple{array({2.f}), array({3.f})}, std::tuple{array({1.f}), array({0.f})});
  EXPECT_EQ(floats(value), F({6}));
  EXPECT_EQ(floats(tangent), F({3}));
  EXPECT_EQ(std::get<1>(more), 7);
  const auto [y, pullback, rest] = vjp(has_aux, f, array({2.f}), array({3.f}));
  EXPECT_EQ(floats(std::get<0>(rest)), F({5}));
  const auto [dx, dy] = pullback(array({10.f}));
  EXPECT_EQ(floats(dx), F({30}));
  EXPECT_EQ(floats(dy), F({20}));
}

TEST(LinearMaps, ATransposeIsTheAdjoint) {
  const Array m = reshape(arange(6.f), {2, 3});
  auto f = [&](const Array& x) { return matmul(m, x); };
  const auto [back] = linear_transpose(f, zeros({3}))(array({1.f, 10.f}));
  EXPECT_EQ(floats(back), F({30, 41, 52}));
  auto two = [](const Array& x, const Array& y) { return std::pair{x + 2 * y, cumsum(y)}; };
  const auto [dx, dy] = linear_transpose(two, zeros({2}), zeros({2}))(std::pair{array({1.f, 2.f}), array({3.f, 4.f})});
  EXPECT_EQ(floats(dx), F({1, 2}));
  EXPECT_EQ(floats(dy), F({9, 8}));
  EXPECT_THROW(linear_transpose([](const Array& x) { return sin(x); }, zeros({2})), UnsupportedError);
  EXPECT_THROW(linear_transpose([](const Array& x) { return x * x; }, zeros({2})), UnsupportedError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
