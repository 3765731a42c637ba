// The functions of lane/lane_functions.hpp and lane/complex_functions.hpp: within their units of references in long
// double, the same bits for every kind of processor, and the values that lane/complex_math.hpp has at the edges.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "lane/complex_functions.hpp"
#include "lane/complex_math.hpp"
#include "lane/lane_functions.hpp"
#include "lane/normal.hpp"
#include "lane/side_by_side.hpp"

namespace tutti::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr long double pi = std::numbers::pi_v<long double>;

int most_kinds() { return lane::has_avx512() ? 3 : lane::has_avx2() ? 2 : 1; }

template <class T> double units_of(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) && std::isnan(rounded) ? 0 : 1e30;
  if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : 1e30;
  constexpr int lowest = std::numeric_limits<T>::min_exponent - 1, bits = std::numeric_limits<T>::digits - 1;
  const int exponent = want == 0 ? lowest : std::max(std::ilogb(want), lowest);
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / std::ldexp(1.L, exponent - bits));
}
template <class T> bool same_bits(T x, T y) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y) || (std::isnan(x) && std::isnan(y));
}

// --- references
long double digamma_of(long double x) {
  if (x < 0) return digamma_of(1 - x) - pi / std::tan(pi * (x - std::nearbyint(x)));
  long double sum = 0;
  for (; x < 40; ++x) sum -= 1 / x;
  const long double r = 1 / (x * x);
  return sum + std::log(x) - 0.5L / x - r * (1.L / 12 - r * (1.L / 120 - r * (1.L / 252 - r / 240)));
}
long double zeta_of(long double s, long double q) {
  long double sum = 0;
  for (; q < 60; ++q) sum += std::pow(q, -s);
  const long double last = std::pow(q, -s), r = 1 / q;
  return sum + last * q / (s - 1) + last / 2 +
         last * s * r *
             (1.L / 12 -
              (s + 1) * (s + 2) * r * r *
                  (1.L / 720 - (s + 3) * (s + 4) * r * r * (1.L / 30240 - (s + 5) * (s + 6) * r * r / 1209600)));
}
long double bessel_of(int order, long double x) {
  long double term = order ? x / 2 : 1, sum = term;
  for (int k = 1; k < 300; ++k) sum += term *= x * x / (4.L * k * (k + order));
  return std::exp(-std::abs(x)) * sum;
}
long double log_ndtr_of(long double x) {
  if (x > 0) return std::log1p(-std::erfc(x * std::sqrt(0.5L)) / 2);
  if (x > -100) return std::log(std::erfc(-x * std::sqrt(0.5L)) / 2);
  const long double z = 1 / (x * x);
  return -x * x / 2 - std::log(-x) - std::log(2 * pi) / 2 + std::log1p(-z * (1 - z * (3 - z * 15)));
}
long double ndtr_slope_of(long double x) { return std::exp(-x * x / 2 - log_ndtr_of(x)) / std::sqrt(2 * pi); }
long double ndtri_of(long double p) {  // Newton's method on the logarithm of the tail
  const long double q = std::min(p, 1 - p);
  long double t = q < 0.3L ? std::sqrt(-2 * std::log(q)) : 0;
  for (int i = 0; i < 100; ++i) t += (log_ndtr_of(-t) - std::log(q)) / ndtr_slope_of(-t);
  return p < 0.5L ? -t : t;
}
long double lower_gamma_of(long double a, long double x) {
  long double term = 1, sum = 1;
  for (int n = 1; n < 5000; ++n) sum += term *= x / (a + n);
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a + 1));
}
long double upper_gamma_of(long double a, long double x) {  // Legendre's fraction, from its far end
  long double rest = 0;
  for (int n = 5000; n > 0; --n) rest = n * (a - n) / (x + 2 * n + 1 - a + rest);
  return std::exp(a * std::log(x) - x - std::lgamma(a)) / (x + 1 - a + rest);
}
long double igamma_of(long double a, long double x) {
  return x < a + 1 ? lower_gamma_of(a, x) : 1 - upper_gamma_of(a, x);
}
long double igammac_of(long double a, long double x) {
  return x < a + 1 ? 1 - lower_gamma_of(a, x) : upper_gamma_of(a, x);
}
long double igamma_grad_of(long double a, long double x) {
  const long double h = 1e-4L * a;  // central differences of fourth order
  return (8 * (igamma_of(a + h, x) - igamma_of(a - h, x)) - igamma_of(a + 2 * h, x) + igamma_of(a - 2 * h, x)) /
         (12 * h);
}
long double betainc_of(long double a, long double b, long double x) {
  if (x > (a + 1) / (a + b + 2)) return 1 - betainc_of(b, a, 1 - x);
  long double rest = 0;
  for (int m = 2000; m > 0; --m) {
    rest = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) / (1 + rest);
    rest = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / (1 + rest);
  }
  rest = -(a + b) * x / (a + 1) / (1 + rest);
  return std::exp(a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) /
         (a * (1 + rest));
}

