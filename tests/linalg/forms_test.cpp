// Forms of matrices: what they multiply to, and the first digits that JAX 0.10.2 gives.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <sstream>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array draw(int k, const Shape& shape) { return random::normal(random::key(k), shape); }
Array adjoint(const Array& x) { return conj(swapaxes(x, -1, -2)); }
void expect_close(const Array& x, const Array& want, double most = 2e-5) {
  ASSERT_EQ(x.shape(), want.shape());
  EXPECT_LE(max(abs(x - want)).item<float>(), most * (1 + max(abs(want)).item<float>()));
}
Array random_complex(int k, const Shape& shape) { return lax::complex(draw(k, shape), draw(k + 100, shape)); }

TEST(Forms, Hessenberg) {
  for (const Array& a : {draw(1, {6, 6}), draw(2, {3, 5, 5}), random_complex(3, {4, 4}), draw(4, {1, 1})}) {
    const auto [packed, taus] = lax::linalg::hessenberg(a);
    const std::int64_t n = a.shape(-1);
    EXPECT_EQ(taus.shape(-1), n - 1);
    if (n == 1) continue;
    // q is 1 and the product of the reflections below.
    const Array inner = packed(ellipsis, slice(1, none), slice(0, n - 1));
    Shape row = a.shape();
    Array q = zeros_like(a) + eye(n, n, 0, a.dtype());
    const Array below = q(ellipsis, slice(1, none), all);
    const Array turned = lax::linalg::ormqr(inner, taus, below);
    q = concatenate({q(ellipsis, slice(0, 1), all), turned}, -2);
    expect_close(matmul(matmul(q, triu(packed, -1)), adjoint(q)), a);
    expect_close(matmul(adjoint(q), q), zeros_like(a) + eye(n, n, 0, a.dtype()));
  }
  const Array mapped = vmap([](const Array& a) { return lax::linalg::hessenberg(a).a; })(draw(2, {3, 5, 5}));
  expect_close(mapped, lax::linalg::hessenberg(draw(2, {3, 5, 5})).a, 0);
  EXPECT_TRUE(bool(all(isnan(lax::linalg::hessenberg(full({3, 3}, NAN)).a))));
  EXPECT_THROW(lax::linalg::hessenberg(ones({2, 3})), ShapeError);
  EXPECT_THROW(lax::linalg::hessenberg(ones({3, 3}, int32)), TypeError);
}

TEST(Forms, Tridiagonal) {
  for (const Array& b : {draw(1, {6, 6}), draw(2, {3, 5, 5}), random_complex(3, {4, 4})})
    for (bool lower : {true, false}) {
      const Array a = b + adjoint(b);
      const auto [packed, d, e, taus] = lax::linalg::tridiagonal(a, lower);
      EXPECT_EQ(d.dtype(), float32);
      EXPECT_EQ(e.shape(-1), a.shape(-1) - 1);
      EXPECT_EQ(taus.dtype(), a.dtype());
      auto of_one = [](const Array& d, const Array& e) { return diag(d) + diag(e, 1) + diag(e, -1); };
      const Array t = a.ndim() == 2 ? of_one(d, e) : vmap(of_one)(d, e);
      expect_close(lax::linalg::eigvalsh(t), lax::linalg::eigvalsh(a), 1e-4);
    }
  EXPECT_TRUE(bool(all(isnan(lax::linalg::tridiagonal(full({3, 3}, NAN)).d))));
  EXPECT_THROW(lax::linalg::tridiagonal(ones({2, 3})), ShapeError);
}

TEST(Forms, Schur) {
  for (const Array& a : {draw(1, {6, 6}), draw(2, {3, 5, 5}), random_complex(3, {4, 4}), draw(4, {1, 1})}) {
    const auto [t, q] = lax::linalg::schur(a);
    expect_close(matmul(matmul(q, t), adjoint(q)), a);
    expect_close(matmul(adjoint(q), q), zeros_like(a) + eye(a.shape(-1), a.shape(-1), 0, a.dtype()));
    expect_close(tril(t, a.dtype().is_complex() ? -1 : -2), zeros_like(a), 0);
    expect_close(lax::linalg::schur(a, false).t, t, 1e-4);
    EXPECT_FALSE(lax::linalg::schur(a, false).q.has_value());
  }
  EXPECT_TRUE(bool(all(isnan(jit([](const Array& a) { return lax::linalg::schur(a).q; })(full({3, 3}, INFINITY))))));
  EXPECT_THROW(grad([](const Array& a) { return sum(lax::linalg::schur(a).t); })(draw(1, {3, 3})), Error);
}

