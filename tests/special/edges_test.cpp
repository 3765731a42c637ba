// Special functions and their derivatives at the edges of their domains: values are SciPy's, JAX's or mpmath's.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/lax/complex.hpp"
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
               3.4382632707517048e+229, 1e-13);
  expect_share(value64([] { return special::zeta(array(153.00058364868164), 22.790939641316278); }),
               1.8289238575846962e-208, 1e-13);
  EXPECT_EQ(special::zeta(array(INFINITY), 3.f).item<float>(), 0);
  EXPECT_EQ(special::zeta(array(INFINITY), 1.f).item<float>(), 1);
  EXPECT_EQ(special::zeta(array(INFINITY), 1e20f).item<float>(), 0);
}

// The sweep: what was lost beside the real axis, and where squares or exponentials overflow.
TEST(SpecialEdges, FaddeevaBesideTheAxes) {
  const auto part = [](bool imaginary, double x, double y) {
    return value64([&] {
      const Array w = special::wofz(lax::complex(array(x), array(y)));
      return imaginary ? lax::imag(w) : lax::real(w);
    });
  };
  expect_share(part(false, 14.505596160888672, 3.0726788503940632e-30), 8.298378797770521e-33, 1e-14);
  expect_share(part(false, 30, 5.75264356759983e-30), 3.6122288510027026e-33, 1e-14);
  expect_share(part(true, -5e-324, -26.68211034743537), -8.1566582570764062e-13, 1e-12);
  expect_share(part(true, 1e-22, 5.094116779914684), part(true, 1e-10, 5.094116779914684) * 1e-12, 1e-14);
  const Array z = lax::complex(array(1.401298464324817e-45f), array(-9.846735954284668f));
  EXPECT_NEAR(lax::imag(special::wofz(z)).item<float>(), 0.0708431809450705f, 1e-8f);
}
TEST(SpecialEdges, OscillatingFunctionsNextToTheirZeros) {
  expect_share(special::bessel_jn(array(3.82847261428833f), 1)(1).item<float>(), 0.0013028121230637113, 2e-7);
  expect_share(special::bessel_jn(array(15.700467109680176f), 5)(5).item<float>(), -5.74770126370924e-05, 1e-6);
  expect_share(special::sici(array(3.3901209831237793f)).ci.item<float>(), -0.0017012377966407512, 2e-7);
  expect_share(value64([] { return special::sici(array(3.384574147633699)).ci; }), -0.00011292417948082262, 1e-15);
  expect_share(lax::real(special::sph_harm_y(array({8}), array({1}), array({0.8265610933303833f}),
                                             array({6.499999046325684f})))(0)
                   .item<float>(),
               0.0009300764526357535, 2e-6);
}
TEST(SpecialEdges, DerivativesOfRecurrences) {
  const auto slope_of_j = [](int order, float x) {
    return slope([&](const Array& at) { return special::bessel_jn(at, order)(order); }, x);
  };
  EXPECT_NEAR(slope_of_j(0, 2), -0.5767248f, 1e-6f);
  EXPECT_NEAR(slope_of_j(3, 2), 0.15941915f, 1e-6f);
  for (int m = -3; m <= 3; ++m) {
    const auto real = [&](const Array& theta) {
      return lax::real(special::sph_harm_y(array(3), array(m), theta, array(0.3f), 3));
    };
    const float h = 1e-2f, at = 0.7f;
    const float by_difference = (8 * (real(array(at + h)).item<float>() - real(array(at - h)).item<float>()) -
                                 real(array(at + 2 * h)).item<float>() + real(array(at - 2 * h)).item<float>()) /
                                (12 * h);
    EXPECT_NEAR(slope(real, at), by_difference, 1e-4f) << m;
  }
}
// The sweep: pieces whose digits cancelled.
TEST(SpecialEdges, Integrals) {
  expect_share(special::expi(array(5.913473606109619f)).item<float>(), 80.37649462655303, 4e-7);
  expect_share(value64([] { return special::expi(array(5.895666579135074)); }), 79.2705599720385, 1e-15);
  expect_share(special::expn(array(3.f), array(1.0825588703155518f)).item<float>(), 0.09814686855684993, 4e-7);
  expect_share(value64([] { return special::expn(array(2.), array(1.19710277158023)); }), 0.11156408840201176, 2e-15);
  expect_share(value64([] { return special::spence(array(0.480491729410798)); }), 0.60952219875853887, 1e-15);
  expect_share(value64([] { return special::dawsn(array(6.101412592987131)); }), 0.08309653182905342, 1e-15);
  EXPECT_TRUE(std::isnan(special::spence(array(NAN)).item<float>()));
}
TEST(SpecialEdges, GaussAtInfinity) {
  EXPECT_EQ(special::hyp2f1(-2., 27.067889949932066, 12., array(INFINITY)).item<float>(), INFINITY);
  EXPECT_EQ(special::hyp2f1(-1., 3., 5., array(-INFINITY)).item<float>(), INFINITY);
  EXPECT_EQ(special::hyp2f1(2.3440847396850586, -0.5, 6.5, array(-INFINITY)).item<float>(), INFINITY);
  EXPECT_EQ(special::hyp2f1(2.5, 0.5, 6.5, array(-INFINITY)).item<float>(), 0);
}

