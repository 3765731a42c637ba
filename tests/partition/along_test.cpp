// Operations that need elements of other blocks along a cut dim: what they send, and that their values are right.
#include "partition/explain.hpp"
#include "partition/programs.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/cumulative.hpp"
#include "tutti/lax/linalg.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::testing {
namespace {

TEST(Along, RightHandSidesOfASolveAreApart) {
  Mesh mesh = grid({4}, "x");
  auto matrix = [](const Array& a) { return matmul(a, swapaxes(a, 0, 1)) + 4 * eye(a.shape()[0]); };
  for (std::int64_t sides : {8, 10}) {
    const Type a = type({6, 6}), b = type({6, sides}), turned = type({sides, 6});
    auto free = [&](const Type& b, PartitionSpec cut, const Function& f) {
      const LocalProgram local = check_placed({a, b}, {P(), cut}, mesh, f);
      EXPECT_EQ(total_bytes(local), 0) << explain(local);
    };
    free(b, P(none, "x"), [&](const Arrays& in) { return Arrays{linalg::solve(matrix(in[0]), in[1])}; });
    free(b, P(none, "x"),
         [&](const Arrays& in) { return Arrays{linalg::cho_solve(linalg::cho_factor(matrix(in[0])), in[1])}; });
    free(b, P(none, "x"), [&](const Arrays& in) {
      return Arrays{lax::linalg::triangular_solve(matrix(in[0]), in[1], {.left_side = true, .lower = true})};
    });
    free(turned, P("x"), [&](const Arrays& in) {
      return Arrays{lax::linalg::triangular_solve(matrix(in[0]), in[1], {.transpose_a = true})};
    });
    free(turned, P("x"), [&](const Arrays& in) {
      return Arrays{vmap([&](const Array& b) { return linalg::solve(matrix(in[0]), b); })(in[1])};
    });
    free(b, P(none, "x"), [&](const Arrays& in) {
      auto [x, back] = tutti::vjp([&](const Array& b) { return linalg::solve(matrix(in[0]), b); }, in[1]);
      return Arrays{std::get<0>(back(x))};
    });
  }
  // Stacks of matrices of which the right-hand sides are cut, by two axes.
  const LocalProgram stacked =
      check_placed({type({3, 4, 4}), type({3, 4, 12})}, {P(), P(none, none, axes("x", "y"))}, grid({2, 3}, {"x", "y"}),
                   [&](const Arrays& in) { return Arrays{linalg::solve(in[0] + 4 * eye(4), in[1])}; });
  EXPECT_EQ(total_bytes(stacked), 0) << explain(stacked);
}

TEST(Along, RunningProductsAndExtremaSendWhatBlocksComeTo) {
  Mesh mesh = grid({4}, "x");
  const std::vector<std::pair<Array (*)(const In&, int, bool), std::vector<DType>>> all{
      {lax::cumsum, {float32, float64, int32, bfloat16}},
      {lax::cumprod, {float32, float64, int32, complex64}},
      {lax::cummax, {float32, float64, int32, uint8, bool_, complex64}},
      {lax::cummin, {float32, float64, int32, uint8, bool_}},
      {lax::cumlogsumexp, {float32, float64, complex64}}};
  for (const auto& [running, dtypes] : all)
    for (DType dtype : dtypes)
      for (bool reverse : {false, true})
        for (std::int64_t n : {32, 30, 5}) {
          const LocalProgram local = check_placed({type({n, 5}, dtype)}, {P("x")}, mesh,
                                                  [&](const Arrays& in) { return Arrays{running(in[0], 0, reverse)}; });
          EXPECT_EQ(total_bytes(local), 3.0 * dtype.size() * 5) << explain(local);
        }
  // Along the last dim, over two axes, and beside a cut batch.
  check_placed({type({6, 22})}, {P(none, axes("x", "y"))}, grid({2, 3}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{lax::cummax(in[0], 1), lax::cumprod(in[0], 1, true), cumsum(in[0], -1)};
  });
  check_placed({type({6, 22})}, {P("y", "x")}, grid({2, 3}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{lax::cummin(in[0], 1, true), lax::cumlogsumexp(in[0], 1), lax::cumsum(in[0], 0)};
  });
}

TEST(Along, RunningExtremaOfInfinities) {
  auto special = [](const Array& x) { return where(x > 0.8f, x / 0.f, where(x < -0.8f, log(x), x)); };
  for (bool reverse : {false, true})
    check_placed({type({30, 3})}, {P("x")}, grid({4}, "x"), [&](const Arrays& in) {
      const Array x = special(in[0]), y = where(isnan(x), -log(zeros_like(x)), -x);
      return Arrays{lax::cummax(x, 0, reverse), lax::cummin(x, 0, reverse), lax::cumprod(y, 0, reverse),
                    lax::cumlogsumexp(y, 0, reverse), lax::cumlogsumexp(-y, 0, reverse)};
    });
}

TEST(Along, GradientsOfRunningOps) {
  for (std::int64_t n : {16, 10})
    check_placed({type({n, 3})}, {P("x")}, grid({4}, "x"), [](const Arrays& in) {
      auto of = [&](auto f) { return grad([&](const Array& x) { return sum(square(f(x))); })(in[0]); };
      return Arrays{of([](const Array& x) { return lax::cumsum(x, 0, true); }),
                    of([](const Array& x) { return lax::cummax(x, 0); }),
                    of([](const Array& x) { return lax::cumlogsumexp(x, 0); }),
                    of([](const Array& x) { return vmap([](const Array& y) { return lax::cumprod(y, 0); })(x.T()); })};
    });
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