// By the trapezoid rule with a small step, for z above the real axis.
std::complex<long double> faddeeva_of(long double x, long double y) {
  using C = std::complex<long double>;
  constexpr long double h = 0.25L;
  const C z(x, y), i(0, 1);
  C sum = 0;
  for (long double t = -12.125L; t < 12.2L; t += h) sum += std::exp(-t * t) / (z - t);
  return i * h / pi * sum + 2.0L * std::exp(-z * z) / (1.0L + std::exp(-2.0L * pi * i * z / h));
}

struct Numbers {
  float x, y = 0, z = 0;
};
struct Case {
  const lane::LaneFunction* f;
  long double (*exact)(long double x, long double y, long double z);
  double single, twice;  // units in the last place in float32 and in float64
  std::vector<Numbers> at;
};

std::vector<Numbers> drawn(int n, float lo, float hi, float lo2 = 0, float hi2 = 1) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> x(lo, hi), y(lo2, hi2), z(0.01f, 0.99f);
  std::vector<Numbers> out;
  for (int i = 0; i < n; ++i) out.push_back({x(random), y(random), z(random)});
  return out;
}
// The first two numbers are whole; the first one is.
std::vector<Numbers> counted(std::vector<Numbers> of) {
  for (Numbers& n : of) n = {std::floor(n.x), std::min(std::floor(n.x), std::floor(n.y)), 3 * n.z};
  return of;
}
std::vector<Numbers> counted_first(std::vector<Numbers> of) {
  for (Numbers& n : of) n.x = std::floor(n.x);
  return of;
}
#define FUNCTION(f, e)                                                               \
  &lane::lanes_##f, [](long double x, long double y, long double z) -> long double { \
    (void)y;                                                                         \
    (void)z;                                                                         \
    return e;                                                                        \
  }

}  // namespace

