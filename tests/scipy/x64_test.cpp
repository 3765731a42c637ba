// The same under x64: results are float64 and complex128, and as exact (users-3, 9).
#include "scipy/check.hpp"
#include "tutti/fft/cosine.hpp"
#include "tutti/image/image.hpp"
#include "tutti/linalg/matrix_functions.hpp"
#include "tutti/linalg/special_matrices.hpp"
#include "tutti/optim/lbfgs.hpp"
#include "tutti/scipy/ndimage.hpp"
#include "tutti/scipy/ode.hpp"
#include "tutti/scipy/optimize.hpp"
#include "tutti/scipy/signal.hpp"
#include "tutti/special/distributions.hpp"
#include "tutti/special/multivariate.hpp"

namespace tutti {
namespace {

class X64 : public ::testing::Test {
 protected:
  void SetUp() override { enable_x64(true); }
  void TearDown() override { enable_x64(false); }
};
double off(const Array& x, const Array& y) { return double(max(abs(x - y))); }

TEST_F(X64, SolversAreAsExact) {  // users-3, 9
  const Array t = linspace(0, 2, 5);
  const Array y = ode::odeint([](const Array& y, const Array&) { return -y; }, Array(1.), t, {1e-10, 1e-10});
  EXPECT_EQ(y.dtype(), float64);
  EXPECT_LT(off(y, exp(-t)), 1e-9);
  auto end = [&](const Array& a) {
    return ode::odeint([&](const Array& y, const Array&) { return -a * y; }, Array(1.), t, {1e-10, 1e-10})[4];
  };
  EXPECT_NEAR(double(grad(end)(Array(1.5))), -2 * std::exp(-3.), 1e-8);
  auto loss = [](const Array& x) {
    return sum(100 * square(x(slice(1, none)) - square(x(slice(0, -1)))) + square(1 - x(slice(0, -1))));
  };
  const auto found = optimize::minimize(loss, array({-1.2, 1., .5}), {.gtol = 1e-9});
  EXPECT_TRUE(bool(found.success));
  EXPECT_LT(off(found.x, ones({3})), 1e-8);
  const auto opt = optim::lbfgs();
  Array p = array({-1.2, 1., .5});
  auto s = opt.init(p);
  EXPECT_EQ(std::get<2>(s).value.dtype(), float64);
  for (int i = 0; i < 60; ++i) {
    auto [value, g] = value_and_grad(loss)(p);
    auto [updates, next] = opt.update(g, s, p, optim::Objective{value, g, loss});
    p = optim::apply_updates(p, updates);
    s = next;
  }
  EXPECT_LT(off(p, ones({3})), 1e-8);
}

TEST_F(X64, TransformsAndMatricesAreAsExact) {  // users-3, 9
  const Array x = sin(arange(40.)), m = cos(outer(arange(4.), arange(4.) + 1)) + 3 * eye(4);
  const Array z = signal::stft(x, {.nperseg = 8}).values;
  EXPECT_EQ(z.dtype(), complex128);
  EXPECT_LT(off(signal::istft(z, {.nperseg = 8}).values(slice(0, 40)), x), 1e-14);
  EXPECT_LT(off(signal::fftconvolve(x, x(slice(0, 5))), signal::convolve(x, x(slice(0, 5)))), 1e-13);
  EXPECT_LT(off(fft::idct(fft::dct(x)), x), 1e-14);
  const Array root = linalg::sqrtm(m);
  EXPECT_EQ(root.dtype(), complex128);
  EXPECT_LT(off(matmul(root, root), m), 1e-13);
  const Array s = linalg::solve_sylvester(m, 2 * m, m.T());
  EXPECT_LT(off(matmul(m, s) + matmul(s, 2 * m), m.T()), 1e-13);
  EXPECT_LT(off(matmul(linalg::toeplitz(m[0], m[1]), linalg::solve_toeplitz(m[0], m[1], m[2])), m[2]), 1e-13);
  EXPECT_LT(off(matmul(linalg::hilbert(5), linalg::invhilbert(5)), eye(5)), 1e-10);
  EXPECT_EQ(image::resize(m, {3, 3}, "cubic").dtype(), float64);
  EXPECT_NEAR(double(ndimage::map_coordinates(arange(5.), {array({1.25})}, 1)[0]), 1.25, 1e-15);
  EXPECT_NEAR(double(stats::truncnorm::cdf(Array(.5), -1, 2)), 0.6508804213366272, 1e-14);
  const stats::gaussian_kde kde(x);
  EXPECT_EQ(kde(x).dtype(), float64);
  EXPECT_NEAR(double(kde.integrate_box_1d(-10, 10)), 1, 1e-14);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