// hostile-3, N2: logarithms of probabilities that float32 has none for, with derivatives. Values: mpmath.
TEST(SpecialEdges, LogarithmsOfTinyProbabilities) {
  const auto lower = [](const Array& x, const Array& a) { return stats::gamma::logcdf(x, a); };
  const auto upper = [](const Array& x, const Array& a) { return stats::gamma::logsf(x, a); };
  const auto share = [](const Array& x) { return stats::beta::logcdf(x, 7.5f, 193.f); };
  const Array x = array(0.75f), a = array(39.5f), far = array(200.f), small = array(2.5f), near_0 = array(0x1p-26f);
  expect_share(lower(x, a).item<float>(), -120.56783336081093519, 1e-6);
  expect_share(upper(far, small).item<float>(), -192.32971624174403670, 1e-6);
  expect_share(share(near_0).item<float>(), -105.11799815707777020, 1e-6);
  expect_share(slope([&](const Array& at) { return lower(at, a); }, 0.75f), 51.691800655154840587, 1e-4);
  expect_share(slope([&](const Array& of) { return lower(x, of); }, 39.5f), -3.9770528036415427147, 1e-5);
  expect_share(slope([&](const Array& at) { return upper(at, small); }, 200), -0.99253740556246623900, 1e-4);
  expect_share(slope([&](const Array& of) { return upper(far, of); }, 2.5f), 4.6001730087857838844, 1e-5);
  expect_share(slope(share, 0x1p-26f), 503316310.588239037781, 1e-4);
  expect_share(value64([] { return stats::t::pdf(array(82.99873352050781), array(23.)); }), 7.275096384480984e-31,
               1e-12);
}

// Beside the mean the beta integral takes 1 - x with all its digits; parameters next to 0 keep theirs.
TEST(SpecialEdges, BetaIntegralNextToItsEnds) {
  expect_share(value64([] { return stats::beta::sf(array(0.0003106264836650202), 0.5, 7384.051075062968); }),
               0.032198048026177664, 1e-14);
  expect_share(
      value64([] { return special::betainc(array(4.659298762577702e-10), 16.210572543689523, 0.03323381424592009); }),
      0.9999999997559945, 1e-14);
}

// Next to poles the distance from them keeps its digits, at them the infinity has SciPy's sign. Values: mpmath.
TEST(SpecialEdges, QuotientsOfGammaNextToPoles) {
  expect_share(value64([] { return special::poch(array(-49.99999701976776), 2.41247148311878e-16); }),
               0.9999999999190519, 1e-15);
  expect_share(value64([] { return special::poch(array(-39.99999523162842), -7.075778304009151e-11); }),
               1.0000148389409178, 1e-15);
  expect_share(value64([] { return special::beta(array(-2.639953201472638e-12), -74.99999944120646); }),
               -378792804006.8431, 1e-15);
  expect_share(value64([] { return special::beta(array(-178.00000000008095), -1.0089116833976662e-22); }),
               -9.911670332071006e+21, 1e-15);
  for (float z : {9.f, 15.f, 17.f}) EXPECT_EQ(special::poch(array(z), -20.f).item<float>(), INFINITY);
}

// Where digits cancel between 0 and 3, and where the two rules of Owen's T meet. Values: mpmath.
TEST(SpecialEdges, DigammaAndOwensTKeepTheirDigits) {
  expect_share(value64([] { return special::digamma(array(0.8015306217783351)); }), -0.9614941217873301, 1e-15);
  expect_share(value64([] { return special::digamma(array(0.5215942386818504)); }), -1.8607136794276524, 1e-15);
  expect_share(value64([] { return special::owens_t(array(4.026806024671162), 1.0023334881412787); }),
               1.4134526468609078e-05, 4e-15);
  expect_share(value64([] { return special::digamma(array(1.4616321449683622)); }), -9.241265521729427e-17, 1e-15);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
