// Values at the edges of functions that JAX and NumPy answer differently, or not at all. Values of NumPy 2.4 and JAX
// 0.10.2.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using C = std::complex<float>;
constexpr float inf = INFINITY, nan = NAN;

// bugreports-3, 15; values of NumPy. An odd integer period has no two ends that are one: JAX takes the wrong one.
TEST(Unwrap, NegativeAndOddPeriods) {
  const Array x = array({0.f, 1.5f, 4.f, 7.f, -3.f, -9.f, 2.5f}), whole = array({0, 1, 4, 7, -3, -9, 2});
  EXPECT_EQ(unwrap(x, {}, -1, -3).to_vector<float>(), (std::vector<float>{0, -1.5, -2, -2, -3, -3, -3.5}));
  EXPECT_EQ(unwrap(x, {}, -1, 3).to_vector<float>(), (std::vector<float>{0, 1.5, 1, 1, 0, 0, -.5}));
  EXPECT_EQ(unwrap(whole, {}, -1, -6).to_vector<int>(), (std::vector<int>{0, 1, -2, -5, -3, -3, -4}));
  EXPECT_EQ(unwrap(whole, {}, -1, -3).to_vector<int>(), (std::vector<int>{0, 1, 1, 1, 3, 3, 5}));
  EXPECT_EQ(unwrap(whole, {}, -1, 3).to_vector<int>(), (std::vector<int>{0, 1, 1, 1, 0, 0, -1}));
  EXPECT_EQ(unwrap(whole, {}, -1, 4).to_vector<int>(), (std::vector<int>{0, 1, 0, -1, -3, -5, -6}));
  for (const int period : {3, 4, 5, 7, -4}) {
    const Array apart = unwrap(whole, {}, -1, period) - whole;
    EXPECT_TRUE(bool(all(apart % period == 0))) << period << apart;
  }
}

// bugreports-3, 15; values of NumPy, of every integer type.
TEST(Round, IntegersToNegativePlaces) {
  const Array x = array({15, 25, -15, -25, 35, 14, 16, -14, -16, 5, -5, 127, -128, 0});
  for (const DType dtype : {DType(int8), DType(int16), DType(int32), DType(int64)}) {
    const Array y = round(x.astype(dtype), -1);
    EXPECT_EQ(y.dtype(), canonical(dtype));
    std::vector<int> expected{20, 20, -20, -20, 40, 10, 20, -10, -20, 0, 0, 130, -130, 0};
    if (dtype == int8) {
      expected[11] = -126;
      expected[12] = 126;
    }
    EXPECT_EQ(y.to_vector<int>(), expected);
    for (const int places : {-3, -5, -10, -40, -2147483647}) EXPECT_FALSE(bool(any(round(x.astype(dtype), places))));
  }
  EXPECT_EQ(round(array({150, 250, 251, 1250, 1350}).astype(uint16), -2).to_vector<int>(),
            (std::vector<int>{200, 200, 300, 1200, 1400}));
  EXPECT_EQ(round(array({2147483647, -2147483647 - 1, 1500000000, -500000000}), -9).to_vector<int>(),
            (std::vector<int>{2000000000, -2000000000, 2000000000, 0}));
  EXPECT_EQ(round(array({15, 25}), 3).to_vector<int>(), (std::vector<int>{15, 25}));
  EXPECT_EQ(int(jit([](const Array& v) { return vmap([](const Array& e) { return round(e, -1); })(v); })(x)(4)), 40);
  EXPECT_THROW(round(array({true}), -1), TypeError);
}

// bugreports-3, 15
TEST(Poisson, OfAnInfiniteRate) {
  const Array key = random::key(0), rates = array({inf, 1e20f, nan, -1.f, 0.f});
  EXPECT_EQ(random::poisson(key, rates).to_vector<int>(), (std::vector<int>{2147483647, 2147483647, -1, -1, 0}));
  EXPECT_EQ(float(random::poisson(key, Array(inf), Shape{}, float32)), inf);
}

// hostile-3, N2; values of JAX. NumPy keeps the parts of the first NaN.
TEST(Unique, CountsComplexNaNsAsOne) {
  const Array x = array(std::vector<C>{{nan, 1}, {1, nan}, {nan, nan}, {1, 0}, {0, nan}, {2, 0}, {nan, 1}});
  const Unique u = unique_all(x);
  const std::vector<C> values = u.values.to_vector<C>();
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0], C(1, 0));
  EXPECT_EQ(values[1], C(2, 0));
  EXPECT_TRUE(std::isnan(values[2].real()) && values[2].imag() == 0);
  EXPECT_EQ(u.indices.to_vector<int>(), (std::vector<int>{3, 5, 0}));
  EXPECT_EQ(u.inverse.to_vector<int>(), (std::vector<int>{2, 2, 2, 0, 2, 1, 2}));
  EXPECT_EQ(u.counts.to_vector<int>(), (std::vector<int>{1, 1, 5}));
  EXPECT_EQ(unique(x, {.equal_nan = false}).size(), 7);
  EXPECT_EQ(union1d(x, x(slice(0, 2))).size(), 3);
  const Array sized = unique(x, {.size = 5});
  EXPECT_EQ(sized.to_vector<C>()[4], C(1, 0));
}

