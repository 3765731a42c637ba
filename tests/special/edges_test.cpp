// Special functions and their derivatives at the edges of their domains: values are SciPy's, JAX's or mpmath's.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/lax/special.hpp"
#include "tutti/special/distributions.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using One = std::function<Array(const Array&)>;

float slope(const One& f, float x) { return grad(f)(array(x)).item<float>(); }
double value64(const std::function<Array()>& f) {
  enable_x64(true);
  const double y = f().item<double>();
  enable_x64(false);
  return y;
}
void expect_share(double got, double want, double share = 1e-13) {
  EXPECT_NEAR(got, want, share * std::abs(want)) << got << " " << want;
}

// bugreports-3, 2
TEST(SpecialEdges, LogarithmsTimesZero) {
  EXPECT_FLOAT_EQ(slope([](const Array& x) { return xlogy(x, 2.f); }, 0), std::log(2.f));
  EXPECT_FLOAT_EQ(slope([](const Array& x) { return xlog1py(x, 2.f); }, 0), std::log(3.f));
  EXPECT_FLOAT_EQ(slope([](const Array& y) { return xlogy(2.f, y); }, 4), 0.5f);
  EXPECT_EQ(slope([](const Array& x) { return special::entr(x); }, 0), INFINITY);
  EXPECT_FLOAT_EQ(slope([](const Array& x) { return special::entr(x); }, 1), -1);
  const One product = [](const Array& x) { return x * xlogy(x, 3.f); };
  EXPECT_FLOAT_EQ(slope(grad(product), 0), 2 * std::log(3.f));
  EXPECT_TRUE(std::isnan(xlogy(0.f, NAN).item<float>()));
  EXPECT_TRUE(std::isnan(xlog1py(0.f, NAN).item<float>()));
  EXPECT_EQ(xlogy(0.f, 0.f).item<float>(), 0);
  EXPECT_EQ(xlogy(0.f, INFINITY).item<float>(), 0);
  EXPECT_EQ(xlog1py(0.f, -1.f).item<float>(), 0);
  EXPECT_TRUE(std::isnan(special::rel_entr(NAN, 1.f).item<float>()));
  EXPECT_EQ(slope([](const Array& y) { return special::rel_entr(0.f, y); }, 2), 0);
  const Array both = vmap(grad([](const Array& x) { return xlogy(x, 2.f); }))(array({0.f, 1.f}));
  EXPECT_FLOAT_EQ(both(0).item<float>(), std::log(2.f));
}

// bugreports-3, 2: distributions at the edge of their support
TEST(SpecialEdges, Distributions) {
  EXPECT_FLOAT_EQ(slope([](const Array& p) { return stats::bernoulli::logpmf(0.f, p); }, 0), -1);
  EXPECT_FLOAT_EQ(slope([](const Array& p) { return stats::binom::logpmf(0.f, 3.f, p); }, 0), -3);
  EXPECT_FLOAT_EQ(slope([](const Array& x) { return stats::gamma::logpdf(x, 1.f); }, 0), -1);
  EXPECT_FLOAT_EQ(slope([](const Array& x) { return stats::beta::logpdf(x, 1.f, 2.f); }, 0), -1);
  EXPECT_FLOAT_EQ(slope([](const Array& mu) { return stats::poisson::logpmf(0.f, mu); }, 0), -1);
}

