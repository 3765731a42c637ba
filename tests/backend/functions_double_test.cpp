// The contract of elementary functions in float64, against those of long double; what float32 and float64 functions are
// at edges; and that none of them is a call for every element.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

struct WithX64 {
  WithX64() { enable_x64(true); }
  ~WithX64() { enable_x64(false); }
};

// In units of the last place of `want` as a T. A zero has the sign that it is to have.
template <class T> double units_of(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : 1e30;
  if (want == 0 && (got != 0 || std::signbit(got) != std::signbit(want))) return 1e30;
  const int least = std::numeric_limits<T>::min_exponent - 1, bits = std::numeric_limits<T>::digits - 1;
  const int exponent = want == 0 ? least : std::max(std::ilogb(want), least);
  return static_cast<double>(std::abs(got - want) / std::ldexp(1.L, exponent - bits));
}

struct OfOne {
  const char* name;
  Array (*ours)(const Array&);
  long double (*exact)(long double);
  double most;
};
struct OfTwo {
  const char* name;
  Array (*ours)(const Array&, const Array&);
  long double (*exact)(long double, long double);
  double most;
};
#define ONE(f, exact, most)                                                                           \
  {                                                                                                   \
#f, [](const Array& x) { return f(x); }, [](long double x) -> long double { return exact; }, most \
  }
#define TWO(f, exact, most)                                                                                           \
  {                                                                                                                   \
#f, [](const Array& x, const Array& y) { return f(x, y); }, [](long double x,                                     \
                                                                   long double y) -> long double { return exact; },   \
                                                                                                                 most \
  }
const OfOne of_one[] = {
    ONE(exp, std::exp(x), 2),       ONE(exp2, std::exp2(x), 2),      ONE(expm1, std::expm1(x), 2),
    ONE(log, std::log(x), 2),       ONE(log1p, std::log1p(x), 2),    ONE(sin, std::sin(x), 2),
    ONE(cos, std::cos(x), 2),       ONE(tan, std::tan(x), 4),        ONE(arcsin, std::asin(x), 2),
    ONE(arccos, std::acos(x), 2),   ONE(arctan, std::atan(x), 2),    ONE(sinh, std::sinh(x), 3),
    ONE(cosh, std::cosh(x), 2),     ONE(tanh, std::tanh(x), 3),      ONE(arcsinh, std::asinh(x), 2),
    ONE(arccosh, std::acosh(x), 3), ONE(arctanh, std::atanh(x), 2),  ONE(cbrt, std::cbrt(x), 1),
    ONE(lax::erf, std::erf(x), 2),  ONE(lax::erfc, std::erfc(x), 4), ONE(nn::sigmoid, 1 / (1 + std::exp(-x)), 3),
};
const OfTwo of_two[] = {
    TWO(power, std::pow(x, y), 2),
    TWO(arctan2, std::atan2(x, y), 3),
    TWO(tutti::fmod, std::fmod(x, y), 0),
};

// All doubles, and where functions bend.
std::vector<double> numbers() {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<double> out;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (x == 0 || std::abs(x) >= std::numeric_limits<double>::min()) out.push_back(x);
    for (double size : {1.02, 3., 30., 760., 1e6}) out.push_back(real(random) * size);
    out.push_back(real(random) * std::exp2(60 * real(random)));
    out.push_back(1 + real(random) * std::exp2(25 * real(random) - 25));
  }
  for (int i = -300; i < 300; ++i) {
    out.push_back(i * 1.5707963267948966);
    out.push_back(i * 0.34657359027997264);
  }
  return out;
}
template <class T> std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> out;
  for (T x : {T(0), T(1), T(2), T(3), T(0.5), T(1.5), T(1e-3), Limits::min(), Limits::denorm_min(), Limits::max(),
              Limits::infinity(), Limits::quiet_NaN(), T(1) - Limits::epsilon() / 2, T(1) + Limits::epsilon()}) {
    out.push_back(x);
    out.push_back(-x);
  }
  return out;
}
Shape length(std::size_t n) { return Shape{static_cast<std::int64_t>(n)}; }

template <class T> void check_edges() {
  const std::vector<T> all = edges<T>();
  std::vector<T> xs, ys;
  for (T x : all)
    for (T y : all) {
      xs.push_back(x);
      ys.push_back(y);
    }
  const Array one = array(all, length(all.size())), x = array(xs, length(xs.size())), y = array(ys, length(ys.size()));
  for (const char* backend : {"cpu", "reference"}) {
    config::backend(backend);
    for (const OfOne& f : of_one) {
      const std::vector<T> got = jit(f.ours)(one).template to_vector<T>();
      for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_LE(units_of(got[i], f.exact(all[i])), f.most) << backend << ' ' << f.name << ' ' << all[i];
    }
    for (const OfTwo& f : of_two) {
      const std::vector<T> got = jit(f.ours)(x, y).template to_vector<T>();
      for (std::size_t i = 0; i < xs.size(); ++i)
        EXPECT_LE(units_of(got[i], f.exact(xs[i], ys[i])), f.most)
            << backend << ' ' << f.name << ' ' << xs[i] << ' ' << ys[i];
    }
    const std::vector<T> next =
        jit([](const Array& a, const Array& b) { return nextafter(a, b); })(x, y).template to_vector<T>();
    for (std::size_t i = 0; i < xs.size(); ++i)
      EXPECT_EQ(units_of(next[i], std::nextafter(xs[i], ys[i])), 0) << backend << ' ' << xs[i] << ' ' << ys[i];
  }
  config::backend("cpu");
}

}  // namespace

TEST(functions, of_doubles_are_within_their_units) {
  WithX64 x64;
  const std::vector<double> xs = numbers();
  std::vector<double> ys = xs;
  std::shuffle(ys.begin(), ys.end(), std::mt19937_64(12));
  const Array x = array(xs, length(xs.size())), y = array(ys, length(ys.size()));
  auto look = [&](const char* name, const std::vector<double>& got, auto exact, double most) {
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < xs.size(); ++i)
      if (const double u = units_of(got[i], exact(i)); u > worst) {
        worst = u;
        at = i;
      }
    EXPECT_LE(worst, most) << name << " at " << xs[at] << ", " << ys[at];
  };
  for (const OfOne& f : of_one)
    look(
        f.name, jit(f.ours)(x).to_vector<double>(), [&](std::size_t i) { return f.exact(xs[i]); }, f.most);
  for (const OfTwo& f : of_two)
    look(
        f.name, jit(f.ours)(x, y).to_vector<double>(), [&](std::size_t i) { return f.exact(xs[i], ys[i]); }, f.most);
}

// Zeros and their signs, infinities, NaN, what is outside of the domain, the least and the largest numbers.
TEST(functions, at_edges_are_those_of_c) {
  check_edges<float>();
  WithX64 x64;
  check_edges<double>();
}

TEST(functions, are_no_calls) {
  WithX64 x64;
  for (const DType dtype : {float32, float64, bfloat16}) {
    const Array x = ones({64}, dtype);
    const std::string call = " =  ";  // which has no word of its own in a plan
    for (const OfOne& f : of_one)
      EXPECT_EQ(jit(f.ours).lower(x).compile().plan().find(call), std::string::npos) << f.name << ' ' << dtype.name();
    for (const OfTwo& f : of_two)
      EXPECT_EQ(jit(f.ours).lower(x, x).compile().plan().find(call), std::string::npos)
          << f.name << ' ' << dtype.name();
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