TEST(lane_functions, are_within_their_units_with_the_same_bits_everywhere) {
  const Case cases[] = {
      {FUNCTION(lgamma, std::lgamma(x)), 1, 4, drawn(500, 0.01f, 30)},
      {FUNCTION(lgamma, std::lgamma(x)), 1, 1e4, drawn(500, -30, 3)},  // zeros there are known to a float
      {FUNCTION(digamma, digamma_of(x)), 1, 1e4, drawn(500, -10, 30)},
      {FUNCTION(trigamma, zeta_of(2, x)), 1, 8, drawn(300, 0.01f, 30)},
      {FUNCTION(zeta, zeta_of(x, y)), 1, 12, drawn(300, 1.05f, 10, 0.1f, 50)},
      {FUNCTION(bessel_i0e, bessel_of(0, x)), 1, 4, drawn(300, -20, 20)},
      {FUNCTION(bessel_i1e, bessel_of(1, x)), 1, 4, drawn(300, -20, 20)},
      {FUNCTION(igamma, igamma_of(x, y)), 1, 200, drawn(300, 0.1f, 30, 0.5f, 30)},
      {FUNCTION(igammac, igammac_of(x, y)), 1, 4000, drawn(300, 0.1f, 30, 0.01f, 50)},
      {FUNCTION(igamma_grad_a, igamma_grad_of(x, y)), 4, 1e7, drawn(100, 1, 10, 1, 10)},
      {FUNCTION(betainc, betainc_of(x, y, z)), 1, 500, drawn(300, 0.1f, 20, 0.1f, 20)},
      {FUNCTION(log_ndtr, log_ndtr_of(x)), 1, 8, drawn(500, -60, 5)},
      {FUNCTION(ndtr_slope, ndtr_slope_of(x)), 1, 2000, drawn(500, -60, 10)},
      {FUNCTION(ndtri, ndtri_of(x)), 1, 8, drawn(300, 1e-7f, 0.47f)},
      {FUNCTION(erf_inv, ndtri_of(0.5L + x / 2) * std::sqrt(0.5L)), 1, 8, drawn(300, -0.9999f, 0.9999f)},
      {FUNCTION(bessel_j, std::cyl_bessel_j(std::floor(x), y)), 1, 1e4, counted_first(drawn(300, 0, 20, 0, 60))},
      {FUNCTION(faddeeva_real, faddeeva_of(x, y).real()), 1, 40, drawn(300, 0, 8, 0, 6)},
      {FUNCTION(faddeeva_imag, faddeeva_of(x, y).imag()), 1, 40, drawn(300, 0, 8, 0, 6)},
      {FUNCTION(sphere_legendre, std::sph_legendre(static_cast<unsigned>(x), static_cast<unsigned>(y), z)), 1, 4000,
       counted(drawn(300, 0, 20, 0, 20))},
  };
  for (const Case& c : cases) {
    double single = 0, twice = 0;
    for (std::size_t first = 0; first < c.at.size(); first += 16) {  // the last lanes begin anew
      auto at = [&](int l) { return c.at[(first + static_cast<std::size_t>(l)) % c.at.size()]; };
      float in[3][16], out[16];
      double wide_in[3][16], wide_out[16];
      for (int l = 0; l < 16; ++l) {
        const Numbers n = at(l);
        const float numbers[] = {n.x, n.y, n.z};
        for (int k = 0; k < 3; ++k) wide_in[k][l] = in[k][l] = numbers[k];
      }
      for (int kind = 0; kind < most_kinds(); ++kind) {
        c.f->f32[kind](in[0], in[1], in[2], out);
        c.f->f64[kind](wide_in[0], wide_in[1], wide_in[2], wide_out);
        for (int l = 0; l < 16; ++l) {  // whatever stands beside it
          const Numbers n = at(l);
          const lane::Host<float> one = lane::call(*c.f, lane::Host<float>{n.x}, {n.y}, {n.z});
          const lane::Host<double> wide_one = lane::call(*c.f, lane::Host<double>{n.x}, {n.y}, {n.z});
          ASSERT_TRUE(same_bits(out[l], one.v) && same_bits(wide_out[l], wide_one.v))
              << c.f->name << " " << n.x << " " << n.y << " " << n.z << " of kind " << kind;
        }
      }
      for (int l = 0; l < 16; ++l) {
        const long double want = c.exact(at(l).x, at(l).y, at(l).z);
        single = std::max(single, units_of(out[l], want));
        twice = std::max(twice, units_of(wide_out[l], want));
      }
    }
    EXPECT_LE(single, c.single) << c.f->name;
    EXPECT_LE(twice, c.twice) << c.f->name;
  }
}

// Those that are lane expressions in float32.
TEST(lane_functions, of_single_lanes_are_within_four_units) {
  auto worst = [](auto f, auto exact, float lo, float hi) {
    double most = 0;
    for (const Numbers& n : drawn(3000, lo, hi))
      most = std::max(most, units_of(f(lane::Host<float>{n.x}).v, exact(n.x)));
    return most;
  };
  auto log_ndtr = [](auto x) { return lane::log_ndtr(x); };
  EXPECT_LE(worst(log_ndtr, log_ndtr_of, -90, 13), 4);
  EXPECT_LE(worst(log_ndtr, log_ndtr_of, -1, 1), 4);
  EXPECT_LE(worst([](auto x) { return lane::ndtr_slope(x); }, ndtr_slope_of, -90, 13), 4);
  auto ndtri = [](auto x) { return lane::ndtri(x); };
  EXPECT_LE(worst(ndtri, ndtri_of, 0, 0.49f), 4);
  EXPECT_LE(worst(ndtri, ndtri_of, 0.6f, 1), 4);
  EXPECT_LE(worst(ndtri, ndtri_of, 1e-38f, 1e-30f), 4);
  EXPECT_LE(worst(ndtri, ndtri_of, 1e-43f, 1e-39f), 4);  // subnormal
  EXPECT_LE(worst([](auto x) { return lane::bessel_i0e(x); }, [](float x) { return bessel_of(0, x); }, -20, 20), 4);
  EXPECT_LE(worst([](auto x) { return lane::bessel_i1e(x); }, [](float x) { return bessel_of(1, x); }, -20, 20), 4);
}