// bugreports-3, 3
TEST(SpecialEdges, PolynomialsOfGauss) {
  const double points[][5] = {
      {-1, 2, 1, 1, -1}, {-2, 3, 1.5, 1, 0.2}, {-2, -3, 1, 1, 10}, {-3, 4, 1, 2, -63}, {-1, 3, 1, 2, -5}};
  for (const auto& p : points) {
    EXPECT_FLOAT_EQ(special::hyp2f1(p[0], p[1], p[2], p[3]).item<float>(), static_cast<float>(p[4]));
    expect_share(value64([&] { return special::hyp2f1(array(p[0]), p[1], p[2], p[3]); }), p[4]);
  }
}
TEST(SpecialEdges, GaussFarToTheLeft) {
  const double points[][5] = {{1, 1, 2, -1e4, 9.21044036697651604e-4},
                              {1, 1, 2, -1e8, 1.84206807539523654e-7},
                              {1, 1, 2, -1e16, 3.6841361487904731e-15},
                              {2, 1, 2, -1e10, 9.999999999e-11},
                              {.5, 1.5, 2.5, -1e8, 1.49999985894768666e-4}};
  for (const auto& p : points) {
    expect_share(special::hyp2f1(p[0], p[1], p[2], p[3]).item<float>(), p[4], 3e-7);
    expect_share(value64([&] { return special::hyp2f1(array(p[0]), p[1], p[2], p[3]); }), p[4], 1e-15);
  }
}

// bugreports-3, 12
TEST(SpecialEdges, BesselFunctionsAtZero) {
  EXPECT_EQ(slope([](const Array& x) { return special::i0e(x); }, 0), 0);
  EXPECT_EQ(slope([](const Array& x) { return special::i0(x); }, 0), 0);
  EXPECT_EQ(slope([](const Array& x) { return special::i1e(x); }, 0), 0.5f);
  EXPECT_EQ(slope([](const Array& x) { return special::i1(x); }, 0), 0.5f);
  EXPECT_TRUE(std::isfinite(special::i0(array(90.f)).item<float>()));
}

// bugreports-3, 15
TEST(SpecialEdges, DigammaAtZero) {
  EXPECT_EQ(special::digamma(array(0.f)).item<float>(), -INFINITY);
  EXPECT_EQ(special::digamma(array(-0.f)).item<float>(), INFINITY);
  EXPECT_TRUE(std::isnan(special::digamma(array(-1.f)).item<float>()));
}

// hostile-3, N2
TEST(SpecialEdges, FarTails) {
  expect_share(special::poch(170.f, 13.f).item<float>(), 1.5502020761644858519e29, 1e-6);
  expect_share(value64([] { return special::poch(array(170.), 13.); }), 1.5502020761644858519e29, 1e-15);
  expect_share(value64([] { return special::poch(array(1000.), 14.); }), 1.09482358227848376e42, 1e-15);
  expect_share(value64([] { return special::owens_t(array(23.3), -.64); }), -1.1083123993382681e-120, 1e-13);
}

// The closing note before: igamma beyond a = 1e6 was an approximation without derivative.
TEST(SpecialEdges, LargeIncompleteGamma) {
  const auto f = [](const Array& a) { return lax::igamma(a, array(2000500.)); };
  enable_x64(true);
  const double step = 1, at = 2e6;
  const double by_difference = (f(array(at + step)).item<double>() - f(array(at - step)).item<double>()) / (2 * step);
  expect_share(grad(f)(array(at)).item<double>(), by_difference, 1e-6);
  expect_share(lax::igamma(array(2e6), array(2000500.)).item<double>() +
                   lax::igammac(array(2e6), array(2000500.)).item<double>(),
               1);
  enable_x64(false);
}

// The sweep: powers of large exponents lost digits, and with them Hurwitz' zeta function.
TEST(SpecialEdges, ZetaOfLargeExponents) {
  expect_share(value64([] { return special::zeta(array(1699.5018438676486), 1.3584717741944567); }),
               7.5897464553149017e-227, 1e-13);
  expect_share(value64([] { return special::zeta(array(306.8899444570321), 0.1786720005552414); }),
               3.438263270750705e+229, 1e-13);
  expect_share(value64([] { return special::zeta(array(153.00058364868164), 22.790939641316278); }),
               1.8289238575846962e-208, 1e-13);
  EXPECT_EQ(special::zeta(array(INFINITY), 3.f).item<float>(), 0);
  EXPECT_EQ(special::zeta(array(INFINITY), 1.f).item<float>(), 1);
  EXPECT_EQ(special::zeta(array(INFINITY), 1e20f).item<float>(), 0);
}

}  // namespace
}  // namespace tutti
