// cg, bicgstab and gmres (users-3, 9). Values of JAX 0.10.2 after so many steps.
#include <gtest/gtest.h>

#include <complex>
#include <map>

#include "effects/heard.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using C = std::complex<float>;

struct Systems {
  Array i = arange(12.f), a = cos(outer(i, i) + 1), b = sin(i + 1);
  Array symmetric = matmul(a, a.T()) + 12 * eye(12), general = a + 12 * eye(12);
};
void expect_first(const Array& x, const std::vector<float>& first) {
  const std::vector<float> got = x.to_vector<float>();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(got[i], first[i], 1e-6) << i;
}

TEST(Iterative, StepsOfConjugateGradients) {
  const Systems s;
  expect_first(linalg::cg(s.symmetric, s.b, {.maxiter = 0}), {0, 0, 0});
  expect_first(linalg::cg(s.symmetric, s.b, {.maxiter = 1}), {.0553384982f, .0597990379f, .00928061642f});
  expect_first(linalg::cg(s.symmetric, s.b, {.maxiter = 2}), {.0531120002f, .0621712543f, .0208726339f});
  expect_first(linalg::cg(s.symmetric, s.b, {.maxiter = 3}), {.0535740256f, .0641487092f, .0218532868f});
  expect_first(linalg::cg(s.symmetric, s.b), {.0540690236f, .063871406f, .0217490718f});
  const Array d = 1 / diag(s.symmetric);
  expect_first(linalg::cg(s.symmetric, s.b, {.maxiter = 2, .M = [&](const Array& v) { return d * v; }}),
               {.0529571921f, .0624926724f, .0208215918f});
  expect_first(linalg::cg(s.symmetric, s.b, {.x0 = s.b, .maxiter = 2}), {.0607097298f, .097949259f, .0450138114f});
  expect_first(linalg::cg(s.symmetric, s.b, {.tol = .1}), {.0531120002f, .0621712543f, .0208726339f});
  expect_first(linalg::cg(s.symmetric, s.b, {.atol = .3}), {.0531120002f, .0621712543f, .0208726339f});
  expect_first(jit([&](const Array& b) { return linalg::cg(s.symmetric, b); })(s.b),
               {.0540690236f, .063871406f, .0217490718f});
}

TEST(Iterative, StepsOfBiconjugateGradients) {
  const Systems s;
  expect_first(linalg::bicgstab(s.general, s.b, {.maxiter = 1}), {.0705247521f, .0766096041f, .0122576747f});
  expect_first(linalg::bicgstab(s.general, s.b, {.maxiter = 2}), {.072664015f, .078206718f, .0106323911f});
  expect_first(linalg::bicgstab(s.general, s.b), {.0727470294f, .078292042f, .0105831577f});
  expect_first(linalg::bicgstab(s.general, s.b, {.maxiter = 2, .M = [](const Array& v) { return v / 12; }}),
               {.072664015f, .0782067105f, .0106323911f});
}

TEST(Iterative, StepsOfGmres) {
  const Systems s;
  for (const char* method : {"batched", "incremental"}) {
    auto x = [&](int restart, std::optional<Dim> maxiter) {
      return linalg::gmres(s.general, s.b,
                           {.tol = 1e-6, .restart = restart, .maxiter = maxiter, .solve_method = method});
    };
    expect_first(x(3, 1), {.0729854256f, .0784887075f, .0106581785f});
    expect_first(x(3, 2), {.0727472231f, .0782905892f, .0105827972f});
    expect_first(x(5, 1), {.0727434009f, .0782881826f, .0105796456f});
    expect_first(x(20, {}), {.0727468133f, .0782925934f, .0105833327f});
  }
  expect_first(linalg::gmres(s.general, s.b, {.restart = 3, .maxiter = 1, .M = [](const Array& v) { return v / 12; }}),
               {.0729854405f, .0784887001f, .0106581757f});
}

