// Large real matrices, which are cut into strips: extents of less than a strip or of many, unknowns on both sides,
// columns of every size, and the same bits whoever helps.
#include "linalg/random_matrices.hpp"
#include "run/pool.hpp"

namespace tutti::test {
namespace {

void expect_orthonormal(const Array& q) {
  const Array product = matmul(turned(q), q);
  expect_near(product, broadcast_to(identity_of(product), product.shape()));
}

TEST(Large, ReflectionsMultiplyBack) {
  WithX64 doubles;
  for (DType dtype : {float32, float64})
    for (const Shape& s : std::vector<Shape>{{48, 48}, {50, 49}, {100, 64}, {130, 333}, {333, 130}, {400, 400}}) {
      SCOPED_TRACE(std::string(dtype.name()) + s.str());
      const Array a = random_matrices(s, dtype, 4);
      for (const char* mode : {"reduced", "complete"}) {
        const auto [q, r] = linalg::qr(a, mode);
        expect_near(matmul(q, r), a);
        expect_same(triu(r), r);
        expect_orthonormal(q);
      }
    }
}

// A column that is what others make is one of zeros in the end; those with nothing below the diagonal keep their sign.
TEST(Large, ReflectionsOfColumnsThatDependOnOthers) {
  const Array x = random_matrices({150, 20}, float32), y = random_matrices({20, 100}, float32, 2), a = matmul(x, y);
  const auto [q, r] = linalg::qr(a);
  expect_near(matmul(q, r), a);
  expect_orthonormal(q);
  EXPECT_LE(largest(r(slice(20, none))), 2e-3);
  const auto none = linalg::qr(zeros({100, 60}));
  expect_same(none.r, zeros_like(none.r));
  expect_orthonormal(none.q);
  const Array upper = triu(random_matrices({90, 90}, float32, 3));
  expect_same(linalg::qr(upper).r, upper);
}

TEST(Large, ReflectionsOfTinyAndHugeColumns) {
  const Array a = random_matrices({130, 100}, float32);
  std::vector<float> powers;
  for (int j = 0; j < 100; ++j) powers.push_back(std::ldexp(1.f, j * 37 % 200 - 100));
  const Array scales = array(powers);
  const auto [q, r] = linalg::qr(a * scales);
  expect_orthonormal(q);
  expect_near(matmul(q, r / scales), a);
  for (double scale : {1e-37, 1e36}) {
    const auto all = linalg::qr(a * scale);
    expect_orthonormal(all.q);
    expect_near(matmul(all.q, all.r / scale), a);
  }
  const Array bad = a.at(3, 50).set(NAN);
  const auto [some, rows] = linalg::qr(bad);
  EXPECT_TRUE(all(isnan(rows(0, slice(50, 51)))).item<bool>());
  expect_same(rows(all, slice(50)), linalg::qr(a).r(all, slice(50)));  // of columns before it
}

TEST(Large, SingularValuesOfTallAndWideMatrices) {
  WithX64 doubles;
  for (DType dtype : {float32, float64})
    for (const Shape& s : std::vector<Shape>{{300, 50}, {50, 300}, {200, 133}, {2, 120, 60}}) {
      SCOPED_TRACE(std::string(dtype.name()) + s.str());
      const Array a = random_matrices(s, dtype, 7);
      const auto [u, values, vh] = linalg::svd(a, false);
      expect_near(matmul(u * expand_dims(values, -2), vh), a);
      for (const Array& q : {u, swapaxes(vh, -1, -2)}) {
        const Array product = matmul(swapaxes(q, -1, -2), q);
        expect_near(product, broadcast_to(identity_of(product), product.shape()));
      }
      expect_near(linalg::svdvals(a), values);
      expect_near(linalg::svd(a).s, values);
    }
  EXPECT_TRUE(isnan(linalg::svdvals(random_matrices({300, 50}, float32).at(7, 7).set(NAN))).all().item<bool>());
}

// Also where values are many times the same, tiny or huge.
TEST(Large, EigenvectorsAndSingularVectorsMultiplyBack) {
  WithX64 doubles;
  for (DType dtype : {float32, float64})
    for (std::int64_t n : {128, 151}) {
      SCOPED_TRACE(std::string(dtype.name()) + std::to_string(n));
      const Array x = random_matrices({n, n}, dtype, 5), thin = random_matrices({n, 3}, dtype, 6);
      for (const Array& a : {x + turned(x), identity_of(x), matmul(thin, turned(thin)), diag(x(0)), zeros_like(x)})
        for (double scale : {1., 1e-33, 1e33}) {
          const Array given = a * scale;
          const auto [w, v] = linalg::eigh(given);
          expect_near(matmul(v * (w / scale), turned(v)), a);
          expect_orthonormal(v);
          EXPECT_TRUE(all(w(slice(1, none)) >= w(slice(0, -1))).item<bool>());
          expect_near(linalg::eigvalsh(given) / scale, w / scale);
          for (const Array& b : {given, given(all, slice(n - 11)), given(slice(n - 11))}) {
            const auto [u, s, vh] = linalg::svd(b, false);
            expect_near(matmul(u * (s / scale), vh), b / scale);
            expect_orthonormal(u);
            expect_orthonormal(turned(vh));
            expect_near(linalg::svdvals(b) / scale, s / scale);
          }
        }
      const Array upper = where(tril(x, -1) == 0, x, NAN).astype(dtype);  // nobody looks at the other half
      const auto [w, v] = linalg::eigh(turned(upper), 'L', false);
      expect_near(matmul(v * w, turned(v)), triu(x) + turned(triu(x, 1)));
    }
  const Array both = random_matrices({2, 130, 130}, float32).at(1).multiply(1e33);
  const auto svds = linalg::svd(both);
  for (int k = 0; k < 2; ++k) expect_same(svds.u(k), linalg::svd(both(k)).u);
}

TEST(Large, TriangularFormsAgreeWithTheWholeMatrix) {
  WithX64 doubles;
  for (DType dtype : {float32, float64})
    for (auto [n, others] : {std::pair{32, 8}, {97, 50}, {144, 17}, {300, 210}})
      for (int form = 0; form < 16; ++form) {
        const bool left = form & 1, lower = form & 2, turn = form & 4, unit = form & 8;
        SCOPED_TRACE(std::to_string(n) + " " + std::to_string(form));
        const Array a = random_matrices({n, n}, dtype) / n, diagonal = identity_of(a) * (unit ? NAN : 2);
        // Nobody looks at the other triangle, or at a diagonal of ones.
        const Array own = lower ? tril(a, -1) : triu(a, 1);
        const Array given = where(own == 0, NAN, own).astype(dtype),
                    b = left ? random_matrices({n, others}, dtype, 2) : random_matrices({others, n}, dtype, 2);
        const Array filled = where(identity_of(a) == 1, diagonal, given).astype(dtype);
        const Array x = lax::linalg::triangular_solve(filled, b, {left, lower, turn, false, unit});
        Array t = own + identity_of(a) * (unit ? 1 : 2);
        if (turn) t = turned(t);
        expect_near(left ? matmul(t, x) : matmul(x, t), b);
      }
}

TEST(Large, BitsDoNotDependOnWhoHelps) {
  auto all_of = [] {
    const Array a = random_matrices({333, 333}, float32), b = random_matrices({333, 40}, float32, 2);
    const auto [q, r] = linalg::qr(a);
    return std::vector<Array>{linalg::cholesky(positive_matrices({333, 333}, float32)),
                              lax::linalg::lu(a).lu,
                              q,
                              r,
                              linalg::solve(a, b),
                              linalg::solve(a, b(all, slice(9)))};
  };
  set_num_threads(1);
  const std::vector<Array> alone = all_of();
  for (int threads : {2, 5}) {
    set_num_threads(threads);
    const std::vector<Array> together = all_of();
    for (std::size_t i = 0; i < alone.size(); ++i) expect_same(together[i], alone[i]);
  }
  set_num_threads(default_num_threads());
  const Array two = random_matrices({2, 200, 100}, float32);
  const auto both = linalg::qr(two);
  for (int k = 0; k < 2; ++k) {
    expect_same(both.q(k), linalg::qr(two(k)).q);
    expect_same(both.r(k), linalg::qr(two(k)).r);
  }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
