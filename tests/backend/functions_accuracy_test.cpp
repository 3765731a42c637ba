// The same contract for the functions that programs call: compiled by the engine, against the double-precision
// function.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

double normal_units(float got, double want) {
  const float rounded = static_cast<float>(want);
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e30;
  const int exponent = want == 0 ? -126 : std::max(std::ilogb(want), -126) - 23;
  return std::abs(got - want) / std::ldexp(1., exponent);
}

// Recurrence up to 40, then the asymptotic series; reflection for negative x. Sources: Abramowitz &
// Stegun 6.3.5, 6.3.7, 6.3.18.
double digamma_of(double x) {
  long double y = x, sum = 0;
  if (y <= 0) {
    if (y == std::floor(y)) return std::numeric_limits<double>::quiet_NaN();
    const long double pi = std::numbers::pi_v<long double>;
    sum = -pi / std::tan(pi * (y - std::nearbyint(y)));
    y = 1 - y;
  }
  for (; y < 40; ++y) sum -= 1 / y;
  const long double r = 1 / (y * y);
  return static_cast<double>(sum + std::log(y) - 0.5L / y -
                             r * (1.L / 12 - r * (1.L / 120 - r * (1.L / 252 - r * (1.L / 240 - r / 132)))));
}
// Newton's method on erf, from the tails' erfc where erf rounds to 1.
double erf_inv_of(double p) {
  if (!(std::abs(p) <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (std::abs(p) == 1) return std::copysign(std::numeric_limits<double>::infinity(), p);
  double q = std::abs(p), x = q < 0.7 ? q : std::sqrt(-std::log(1 - q));
  for (int i = 0; i < 100; ++i) {
    double error = q < 0.5 ? std::erf(x) - q : (1 - q) - std::erfc(x);
    double step = error * std::sqrt(std::numbers::pi) / 2 * std::exp(x * x);
    step /= 1 + x * step;  // Halley's
    x -= step;
    if (std::abs(step) <= 1e-17 * x) break;
  }
  return std::copysign(x, p);
}

struct Compiled {
  const char* name;
  Array (*ours)(const Array&);
  double (*exact)(double);
  double most;
};

#define ROW(f, exact, most)                                                                 \
  {                                                                                         \
#f, [](const Array& x) { return f(x); }, [](double x) -> double { return exact; }, most \
  }
const Compiled compiled_functions[] = {
    ROW(tan, std::tan(x), 2),
    ROW(arcsin, std::asin(x), 2),
    ROW(arccos, std::acos(x), 2),
    ROW(arctan, std::atan(x), 2),
    ROW(sinh, std::sinh(x), 2),
    ROW(cosh, std::cosh(x), 2),
    ROW(arcsinh, std::asinh(x), 2),
    ROW(arccosh, std::acosh(x), 2),
    ROW(arctanh, std::atanh(x), 2),
    ROW(sqrt, std::sqrt(x), 2),
    ROW(lax::rsqrt, 1 / std::sqrt(x), 2),
    ROW(cbrt, std::cbrt(x), 2),
    ROW(exp, std::exp(x), 2),
    ROW(exp2, std::exp2(x), 2),
    ROW(expm1, std::expm1(x), 2),
    ROW(log, std::log(x), 2),
    ROW(log1p, std::log1p(x), 2),
    ROW(sin, std::sin(x), 2),
    ROW(cos, std::cos(x), 2),
    ROW(tanh, std::tanh(x), 3),
    ROW(lax::erf, std::erf(x), 2),
    ROW(log2, std::log2(x), 2),
    ROW(log10, std::log10(x), 2),
    ROW(lax::erfc, std::erfc(x), 2),
    ROW(lax::lgamma, std::lgamma(x), 4),
    ROW(lax::digamma, digamma_of(x), 4),
    ROW(lax::erf_inv, erf_inv_of(x), 2),
    ROW(nn::sigmoid, 1 / (1 + std::exp(-x)), 2),
};

}  // namespace

TEST(functions, are_within_their_units) {
  std::vector<float> xs;
  for (std::uint64_t b = 0; b < std::uint64_t{1} << 32; b += 39983) {
    float x = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    if (std::isfinite(x) && (x == 0 || std::abs(x) >= std::numeric_limits<float>::min()))
      xs.push_back(x);  // subnormals: loosely, elsewhere
  }
  for (int i = 0; i < 100'000; ++i) xs.push_back(static_cast<float>(i - 50'000) * 2.2e-4f);
  Array x = array(xs, Shape{static_cast<std::int64_t>(xs.size())});
  for (const Compiled& f : compiled_functions) {
    std::vector<float> got = f.ours(x).to_vector<float>();
    double worst = 0;
    float at = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      double u = normal_units(got[i], f.exact(xs[i]));
      if (u > worst) {
        worst = u;
        at = xs[i];
      }
    }
    EXPECT_LE(worst, f.most) << f.name << " at " << at;
  }
}