TEST(Iterative, DerivativesAreSolutions) {
  const Systems s;
  const double tol = 1e-7;
  EXPECT_NEAR(float(grad([&](const Array& c) { return linalg::cg(s.symmetric * c, s.b, {.tol = tol}).sum(); })(1.f)),
              .036676697, 2e-6);
  EXPECT_NEAR(float(grad([&](const Array& c) { return linalg::gmres(s.general * c, s.b, {.tol = tol}).sum(); })(1.f)),
              .058283553, 2e-6);
  EXPECT_NEAR(
      float(grad([&](const Array& c) { return linalg::bicgstab(s.general * c, s.b, {.tol = tol}).sum(); })(1.f)),
      .058283545, 2e-6);
  expect_first(grad([&](const Array& b) { return square(linalg::gmres(s.general, b, {.tol = tol})).sum(); })(s.b),
               {.0129353264f, .0137447258f, .00122180348f});
  const Array rows = stack({s.b, 2 * s.b});
  const Array x = vmap([&](const Array& b) { return linalg::cg(s.symmetric, b); })(rows);
  EXPECT_TRUE(bool(allclose(x(1), 2 * linalg::cg(s.symmetric, s.b), 1e-4, 1e-5)));
}

TEST(Iterative, ComplexSystemsAndTrees) {
  const Systems s;
  const Array z = lax::complex(s.b, flip(s.b)), general = lax::complex(s.general, s.a.T()),
              hermitian = lax::complex(s.symmetric, s.a - s.a.T());
  for (const Array& x : {linalg::gmres(general, z, {.tol = 1e-6}), linalg::bicgstab(general, z, {.tol = 1e-6})})
    EXPECT_LT(float(max(abs(matmul(general, x) - z))), 1e-5);
  EXPECT_LT(float(max(abs(matmul(hermitian, linalg::cg(hermitian, z, {.tol = 1e-6})) - z))), 1e-5);
  // Two unknowns, one a matrix: (2 u + v, u + 3 v) with v of u's elements.
  using Pair = std::pair<Array, Array>;
  auto matrix = [](const Pair& x) {
    return Pair{2 * x.first + x.second.reshape(4), x.first.reshape(2, 2) + 3 * x.second};
  };
  const Pair b{array({3.f, 3.f, 3.f, 3.f}), full({2, 2}, 4.f)};
  for (const Pair& x : {linalg::cg(matrix, b), linalg::bicgstab(matrix, b), linalg::gmres(matrix, b)}) {
    EXPECT_TRUE(bool(allclose(x.first, ones({4}), 1e-4)));
    EXPECT_TRUE(bool(allclose(x.second, ones({2, 2}), 1e-4)));
  }
  // Integers become floats, an empty system has an empty solution.
  EXPECT_TRUE(bool(allclose(linalg::cg(2 * eye(3), array({2, 4, 6})), array({1.f, 2.f, 3.f}))));
  EXPECT_EQ(linalg::cg([](const Array& x) { return x; }, zeros({0})).size(), 0);
  EXPECT_EQ(linalg::gmres([](const Array& x) { return x; }, zeros({0})).size(), 0);
  EXPECT_EQ(float(linalg::cg(2 * eye(1), array({0.f}))(0)), 0);
}

TEST(Iterative, OverDevices) {
  const Mesh mesh = make_mesh({8}, {"d"});
  auto laplacian = [](const Array& u) { return 2.5f * u - roll(u, 1) - roll(u, -1); };
  const Array b = sin(arange(64.f)), x = linalg::cg(laplacian, b);
  const Array split = device_put(b, NamedSharding(mesh, P("d")));
  EXPECT_TRUE(bool(allclose(jit([&](const Array& v) { return linalg::cg(laplacian, v); })(split), x, 1e-4, 1e-5)));
}

TEST(Iterative, Refusals) {
  using testing::error_of;
  const Systems s;
  auto same = [](const Array& x) { return x; };
  EXPECT_NE(error_of<ShapeError>([&] { linalg::cg(ones({2, 3}), s.b); }).find("iterative_test.cpp"), std::string::npos);
  EXPECT_NE(error_of<ShapeError>([&] { linalg::cg(same, s.b, {.x0 = ones({3})}); }).find("x0"), std::string::npos);
  EXPECT_THROW(linalg::cg([](const Array& x) { return x(slice(1)); }, s.b), ShapeError);
  EXPECT_THROW(linalg::gmres(same, s.b, {.restart = 0}), ValueError);
  EXPECT_THROW(linalg::bicgstab(same, s.b, {.maxiter = -1}), ValueError);
  EXPECT_THROW(linalg::gmres(same, s.b, {.solve_method = "batch"}), ValueError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
