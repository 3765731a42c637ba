// Special functions by series, fractions and recurrences: values are mpmath's.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using D = std::vector<double>;
using Function = std::function<Array(const Array&)>;

// In float32 and, with x64, in float64; eager, jitted and mapped.
void expect_values(const Function& f, const D& x, const D& want, double units = 8) {
  enable_x64(true);
  for (DType dtype : {float32, float64}) {
    const double eps = dtype == float32 ? 0x1p-23 : 1e-12;  // of the twelve digits written here
    const Array at = array(x).astype(dtype);
    for (const Array& y : {f(at), jit(f)(at), vmap(f)(at)}) {
      EXPECT_EQ(y.dtype(), dtype);
      const D got = y.astype(float64).to_vector<double>();
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        if (std::isnan(want[i]))
          EXPECT_TRUE(std::isnan(got[i])) << x[i];
        else if (std::isinf(want[i]))
          EXPECT_EQ(got[i], want[i]) << x[i];
        else
          EXPECT_NEAR(got[i], want[i], units * eps * std::max(std::abs(want[i]), 1e-37)) << x[i] << dtype.name();
      }
    }
  }
  enable_x64(false);
}
// Of the derivatives: a central difference in float64.
void expect_slopes(const Function& f, const D& x) {
  enable_x64(true);
  const Array at = array(x);
  const Array step = 1e-5 * maximum(1, abs(at));
  const D want = ((f(at + step) - f(at - step)) / (2 * step)).to_vector<double>();
  const D got = vmap(grad(f))(at).to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-7 * (1 + std::abs(want[i]))) << x[i];
  enable_x64(false);
}

TEST(Special, ErrorFunctions) {
  expect_values([](const Array& x) { return special::erfcx(x); }, {-2, -.5, .5, 4, 30, 0, INFINITY, -INFINITY, NAN},
                {108.94090438997, 1.95236048918, 0.615690344193, 0.136999457625, 0.0187958888614, 1, 0, INFINITY, NAN});
  expect_values([](const Array& x) { return special::dawsn(x); }, {-2, .5, 4, 8, 50, 0, INFINITY, NAN},
                {-0.301340388924, 0.424436383502, 0.129348001236, 0.0630001987076, 0.0100020012012, 0, 0, NAN});
  expect_slopes([](const Array& x) { return special::erfcx(x); }, {-1, .5, 4, 20});
  expect_slopes([](const Array& x) { return special::dawsn(x); }, {-1, .5, 4, 20});
  EXPECT_EQ(special::dawsn(array({.5f}).astype(bfloat16)).dtype(), bfloat16);
  EXPECT_EQ(special::erfcx(arange(3)).dtype(), float32);
  EXPECT_THROW(special::dawsn(array({std::complex<float>(1, 1)})), TypeError);
}

TEST(Special, Faddeeva) {
  using C = std::complex<double>;
  enable_x64(true);
  const std::vector<C> z{{1, 1}, {.5, -.5}, {3, 0}, {-8, .1}, {0, 0}, {1e12, 1}};
  const std::vector<C> want{{0.3047442053, 0.2082189382},
                            {1.222008416, 1.189339309},
                            {0.0001234098041, 0.201157317},
                            {0.0009029126289, -0.07107654514},
                            {1, 0},
                            {0, 5.641895835e-13}};
  for (DType dtype : {complex64, complex128}) {
    const std::vector<C> got = special::wofz(array(z).astype(dtype)).astype(complex128).to_vector<C>();
    for (std::size_t i = 0; i < z.size(); ++i)
      EXPECT_LT(std::abs(got[i] - want[i]), (dtype == complex64 ? 3e-6 : 1e-9) * std::abs(want[i])) << i;
  }
  EXPECT_EQ(special::wofz(array({1.f})).dtype(), complex64);
  enable_x64(false);
}