TEST(lane_functions, have_their_values_at_the_edges) {
  struct Edge {
    const lane::LaneFunction* f;
    double x, y, z, want;
  };
  const Edge edges[] = {
      {&lane::lanes_lgamma, 0, 0, 0, inf},        {&lane::lanes_lgamma, -3, 0, 0, inf},
      {&lane::lanes_lgamma, -inf, 0, 0, inf},     {&lane::lanes_lgamma, inf, 0, 0, inf},
      {&lane::lanes_lgamma, nan, 0, 0, nan},      {&lane::lanes_lgamma, 1, 0, 0, 0},
      {&lane::lanes_lgamma, 2, 0, 0, 0},          {&lane::lanes_digamma, 0, 0, 0, nan},
      {&lane::lanes_digamma, -4, 0, 0, nan},      {&lane::lanes_digamma, inf, 0, 0, inf},
      {&lane::lanes_trigamma, 0, 0, 0, inf},      {&lane::lanes_trigamma, inf, 0, 0, 0},
      {&lane::lanes_zeta, 1, 2, 0, inf},          {&lane::lanes_zeta, 0.5, 2, 0, nan},
      {&lane::lanes_zeta, 2, -3, 0, inf},         {&lane::lanes_zeta, 2.5, -3.5, 0, nan},
      {&lane::lanes_zeta, 3, inf, 0, 0},          {&lane::lanes_bessel_i0e, 0, 0, 0, 1},
      {&lane::lanes_bessel_i0e, inf, 0, 0, 0},    {&lane::lanes_bessel_i1e, -inf, 0, 0, -0.0},
      {&lane::lanes_igamma, 0, 1, 0, 1},          {&lane::lanes_igamma, 2, 0, 0, 0},
      {&lane::lanes_igamma, 2, inf, 0, 1},        {&lane::lanes_igamma, -1, 1, 0, nan},
      {&lane::lanes_igammac, 2, 0, 0, 1},         {&lane::lanes_igammac, 2, inf, 0, 0},
      {&lane::lanes_igamma_grad_a, 2, 0, 0, 0},   {&lane::lanes_betainc, 0, 1, 0.5, 1},
      {&lane::lanes_betainc, 2, 3, 0, 0},         {&lane::lanes_betainc, 2, 3, 1, 1},
      {&lane::lanes_betainc, 2, 3, 1.5, nan},     {&lane::lanes_log_ndtr, -inf, 0, 0, -inf},
      {&lane::lanes_log_ndtr, inf, 0, 0, -0.0},   {&lane::lanes_ndtr_slope, -inf, 0, 0, inf},
      {&lane::lanes_ndtr_slope, inf, 0, 0, 0},    {&lane::lanes_ndtri, 0, 0, 0, -inf},
      {&lane::lanes_ndtri, 1, 0, 0, inf},         {&lane::lanes_ndtri, 0.5, 0, 0, 0},
      {&lane::lanes_ndtri, -0.1, 0, 0, nan},      {&lane::lanes_ndtri, nan, 0, 0, nan},
      {&lane::lanes_faddeeva_real, 0, 0, 0, 1},   {&lane::lanes_faddeeva_real, inf, 1, 0, 0},
      {&lane::lanes_faddeeva_imag, 0, -9, 0, 0},  {&lane::lanes_faddeeva_imag, nan, 1, 0, nan},
      {&lane::lanes_bessel_j, 0, 0, 0, 1},        {&lane::lanes_bessel_j, 3, inf, 0, 0},
      {&lane::lanes_bessel_j, 1.5, 2, 0, nan},    {&lane::lanes_bessel_j, 1, -0.0, 0, -0.0},
      {&lane::lanes_sphere_legendre, 1, 2, 1, 0}, {&lane::lanes_sphere_legendre, 1, 0.5, 1, nan},
  };
  for (const Edge& e : edges) {
    const double got = lane::call(*e.f, lane::Host<double>{e.x}, {e.y}, {e.z}).v;
    EXPECT_TRUE(got == e.want || (std::isnan(got) && std::isnan(e.want))) << e.f->name << " " << e.x << ": " << got;
  }
  auto edge = [](auto got, double want) {
    EXPECT_TRUE(got.v == want || (std::isnan(got.v) && std::isnan(want))) << got.v;
  };
  using Single = lane::Host<float>;
  const float infinite = static_cast<float>(inf), none = static_cast<float>(nan);
  edge(lane::ndtri(Single{0}), -inf);
  edge(lane::ndtri(Single{1}), inf);
  edge(lane::ndtri(Single{0.5f}), 0);
  edge(lane::ndtri(Single{1.5f}), nan);
  edge(lane::log_ndtr(Single{-infinite}), -inf);
  edge(lane::log_ndtr(Single{infinite}), 0);
  edge(lane::log_ndtr(Single{none}), nan);
  edge(lane::ndtr_slope(Single{-infinite}), inf);
  edge(lane::bessel_i0e(Single{infinite}), 0);
  edge(lane::bessel_i1e(Single{none}), nan);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
