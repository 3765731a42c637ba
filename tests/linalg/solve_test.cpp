// Solutions solve, in every form; transformations and placements do not change them.
#include "linalg/random_matrices.hpp"

namespace tutti::test {
namespace {

Array well_conditioned(const Shape& shape, DType dtype, unsigned seed = 1) {
  const Array a = random_matrices(shape, dtype, seed);
  return a + 3 * identity_of(a);
}

TEST(Solve, SolvesVectorsMatricesAndBatches) {
  WithX64 x64;
  for (DType dtype : {float32, float64, complex64})
    for (std::int64_t n : {1, 3, 16, 17, 60}) {
      SCOPED_TRACE(std::string(dtype.name()) + " " + std::to_string(n));
      const Array a = well_conditioned({n, n}, dtype), b = random_matrices({n}, dtype, 2);
      expect_near(matmul(a, linalg::solve(a, b)), b, 20 * digits_of(dtype));
      const Array many = well_conditioned({2, 3, n, n}, dtype, 3), y = random_matrices({3, n, 2}, dtype, 4);
      expect_near(matmul(many, linalg::solve(many, y)), broadcast_to(y, {2, 3, n, 2}), 20 * digits_of(dtype));
      expect_near(matmul(linalg::inv(many), many), broadcast_to(eye(n, dtype), many.shape()), 20 * digits_of(dtype));
    }
}

TEST(Solve, TriangularFormsAgreeWithTheWholeMatrix) {
  WithX64 x64;
  for (DType dtype : {float64, complex64})
    for (std::int64_t n : {4, 20})
      for (bool left : {true, false})
        for (bool lower : {true, false})
          for (bool turn : {false, true})
            for (bool unit : {false, true}) {
              const Array a = well_conditioned({2, n, n}, dtype) / static_cast<double>(unit ? n : 1);
              const Array b = random_matrices(left ? Shape{2, n, 3} : Shape{2, 3, n}, dtype, 2);
              const Array x = lax::linalg::triangular_solve(a, b, {left, lower, turn, turn, unit});
              Array t = lower ? tril(a, unit ? -1 : 0) : triu(a, unit ? 1 : 0);
              if (unit) t = t + identity_of(a);
              if (turn) t = turned(t);
              expect_near(left ? matmul(t, x) : matmul(x, t), b, 50 * digits_of(dtype));
            }
}

TEST(Solve, SingularMatricesGiveInfinities) {
  const Array a = array({{1., 2.}, {2., 4.}});
  EXPECT_FALSE(any(isfinite(linalg::inv(a))).item<bool>());
  EXPECT_FALSE(any(isfinite(linalg::solve(a, array({1., 1.})))).item<bool>());
  EXPECT_EQ(linalg::det(a).item<float>(), 0);
  EXPECT_EQ(linalg::slogdet(array({{0., 0.}, {1., 2.}})).sign.item<float>(), 0);
  EXPECT_TRUE(std::isinf(linalg::cond(array({{1., 0.}, {0., 0.}})).item<float>()));
}

TEST(Solve, DeterminantsMultiply) {
  WithX64 x64;
  for (DType dtype : {float64, complex64})
    for (std::int64_t n : {0, 1, 2, 3, 4, 5, 20}) {
      const Array a = random_matrices({3, n, n}, dtype, 1), b = random_matrices({3, n, n}, dtype, 2);
      expect_near(linalg::det(matmul(a, b)), linalg::det(a) * linalg::det(b), 1e3 * digits_of(dtype));
      const auto [sign, log] = linalg::slogdet(a);
      expect_near(sign * exp(log).astype(dtype), linalg::det(a), 1e2 * digits_of(dtype));
    }
}

TEST(Solve, PinvHasItsFourProperties) {
  WithX64 x64;
  for (DType dtype : {float64, complex64})
    for (const Shape& s : {Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 4}}) {
      const Array a = random_matrices(s, dtype, 3), p = linalg::pinv(a);
      const double t = 1e3 * digits_of(dtype);
      expect_near(matmul(matmul(a, p), a), a, t);
      expect_near(matmul(matmul(p, a), p), p, t);
      expect_near(turned(matmul(a, p)), matmul(a, p), t);
      expect_near(turned(matmul(p, a)), matmul(p, a), t);
    }
  const Array thin = random_matrices({6, 2}, float64), deficient = matmul(thin, swapaxes(thin, 0, 1));
  EXPECT_EQ(linalg::matrix_rank(deficient).item<int>(), 2);
}

TEST(Solve, LeastSquaresAreOrthogonalToTheColumns) {
  WithX64 x64;
  const Array a = random_matrices({7, 3}, float64), b = random_matrices({7, 2}, float64, 2);
  const auto [x, residuals, rank, s] = linalg::lstsq(a, b);
  const Array off = b - matmul(a, x);
  EXPECT_LE(largest(matmul(swapaxes(a, 0, 1), off)), 1e-13);
  expect_near(residuals, sum(square(off), 0));
  EXPECT_EQ(rank.item<int>(), 3);
}

TEST(Solve, ExpmIsThatOfEigenvalues) {
  WithX64 x64;
  for (double scale : {0.01, 1., 30.}) {
    const Array m = random_matrices({2, 4, 4}, float64), a = scale * (m + turned(m)) / 4;
    const auto [w, v] = linalg::eigh(a);
    expect_near(linalg::expm(a), matmul(v * expand_dims(exp(w), -2), turned(v)), 1e-11);
    if (scale <= 1) expect_near(matmul(linalg::expm(a), linalg::expm(-a)), broadcast_to(eye(4, float64), a.shape()));
  }
  const Array shift = array({{0., 1., 0.}, {0., 0., 1.}, {0., 0., 0.}});
  expect_near(linalg::expm(shift), array({{1., 1., 0.5}, {0., 1., 1.}, {0., 0., 1.}}));
  EXPECT_TRUE(all(isnan(linalg::expm(1e9 * eye(2)))).item<bool>());
}

TEST(Solve, TridiagonalAgreesWithTheMatrix) {
  WithX64 x64;
  const Array l = random_matrices({6}, float64, 1), d = random_matrices({6}, float64, 2) + 4,
              u = random_matrices({6}, float64, 3), b = random_matrices({6, 2}, float64, 4);
  const Array a = diag(d) + diag(l(slice(1, none)), -1) + diag(u(slice(0, 5)), 1);
  expect_near(linalg::tridiagonal_solve(l, d, u, b), linalg::solve(a, b));
  expect_near(linalg::eigvalsh_tridiagonal(d, u(slice(0, 5))),
              linalg::eigvalsh(diag(d) + diag(u(slice(0, 5)), -1) + diag(u(slice(0, 5)), 1)));
}

TEST(Solve, FactorsSolveLikeSolve) {
  WithX64 x64;
  const Array a = positive_matrices({2, 5, 5}, float64), b = random_matrices({2, 5, 3}, float64, 2);
  const Array x = linalg::solve(a, b);
  for (bool lower : {true, false}) expect_near(linalg::cho_solve(linalg::cho_factor(a, lower), b), x);
  expect_near(linalg::lu_solve(linalg::lu_factor(a), b), x);
  expect_near(linalg::lu_solve(linalg::lu_factor(turned(a)), b, linalg::Trans::transpose), x);
}

TEST(Solve, JitAndVmapAgreeWithLoops) {
  const Array a = well_conditioned({4, 6, 6}, float32), b = random_matrices({4, 6}, float32, 2);
  auto f = [](const Array& m, const Array& y) { return linalg::solve(m, y); };
  const Array together = vmap(f)(a, b), shared = vmap(f, {.in_axes = {none, 0}})(a(0), b);
  for (int i = 0; i < 4; ++i) {
    expect_near(together(i), linalg::solve(a(i), b(i)));
    expect_near(shared(i), linalg::solve(a(0), b(i)));
    expect_same(jit(f)(a(i), b(i)), f(a(i), b(i)));
  }
}

TEST(Solve, BatchesAreSplitWithoutAMessage) {
  set_cpu_devices(8);
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array a = positive_matrices({16, 5, 5}, float32), b = random_matrices({16, 5, 2}, float32, 2);
  auto put = [&](const Array& x) { return device_put(x, NamedSharding(mesh, P("x"))); };
  auto f = jit([](const Array& m, const Array& y) {
    return std::vector<Array>{linalg::solve(m, y), linalg::cholesky(m), linalg::eigh(m).w,
                              linalg::det(m),      linalg::qr(m).r,     linalg::svdvals(m)};
  });
  const std::vector<Array> want = f(a, b), got = f(put(a), put(b));
  for (std::size_t i = 0; i < want.size(); ++i) {
    expect_same(got[i], want[i]);
    EXPECT_EQ(got[i].addressable_shards()[0].data().shape()[0], 2);
  }
  const std::string report = f.explain(put(a), put(b)).all();
  EXPECT_NE(report.find(" 0 collectives"), std::string::npos) << report;
}

TEST(Solve, WhatDoesNotFitIsRefused) {
  const Array wide = zeros({2, 6}), vector = zeros({2});
  EXPECT_THROW(linalg::det(wide), ShapeError);
  EXPECT_THROW(linalg::solve(wide, vector), ShapeError);
  EXPECT_THROW(linalg::solve(zeros({2, 2}), zeros({3})), ShapeError);
  EXPECT_THROW(linalg::cholesky(vector), ShapeError);
  EXPECT_THROW(linalg::qr(zeros({2, 2}), "thin"), ValueError);
  EXPECT_THROW(linalg::norm(vector, "fro"), ValueError);
  EXPECT_THROW(linalg::norm(zeros({2, 2}), 3), ValueError);
  EXPECT_THROW(linalg::norm(zeros({2, 2, 2}), 2), ValueError);
  EXPECT_THROW(linalg::lstsq(zeros({2, 2}), zeros({6})), ShapeError);
  EXPECT_THROW(linalg::multi_dot({zeros({2, 6})}), ValueError);
  EXPECT_THROW(linalg::matrix_power(wide, 2), ShapeError);
  EXPECT_THROW(lax::linalg::triangular_solve(zeros({2, 2}), zeros({6, 9}), {.left_side = true}), ShapeError);
  EXPECT_THROW(lax::linalg::cholesky(zeros({2, 2}, bfloat16)), TypeError);
  EXPECT_THROW(cross(zeros({6}), zeros({6})), ValueError);
  EXPECT_THROW(linalg::eigh(zeros({2, 2}), 'X'), ValueError);
  auto types = [](const Array& x) { return lax::linalg::svdvals(broadcast_to(x, {20001, 20001})); };
  EXPECT_THROW(eval_shape(types, zeros({1, 1})), ShapeError);
  WithX64 x64;
  EXPECT_EQ(linalg::eigvals(zeros({2, 2}, float64)).dtype(), complex128);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