TEST(Special, OwensT) {
  auto f = [](double a) { return [a](const Array& h) { return special::owens_t(h, a); }; };
  expect_values(f(.5), {1, INFINITY}, {0.0430646911208, 0}, 16);
  expect_values(f(1), {-2, 0, NAN}, {0.0111162817223, .125, NAN}, 16);
  expect_values(f(4), {.3}, {0.185910422024}, 16);
  expect_values(f(-2), {1}, {-0.0784681869931}, 16);
  expect_slopes(f(.5), {-1, .3, 2});
  expect_slopes([](const Array& a) { return special::owens_t(.7, a); }, {-2, .3, 1.5});
}

TEST(Special, ExponentialIntegrals) {
  expect_values(
      [](const Array& x) { return special::exp1(x); }, {.25, 1, 2.5, 10, 50, 0, INFINITY, -1, NAN},
      {1.04428263444, 0.219383934396, 0.0249149178703, 4.15696892969e-6, 3.78326402955e-24, INFINITY, 0, NAN, NAN});
  expect_values([](const Array& x) { return special::expi(x); }, {-2, .25, 5, 8, 15, 30, 60, 0, INFINITY, NAN},
                {-0.0489005107081, -0.542543264662, 40.1852753558, 440.379899535, 234955.852490768, 368973209407.274,
                 1.93618221393e+24, -INFINITY, INFINITY, NAN},
                12);
  auto of_order = [](double n) { return [n](const Array& x) { return special::expn(n, x); }; };
  expect_values(of_order(1), {.5, 0, -1}, {0.559773594776, INFINITY, NAN});
  expect_values(of_order(2), {1.5, 0}, {0.0731007865385, 1});
  expect_values(of_order(3), {3, INFINITY}, {0.00893064655602, 0});
  expect_values(of_order(5), {20}, {8.30713059942e-11});
  expect_values(of_order(40), {.5}, {0.0153501631589});
  for (double n : {1, 2, 7}) expect_slopes(of_order(n), {.3, 1.5, 6});
  expect_slopes([](const Array& x) { return special::expi(x); }, {-2, .5, 7, 12});
  expect_slopes([](const Array& x) { return special::exp1(x); }, {.5, 3});
}

TEST(Special, SineIntegrals) {
  const D x{-3, .5, 5, 20, 0, INFINITY, NAN};
  expect_values([](const Array& x) { return special::sici(x).si; }, x,
                {-1.848652528, 0.493107418043, 1.54993124494, 1.54824170104, 0, M_PI / 2, NAN});
  expect_values([](const Array& x) { return special::sici(x).ci; }, x,
                {0.119629786008, -0.177784078807, -0.190029749657, 0.0444198208454, -INFINITY, 0, NAN}, 24);
  const D at{-1, .5, 2.5, 20, 0, INFINITY, NAN};
  expect_values([](const Array& x) { return special::fresnel(x).s; }, at,
                {-0.43825914739, 0.06473243286, 0.61918175582, 0.484084535926, 0, .5, NAN});
  expect_values([](const Array& x) { return special::fresnel(x).c; }, at,
                {-0.779893400377, 0.492344225871, 0.457413009642, 0.499987334972, 0, .5, NAN});
  expect_values([](const Array& x) { return special::spence(x); }, {.1, .75, 1.75, 5, 1, 0, -1, NAN},
                {1.299714723, 0.267652639083, -0.64276126884, -2.369939797, 0, M_PI * M_PI / 6, NAN, NAN}, 200);
  expect_slopes([](const Array& x) { return special::sici(x).ci; }, {.5, 6});
  expect_slopes([](const Array& x) { return special::fresnel(x).s; }, {-.5, 3});
  expect_slopes([](const Array& x) { return special::spence(x); }, {.2, .7, 1.7, 3});
}

