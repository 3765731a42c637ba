// Factors multiply back to the matrix, for every dtype, shape and batch.
#include "linalg/random_matrices.hpp"

namespace tutti::test {
namespace {

const std::vector<DType> dtypes = {float32, float64, complex64};
const std::vector<Shape> shapes = {{1, 1},       {3, 3},   {5, 3},   {3, 5},   {2, 4, 4},
                                   {2, 3, 6, 4}, {40, 30}, {30, 40}, {0, 3, 2}};

template <class Law> void for_each(const std::vector<Shape>& all_shapes, Law law) {
  WithX64 x64;
  unsigned seed = 1;
  for (DType dtype : dtypes)
    for (const Shape& shape : all_shapes) {
      SCOPED_TRACE(std::string(dtype.name()) + shape.str());
      law(shape, dtype, ++seed);
    }
}
Shape square(Shape s) {
  s[s.size() - 1] = s[s.size() - 2];
  return s;
}
std::vector<Shape> squares() {
  std::vector<Shape> out;
  for (const Shape& s : shapes) out.push_back(square(s));
  return out;
}

TEST(Factors, CholeskyIsLowerAndMultipliesBack) {
  for_each(squares(), [](const Shape& s, DType dtype, unsigned seed) {
    const Array a = positive_matrices(s, dtype, seed), l = linalg::cholesky(a);
    expect_near(matmul(l, turned(l)), a);
    expect_same(tril(l), l);
    expect_near(linalg::cholesky(a, true), turned(l));
  });
}

TEST(Factors, CholeskyWithoutAFactorIsNaN) {
  const Array a = array({{{1., 2.}, {2., 1.}}, {{4., 2.}, {2., 3.}}}), l = linalg::cholesky(a);
  EXPECT_EQ(isnan(l).sum().item<int>(), 3);
  EXPECT_EQ(l(1, 0, 0).item<float>(), 2);
}

TEST(Factors, LuIsAPermutationOfRows) {
  for_each(shapes, [](const Shape& s, DType dtype, unsigned seed) {
    const Array a = random_matrices(s, dtype, seed);
    const auto [p, l, u] = linalg::lu(a);
    expect_near(matmul(matmul(p.astype(dtype), l), u), a);
    expect_same(tril(l), l);
    expect_same(triu(u), u);
    EXPECT_LE(largest(l), dtype.is_complex() ? 1.5 : 1.0001);  // pivots are the largest
  });
}

TEST(Factors, QrHasOrthonormalColumns) {
  for_each(shapes, [](const Shape& s, DType dtype, unsigned seed) {
    const Array a = random_matrices(s, dtype, seed);
    for (const char* mode : {"reduced", "complete"}) {
      const auto [q, r] = linalg::qr(a, mode);
      expect_near(matmul(q, r), a);
      expect_same(triu(r), r);
      expect_near(matmul(turned(q), q), broadcast_to(identity_of(q), matmul(turned(q), q).shape()));
    }
    expect_same(linalg::qr(a, "r").r, linalg::qr(a).r);
  });
}

TEST(Factors, SvdMultipliesBackInDescendingOrder) {
  for_each(shapes, [](const Shape& s, DType dtype, unsigned seed) {
    const Array a = random_matrices(s, dtype, seed);
    const auto [u, values, vh] = linalg::svd(a, false);
    expect_near(matmul(u * expand_dims(values, -2).astype(dtype), vh), a);
    EXPECT_TRUE(all(values >= 0).item<bool>());
    EXPECT_TRUE(all(values(ellipsis, slice(1, none)) <= values(ellipsis, slice(0, -1))).item<bool>());
    expect_near(linalg::svdvals(a), values);
    const auto full = linalg::svd(a);
    EXPECT_EQ(full.u.shape().back(), full.u.shape()[full.u.shape().size() - 2]);
    expect_near(matmul(full.vh, turned(full.vh)), broadcast_to(identity_of(full.vh), full.vh.shape()));
  });
}

TEST(Factors, EighMultipliesBackInAscendingOrder) {
  for_each(squares(), [](const Shape& s, DType dtype, unsigned seed) {
    const Array m = random_matrices(s, dtype, seed), a = m + turned(m);
    for (char half : {'L', 'U'}) {
      const auto [w, v] = linalg::eigh(a, half, false);
      expect_near(matmul(v * expand_dims(w, -2).astype(dtype), turned(v)), a);
      EXPECT_TRUE(all(w(ellipsis, slice(1, none)) >= w(ellipsis, slice(0, -1))).item<bool>());
      expect_near(linalg::eigvalsh(a, half), w);
    }
    const auto s2 = linalg::svd(a, false, true);
    expect_near(matmul(s2.u * expand_dims(s2.s, -2).astype(dtype), s2.vh), a);
  });
}

TEST(Factors, EigTurnsVectorsIntoTheirMultiples) {
  for (DType dtype : {float32, complex64})
    for (const Shape& s : squares()) {
      SCOPED_TRACE(std::string(dtype.name()) + s.str());
      const Array a = random_matrices(s, dtype, 5);
      const auto [w, v] = linalg::eig(a);
      expect_near(matmul(a.astype(complex64), v), v * expand_dims(w, -2));
      const auto left = lax::linalg::eig(a, true, false).left;
      expect_near(matmul(turned(left), a.astype(complex64)), expand_dims(w, -1) * turned(left), 1e-4);
    }
}

TEST(Factors, OfWhatIsNotFiniteAreNaN) {
  const Array bad = array({{1., NAN}, {2., 3.}}), infinite = array({{1., INFINITY}, {INFINITY, 3.}});
  EXPECT_TRUE(all(isnan(linalg::svdvals(bad))).item<bool>());
  EXPECT_TRUE(all(isnan(linalg::svd(infinite).u)).item<bool>());
  EXPECT_TRUE(all(isnan(linalg::eigvalsh(infinite))).item<bool>());
  EXPECT_TRUE(all(isnan(real(linalg::eigvals(bad)))).item<bool>());
  EXPECT_TRUE(any(isnan(linalg::qr(bad).r)).item<bool>());
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