using SignedLog = nn::SignedLog;
template <class F> std::vector<float> gradient(const F& f, const Array& x) {
  return grad(f)(x).template to_vector<float>();
}
void expect_near(const std::vector<float>& x, const std::vector<float>& y) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 2e-5 * (1 + std::abs(y[i]))) << i;
}

// Values of JAX.
TEST(Logsumexp, DerivativeWithNegativeWeights) {
  const Array a = array({1.f, 2.f, 3.f, .5f}), b = array({1.f, -2.f, .5f, -.3f});
  const SignedLog s = nn::logsumexp_with_sign(a, {}, false, b);
  EXPECT_NEAR(float(s.log), 0.92095137, 1e-6);
  EXPECT_EQ(float(s.sign), -1);
  auto log_of = [](const Array& x, const Array& w) { return nn::logsumexp_with_sign(x, {}, false, w).log; };
  const std::vector<float> by_a{-1.0822569f, 5.883759f, -3.9984286f, .19692661f};
  expect_near(gradient([&](const Array& x) { return log_of(x, b); }, a), by_a);
  expect_near(gradient([&](const Array& w) { return log_of(a, w); }, b),
              {-1.0822569f, -2.9418795f, -7.996857f, -.656422f});
  expect_near(gradient([&](const Array& x) { return nn::logsumexp(x, {}, false, -b); }, a), by_a);
  // A negative sum: NaN, and no derivative.
  EXPECT_TRUE(std::isnan(float(nn::logsumexp(a, {}, false, b))));
  expect_near(gradient([&](const Array& x) { return nn::logsumexp(x, {}, false, b); }, a), {0, 0, 0, 0});
  expect_near(gradient([&](const Array& x) { return nn::logsumexp(x, {}, false, 0 * b); }, a), {0, 0, 0, 0});
  EXPECT_EQ(float(nn::logsumexp(a, {}, false, 0 * b)), -inf);
  expect_near(gradient(
                  [&](const Array& w) {
                    return log_of(array({1.f, 2.f, inf}), w);
                  },
                  array({1.f, 2.f, 0.f})),
              {.15536241f, .42231882f, 0});
  EXPECT_EQ(float(nn::logsumexp(array({inf, 1.f}), {}, false, array({1.f, -1.f}))), inf);
}

// Values of JAX.
TEST(Cumlogsumexp, OfComplexNumbers) {
  const Array z = array(std::vector<C>{{1, 1}, {2, -2}, {3, .5f}, {.5f, -.3f}});
  auto expect_complex = [](const Array& x, const std::vector<C>& y) {
    const std::vector<C> got = x.to_vector<C>();
    ASSERT_EQ(got.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(std::abs(got[i] - y[i]), 0, 3e-6) << i;
  };
  expect_complex(lax::cumlogsumexp(z),
                 {{1, 1}, {1.5504546f, -1.9185278f}, {2.823915f, .31374454f}, {2.9022593f, .26159143f}});
  expect_complex(lax::cumlogsumexp(z, 0, true),
                 {{2.9022593f, .26159143f}, {2.7916522f, .14915729f}, {3.0571625f, .4443586f}, {.5f, -.3f}});
  const auto [y, dy] =
      jvp([](const Array& x) { return lax::cumlogsumexp(x); }, std::tuple{z}, std::tuple{z * array(C(0, 1))});
  expect_complex(dy, {{-1, 1}, {3.8147733f, 2.1796753f}, {-1.422926f, 2.1881723f}, {-1.3723032f, 1.9757919f}});
  const C last = lax::cumlogsumexp(array(std::vector<C>{{-inf, 0}, {1, 4}})).to_vector<C>()[1];
  EXPECT_NEAR(last.real(), 1, 1e-6);
}

// An element without a finite value changes what its window covers, and nothing else; of all types and both products.
TEST(Convolve, LeaksNoInfinities) {
  for (const DType dtype : {DType(float32), DType(bfloat16), DType(float16)})
    for (const int n : {20, 300, 5000})
      for (const int m : {1, 3, 16, 200}) {
        if (m > n) continue;
        for (const float bad : {inf, nan}) {
          const Array x = ones({n}, dtype).at(n / 3).set(bad), y = ones({m}, dtype);
          const Array place = arange(n + m - 1);
          const Array touched = (place >= n / 3) & (place < n / 3 + m);
          for (const Array& z : {convolve(x, y), convolve(y, x)})
            EXPECT_TRUE(bool(all(isfinite(z) == ~touched))) << dtype.name() << n << " " << m;
        }
      }
  // Zeros stand around the longer one, and are multiplied too: as JAX, unlike NumPy.
  const std::vector<float> ends = convolve(arange(1.f, 6.f), array({1.f, inf, 3.f})).to_vector<float>();
  EXPECT_TRUE(std::isnan(ends[0]) && std::isnan(ends[6]));
  EXPECT_EQ(ends[3], inf);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
