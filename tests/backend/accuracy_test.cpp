// The contract of elementary functions in float32: within so many units in the last place of the double-precision
// function, over all floats and at edges.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "lane/lane_math.hpp"
#include "lane/normal.hpp"

namespace tutti::test {
namespace {

// In units of the last place of `want` as a float.
double units(float got, double want) {
  const float rounded = static_cast<float>(want);
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e30;
  const int exponent = want == 0 ? -149 : std::max(std::ilogb(want) - 23, -149);
  return std::abs(got - want) / std::ldexp(1., exponent);
}

struct Function {
  const char* name;
  float (*ours)(float);
  double (*exact)(double);
  double most;
};

#define OURS(f) [](float x) { return lane::f(lane::Host<float>{x}).v; }
const Function functions[] = {
    {"exp", OURS(exp), [](double x) { return std::exp(x); }, 2},
    {"exp2", OURS(exp2), [](double x) { return std::exp2(x); }, 2},
    {"expm1", OURS(expm1), [](double x) { return std::expm1(x); }, 2},
    {"log", OURS(log), [](double x) { return std::log(x); }, 2},
    {"log1p", OURS(log1p), [](double x) { return std::log1p(x); }, 2},
    {"logistic", OURS(logistic), [](double x) { return 1 / (1 + std::exp(-x)); }, 2},
    {"tanh", OURS(tanh), [](double x) { return std::tanh(x); }, 3},
    {"sin", OURS(sin), [](double x) { return std::sin(x); }, 2},
    {"cos", OURS(cos), [](double x) { return std::cos(x); }, 2},
    {"erf", OURS(erf), [](double x) { return std::erf(x); }, 2},
    {"erf_inv", OURS(erf_inv), [](double x) { return lane::erf_inv(lane::Host<double>{x}).v; }, 2},
};
#undef OURS

}  // namespace

TEST(elementary_functions, are_within_their_units) {
  for (const Function& f : functions) {
    double worst = 0;
    float at = 0;
    auto look = [&](float x) {
      const double u = units(f.ours(x), f.exact(x));
      if (u > worst) {
        worst = u;
        at = x;
      }
    };
    for (std::uint64_t b = 0; b < std::uint64_t{1} << 32; b += 9973)
      look(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
    for (int i = 0; i < 200'000; ++i) look(static_cast<float>(i - 100'000) * 1.1e-4f);  // where functions bend
    for (float x : {0.f, -0.f, 1.f, -1.f, std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
      look(x);
    EXPECT_LE(worst, f.most) << f.name << " at " << at;
  }
}

TEST(elementary_functions, keep_signs_of_zero_and_limits) {
  EXPECT_TRUE(std::signbit(lane::sin(lane::Host<float>{-0.f}).v));
  EXPECT_TRUE(std::signbit(lane::tanh(lane::Host<float>{-0.f}).v));
  EXPECT_TRUE(std::signbit(lane::expm1(lane::Host<float>{-0.f}).v));
  for (float x = 5; x < 12; x += 1e-5f) ASSERT_LE(lane::tanh(lane::Host<float>{x}).v, 1.f) << x;
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