TEST(Forms, ProductsWithReflections) {
  for (bool is_complex : {false, true}) {
    auto make = [&](int k, const Shape& shape) { return is_complex ? random_complex(k, shape) : draw(k, shape); };
    const Array a = make(1, {2, 5, 3}), taus = 0.3 * make(2, {2, 3});
    const Array square = concatenate({a, zeros_like(a(ellipsis, slice(0, 2)))}, -1);
    const Array q = lax::linalg::householder_product(square, taus);
    const Array c = make(3, {2, 5, 4}), r = make(4, {2, 4, 5});
    expect_close(lax::linalg::ormqr(a, taus, c), matmul(q, c));
    expect_close(lax::linalg::ormqr(a, taus, c, true, true), matmul(adjoint(q), c));
    expect_close(lax::linalg::ormqr(a, taus, r, false), matmul(r, q));
    expect_close(lax::linalg::ormqr(a, taus, r, false, true), matmul(r, adjoint(q)));
  }
  EXPECT_THROW(lax::linalg::ormqr(ones({4, 3}), ones({3}), ones({3, 2})), ShapeError);
  EXPECT_THROW(lax::linalg::ormqr(ones({4, 3}), ones({3}), ones({4, 2}, bfloat16)), TypeError);
}

TEST(Forms, UpdatedFactors) {
  const Array b = draw(1, {3, 6, 6}), a = matmul(adjoint(b), b) + eye(6), w = draw(2, {3, 6});
  const Array r = adjoint(lax::linalg::cholesky(a)), next = lax::linalg::cholesky_update(r, w);
  expect_close(matmul(adjoint(next), next), a + expand_dims(w, -1) * expand_dims(w, -2));
  expect_close(tril(next, -1), zeros_like(next), 1e-6);
  expect_close(jit([](const Array& r, const Array& w) { return lax::linalg::cholesky_update(r, w); })(r(0), w(0)),
               next(0), 1e-6);
  expect_close(lax::linalg::cholesky_update(r, zeros_like(w)), r, 0);
  auto size = [](const Array& r, const Array& w) { return sum(square(lax::linalg::cholesky_update(r, w))); };
  // The squares of a factor add up to the trace, so the slope along w is 2 w.
  expect_close(std::get<1>(grad<0, 1>(size)(r, w)), 2 * w, 1e-3);
  EXPECT_THROW(lax::linalg::cholesky_update(r, ones({3, 5})), ShapeError);
  // One loop, however many rows there are.
  auto text = [](std::int64_t n) {
    auto f = [](const Array& r, const Array& w) { return lax::linalg::cholesky_update(r, w); };
    std::ostringstream out;
    out << jit_program(f)(eye(n), ones({n}));
    return out.str();
  };
  EXPECT_LT(text(200).size(), 2 * text(5).size());
}

TEST(Forms, PolarFactors) {
  for (const Array& x : {draw(1, {5, 5}), draw(2, {7, 3}), random_complex(3, {4, 4}), 1e3 * draw(4, {20, 20})}) {
    for (bool compiled : {false, true}) {
      auto f = [](const Array& v) { return lax::linalg::qdwh(v); };
      const auto [u, h, steps, done] = compiled ? jit(f)(x) : f(x);
      expect_close(matmul(u, h), x);
      expect_close(matmul(adjoint(u), u), eye(x.shape(1), x.shape(1), 0, x.dtype()));
      expect_close(h, adjoint(h), 0);
      EXPECT_GT(min(lax::linalg::eigvalsh(h)).item<float>(), -1e-3f);
      EXPECT_TRUE(done.item<bool>());
      EXPECT_LE(steps.item<int>(), 10);
    }
  }
  EXPECT_THROW(lax::linalg::qdwh(ones({3, 5})), ShapeError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