// Zeros, infinities and NaN, negative numbers and whole, odd and large exponents, in the engine and by definition.
TEST(functions, powers_at_edges_are_those_of_c) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> edges = {0.f,      -0.f,       1.f,     -1.f,   inf,         -inf,        nan,
                                    2.f,      -2.f,       0.5f,    -0.5f,  3.f,         -3.f,        1.5f,
                                    -1.5f,    1e-40f,     -1e-40f, 1e38f,  -1e38f,      8388609.f,   16777215.f,
                                    16777216, -8388609.f, 1e-3f,   -1e-3f, 0.99999994f, 1.00000012f, -149.f,
                                    -126.5f,  128.f,      127.99f, -33.f,  33554432.f,  -33554432.f};
  std::vector<float> xs, ys;
  for (float x : edges)
    for (float y : edges) {
      xs.push_back(x);
      ys.push_back(y);
    }
  const Shape n{static_cast<std::int64_t>(xs.size())};
  const Array x = array(xs, n), y = array(ys, n);
  for (const char* backend : {"cpu", "reference"}) {
    config::backend(backend);
    const std::vector<float> got =
        jit([](const Array& a, const Array& b) { return power(a, b); })(x, y).to_vector<float>();
    config::backend("cpu");
    for (std::size_t i = 0; i < xs.size(); ++i) {
      SCOPED_TRACE(std::to_string(xs[i]) + " to the power " + std::to_string(ys[i]) + " by " + backend);
      const double want = std::pow(static_cast<double>(xs[i]), static_cast<double>(ys[i]));
      EXPECT_LE(normal_units(got[i], want), 1);
      EXPECT_TRUE(std::isnan(want) || std::signbit(got[i]) == std::signbit(want));
    }
  }
}

TEST(functions, powers_are_no_calls) {
  const Array x = ones({64});
  const std::string plan = jit([](const Array& a) { return power(a, -1.5f) + 1; }).lower(x).compile().plan();
  EXPECT_EQ(plan.find(" pow"), std::string::npos) << plan;
}

TEST(functions, of_two_arguments_too) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> size(-8, 8);
  std::vector<float> xs, ys;
  for (int i = 0; i < 200'000; ++i) {
    xs.push_back(std::exp2(size(random)));
    ys.push_back(size(random) * (i % 2 ? 1.f : 3.f));
  }
  const std::int64_t n = static_cast<std::int64_t>(xs.size());
  std::vector<float> powers = power(array(xs, Shape{n}), array(ys, Shape{n})).to_vector<float>(),
                     angles = arctan2(array(ys, Shape{n}), array(xs, Shape{n})).to_vector<float>();
  double worst_power = 0, worst_angle = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    worst_power =
        std::max(worst_power, units(powers[i], std::pow(static_cast<double>(xs[i]), static_cast<double>(ys[i]))));
    worst_angle =
        std::max(worst_angle, units(angles[i], std::atan2(static_cast<double>(ys[i]), static_cast<double>(xs[i]))));
  }
  EXPECT_LE(worst_power, 1);
  EXPECT_LE(worst_angle, 2);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
