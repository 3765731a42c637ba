// Derivatives against central differences, in float64.
#include "linalg/random_matrices.hpp"

namespace tutti::test {
namespace {

Array weights(const Array& like) { return random_matrices(like.shape(), float64, 99); }
/// A number that depends on every element, whatever the sign of a vector.
Array mixed(const Array& x) { return (square(x) * weights(x)).sum(); }

TEST(Derivatives, OfFactors) {
  WithX64 x64;
  const Array a = random_matrices({2, 4, 4}, float64), tall = random_matrices({5, 3}, float64),
              wide = random_matrices({3, 5}, float64);
  auto positive = [](const Array& x) { return matmul(x, turned(x)) + identity_of(x); };
  expect_derivative([&](const Array& x) { return mixed(linalg::cholesky(positive(x))); }, a);
  for (const Array& m : {a, tall, wide}) {
    expect_derivative([](const Array& x) { return mixed(linalg::qr(x).q) + mixed(linalg::qr(x).r); }, m);
    expect_derivative([](const Array& x) { return mixed(linalg::lu(x).l) + mixed(linalg::lu(x).u); }, m);
    expect_derivative([](const Array& x) { return mixed(linalg::svd(x, false).u) + mixed(linalg::svd(x, false).vh); },
                      m, 1e-4);
    expect_derivative([](const Array& x) { return mixed(linalg::svdvals(x)); }, m);
  }
  expect_derivative([](const Array& x) { return mixed(linalg::qr(x, "complete").q); }, tall, 1e-5);
  expect_derivative([](const Array& x) { return mixed(linalg::eigh(x).v) + mixed(linalg::eigh(x).w); }, a, 1e-4);
  expect_derivative([](const Array& x) { return mixed(linalg::eigh(x, 'U', false).v); }, a, 1e-4);
  expect_derivative([](const Array& x) { return mixed(linalg::eigvalsh(x)); }, a);
}

TEST(Derivatives, OfSolutions) {
  WithX64 x64;
  const Array a = random_matrices({2, 4, 4}, float64) + 2 * eye(4, float64), b = random_matrices({2, 4, 3}, float64, 3);
  expect_derivative([&](const Array& x) { return mixed(linalg::solve(x, b)); }, a);
  expect_derivative([&](const Array& y) { return mixed(linalg::solve(a, y)); }, b);
  expect_derivative([](const Array& x) { return mixed(linalg::inv(x)); }, a);
  expect_derivative([](const Array& x) { return mixed(linalg::det(x)); }, a);
  expect_derivative([](const Array& x) { return mixed(linalg::slogdet(x).logabsdet); }, a);
  expect_derivative([](const Array& x) { return mixed(linalg::pinv(x)); }, b);
  expect_derivative([](const Array& x) { return mixed(linalg::expm(x)); }, a);
  expect_derivative([](const Array& x) { return mixed(linalg::matrix_power(x, -3)); }, a, 1e-5);
  expect_derivative([&](const Array& x) { return mixed(linalg::lstsq(x, b(0)).x); }, a(0));
  expect_derivative([&](const Array& x) { return mixed(linalg::lu_solve(linalg::lu_factor(x), b)); }, a);
  for (linalg::Ord ord : {linalg::Ord("nuc"), linalg::Ord("fro"), linalg::Ord(1), linalg::Ord(-2), linalg::Ord(2)})
    expect_derivative([&](const Array& x) { return linalg::matrix_norm(x, ord).sum(); }, a);
}

TEST(Derivatives, TwiceThroughASolve) {
  WithX64 x64;
  const Array a = random_matrices({3, 3}, float64) + 2 * eye(3, float64), b = random_matrices({3}, float64, 3);
  auto f = [&](const Array& x) { return mixed(linalg::solve(x, b)); };
  const Array g = weights(a);
  expect_derivative([&](const Array& x) { return (grad(f)(x) * g).sum(); }, a, 1e-5);
}

TEST(Derivatives, OfADeterminantThatIsZero) {
  WithX64 x64;
  // Rank 3 of 4: the cofactors are those of a matrix of rank 1.
  const Array m = random_matrices({4, 3}, float64), a = matmul(m, random_matrices({3, 4}, float64, 2));
  expect_derivative([](const Array& x) { return linalg::det(x); }, a);
  const Array less = matmul(m(all, slice(2)), random_matrices({2, 4}, float64, 2));
  EXPECT_LE(largest(grad([](const Array& x) { return linalg::det(x); })(less)), 1e-12);
}

TEST(Derivatives, OfEigenvaluesOfAnyMatrix) {
  const Array a = random_matrices({5, 5}, float32), t = random_matrices({5, 5}, float32, 2);
  auto f = [](const Array& x) { return real(sum(exp(linalg::eigvals(x)))); };  // the trace of expm
  const Array got = (grad(f)(a) * t).sum();
  const Array want = (grad([](const Array& x) { return linalg::trace(linalg::expm(x)); })(a) * t).sum();
  EXPECT_NEAR(got.item<float>(), want.item<float>(), 1e-3);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
