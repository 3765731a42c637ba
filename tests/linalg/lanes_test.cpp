// Small matrices side by side: whole groups and rests, what comes out of one alone, and what pivots do not see.
#include <limits>

#include "linalg/random_matrices.hpp"

namespace tutti::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

template <class F> void for_each_size(F f) {
  WithX64 doubles;
  for (DType dtype : {float32, float64})
    for (std::int64_t count : {1, 7, 16, 37})
      for (std::int64_t n : {1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 33}) f(dtype, count, n);
}
Array only(const Array& x, std::int64_t k) { return x(slice(k, k + 1)); }

TEST(SideBySide, FactorsMultiplyBack) {
  for_each_size([](DType dtype, std::int64_t count, std::int64_t n) {
    for (std::int64_t m : {n, n + 1, std::int64_t{1}}) {
      const Array a = random_matrices({count, m, n}, dtype, static_cast<unsigned>(n));
      const auto [p, l, u] = linalg::lu(a);
      expect_near(matmul(p, matmul(l, u)), a);
      EXPECT_LE(largest(l), 1);
    }
    const Array a = positive_matrices({count, n, n}, dtype), l = linalg::cholesky(a);
    expect_near(matmul(l, turned(l)), a);
    expect_same(triu(l, 1), zeros_like(l));
  });
}

TEST(SideBySide, SolutionsMultiplyBack) {
  for_each_size([](DType dtype, std::int64_t count, std::int64_t n) {
    const Array a = random_matrices({count, n, n}, dtype) + 3 * eye(n, dtype);
    for (std::int64_t cols : {1, 5, 33}) {
      const Array b = random_matrices({count, n, cols}, dtype, 5);
      expect_near(matmul(a, linalg::solve(a, b)), b, 50 * digits_of(dtype));
      for (bool left : {true, false})
        for (bool lower : {true, false})
          for (bool transpose : {true, false})
            for (bool unit : {true, false}) {
              const Array side = left ? b : swapaxes(b, -1, -2);
              const Array x = lax::linalg::triangular_solve(
                  a, side, {.left_side = left, .lower = lower, .transpose_a = transpose, .unit_diagonal = unit});
              Array t = lower ? tril(a, unit ? -1 : 0) : triu(a, unit ? 1 : 0);
              if (unit) t = t + eye(n, dtype);
              if (transpose) t = swapaxes(t, -1, -2);
              const Array product = left ? matmul(t, x) : matmul(x, t);
              const double size = 1 + largest(x) * largest(t);
              EXPECT_LE(largest(product - side), 20 * digits_of(dtype) * size) << n;
            }
    }
  });
}

// Where nobody else reads the factors, systems are solved in one go: with the bits of factors and two triangular
// solves.
TEST(SideBySide, SystemsSolvedInOneGoHaveTheBitsOfTheirFactors) {
  for_each_size([](DType dtype, std::int64_t count, std::int64_t n) {
    auto expect_bits = [dtype](const Array& got, const Array& want) {
      const DType word = dtype == float32 ? int32 : int64;
      expect_same(lax::bitcast_convert_type(got, word), lax::bitcast_convert_type(want, word));
    };
    for (std::int64_t cols : {1, 3, 8}) {
      Array a = random_matrices({count, n, n}, dtype), b = random_matrices({count, n, cols}, dtype, 5);
      auto solve = jit([](const Array& x, const Array& y) { return linalg::solve(x, y); });
      auto both = jit([](const Array& x, const Array& y) {
        const auto factors = lax::linalg::lu(x);
        return std::tuple(lax::linalg::solve(x, factors, y), factors.lu);
      });
      expect_bits(solve(a, b), std::get<0>(both(a, b)));
      const bool takes = n <= 16 || (n <= 32 && count >= (dtype == float32 ? 16 : 8));
      EXPECT_EQ(solve.lower(a, b).compile().plan().find("call direct_solve") != std::string::npos, takes) << n;
      // Equal pivots, zero pivots and what is no number.
      a = a.at(0).set(1).at(-1, 0).set(0);
      expect_bits(solve(a, b), std::get<0>(both(a, b)));
      a = a.at(0, 0, 0).set(kNan).at(-1, -1, 0).set(kInf);
      expect_bits(solve(a, b), std::get<0>(both(a, b)));
    }
  });
}

TEST(SideBySide, AMatrixDoesNotKnowItsNeighbours) {
  const std::int64_t count = 19, n = 9;
  const Array a = random_matrices({count, n, n}, float32), b = random_matrices({count, n, 3}, float32, 2);
  const Array factors = lax::linalg::lu(a).lu, x = linalg::solve(a, b), d = linalg::det(a);
  const Array l = linalg::cholesky(positive_matrices({count, n, n}, float32));
  for (std::int64_t k = 0; k < count; ++k) {
    expect_same(only(factors, k), lax::linalg::lu(only(a, k)).lu);
    expect_same(only(x, k), linalg::solve(only(a, k), only(b, k)));
    expect_same(only(d, k), linalg::det(only(a, k)));
    expect_same(only(l, k), linalg::cholesky(only(positive_matrices({count, n, n}, float32), k)));
  }
}

// The first of equal sizes is the pivot, after the swaps before it; NaN is none, except where it stands.
TEST(SideBySide, PivotsOfTiesAndOfWhatIsNoNumber) {
  const Array ties = array({{1, 2, 0}, {0, -2, 1}, {2, 0, 0}}, float32);
  const auto [lu, pivots, permutation] = lax::linalg::lu(ties);
  expect_same(lu, array({{2., 0., 0.}, {0., -2., 1.}, {0.5, -1., 1.}}, float32));
  expect_same(pivots, array({2, 1, 2}).astype(int32));
  expect_same(permutation, array({2, 1, 0}).astype(int32));
  const Array strange = array({{1., 2.}, {kNan, 4.}, {-kInf, 6.}}, float32);
  expect_same(lax::linalg::lu(strange).pivots(slice(1)), array({2}).astype(int32));
  const Array standing = array({{kNan, 2.}, {3., 4.}, {-kInf, 6.}}, float32);
  expect_same(lax::linalg::lu(standing).pivots(slice(1)), array({0}).astype(int32));
}

TEST(SideBySide, SingularOnesStayAmongThemselves) {
  Array a = random_matrices({20, 4, 4}, float32) + 4 * eye(4, float32);
  a = a.at(3, 2).set(0);
  const Array x = linalg::solve(a, ones({20, 4, 1}));
  EXPECT_FALSE(isfinite(only(x, 3)).all().item<bool>());
  EXPECT_TRUE(isfinite(x(slice(4, 20))).all().item<bool>());
  EXPECT_EQ(linalg::det(a)(3).item<float>(), 0);
  const Array l = linalg::cholesky(positive_matrices({20, 4, 4}, float32).at(5, 1, 1).set(-1));
  EXPECT_TRUE(isnan(l(5, 3, 0)).item<bool>());
  EXPECT_EQ(l(5, 0, 3).item<float>(), 0);
  EXPECT_EQ(isnan(l).sum().item<int>(), 10);
  const Array nan = linalg::cholesky(array({{1., kNan}, {kNan, 1.}}, float32));
  EXPECT_EQ(nan(0, 0).item<float>(), 1);
  EXPECT_TRUE(isnan(nan(1)).all().item<bool>());
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