TEST(Special, Hypergeometric) {
  enable_x64(true);
  auto near = [](const Array& y, double want, double share = 1e-10) {
    EXPECT_NEAR(y.item<double>(), want, share * std::abs(want));
  };
  const Array one = array(1.0);
  near(special::hyp1f1(one, 2., .5), 1.2974425414);
  near(special::hyp1f1(2.5 * one, 1.5, -20.), -2.54208946767e-8);
  near(special::hyp1f1(.5 * one, 3., 150.), 5.75529713792e59);
  near(special::hyp1f1(-3. * one, 2., 4.), 1. / 3);
  near(special::hyp1f1(1.5 * one, 2.5, -300.), 0.000255831676987);
  near(special::hyp2f1(one, 2., 3., .5), 1.54517744448);
  near(special::hyp2f1(.5 * one, 1.5, 2.25, .97), 2.24115319105);
  near(special::hyp2f1(one, 2., 3., .95), 4.53347872256);
  near(special::hyp2f1(.5 * one, .7, 1.2, -4.), 0.59552353754);
  near(special::hyp2f1(-3. * one, 2., 1.5, .6), -0.0669714285714);
  near(special::hyp2f1(one, 2., 4., 1.), 3);
  near(special::hyp2f1(2. * one, 3., 2.5, .5), 5.35619449019);
  near(special::hyp2f1(one, 1., 2., -9.), 0.25584278811);
  near(special::hyp2f1(one, 2., 1., .95), 400);
  EXPECT_TRUE(std::isinf(special::hyp2f1(one, 2., 3., 1.5).item<double>()));
  const auto [a, b, x] = grad<0, 1, 2>([](const Array& a, const Array& b, const Array& x) {
    return special::hyp1f1(a, b, x);
  })(array(1.25), array(2.5), array(-1.5));
  near(a, -0.299772205785);
  near(b, 0.138579850762);
  near(x, 0.202405902318);
  const auto [p, q, r, v] = grad<0, 1, 2, 3>([](const Array& a, const Array& b, const Array& c, const Array& x) {
    return special::hyp2f1(a, b, c, x);
  })(array(1.25), array(.5), array(2.5), array(-.75));
  near(p, -0.095756592329);
  near(q, -0.25497941822);
  near(r, 0.0458372764502);
  near(v, 0.142317322395);
  enable_x64(false);
}

TEST(Special, Recurrences) {
  const D z{.5, 3, 20, 0};
  const D j0{0.938469807241, -0.260051954902, 0.167024664341, 1},
      j2{0.0306040234587, 0.486091260586, -0.160341351923, 0};
  expect_values([](const Array& x) { return special::bessel_jn(x, 2)(0); }, z, j0, 32);
  expect_values([](const Array& x) { return special::bessel_jn(x, 2)(2); }, z, j2, 32);
  EXPECT_EQ(special::bessel_jn(ones({3, 4}), 2).shape(), Shape({3, 3, 4}));
  EXPECT_THROW(special::bessel_jn(ones({3}), -1), ValueError);
  using C = std::complex<float>;
  const Array n = array({0, 2, 3, 5}), m = array({0, 1, -2, 5});
  const Array theta = array({.3f, .3f, 1.f, 2.f}), phi = array({.5f, .5f, 2.f, -1.f});
  const std::vector<C> want{
      {0.282094792f, 0}, {-0.191406743f, -0.10456598f}, {-0.255564698f, 0.295898246f}, {-0.0818413826f, -0.276666022f}};
  for (int most : {-1, 8, 40}) {
    const std::vector<C> got = special::sph_harm_y(n, m, theta, phi, most).to_vector<C>();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-6f) << i << " " << most;
  }
  EXPECT_THROW(jit([&](const Array& n) { return special::sph_harm_y(n, m, theta, phi); })(n), ValueError);
  EXPECT_THROW(special::sph_harm_y(theta, m, theta, phi), TypeError);
  const std::vector<float> b = special::bernoulli(16).to_vector<float>();
  EXPECT_EQ(b.size(), 17u);
  EXPECT_FLOAT_EQ(b[1], -.5f);
  EXPECT_FLOAT_EQ(b[12], -691.f / 2730);
  EXPECT_FLOAT_EQ(b[16], -3617.f / 510);
  EXPECT_THROW(special::bernoulli(-1), ValueError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
