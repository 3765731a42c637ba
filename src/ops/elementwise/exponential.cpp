// exp exp2 expm1 log log1p logistic. Source: jax.lax.
#include "ops/elementwise/exponential.hpp"

#include <limits>

#include "lane/lane_math.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/trigonometric.hpp"

namespace tutti::ops {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

constinit const Home exp = [] {
  // In two steps where exp(re) overflows and its product with a small sine does not.
  return with_parts<1>(
      unary_op<takes_inexact>(
          "exp", with_complex([](auto x) { return lane::exp(x); }, [](auto m, auto z) { return m.exp(z); }),
          {.d = [](V, V y) { return y; }}),
      [](const Parts& z) {
        const V size = apply(exp, z.re), overflows = size == kInfinity;
        const V first = choose(overflows, apply(exp, z.re * 0.5), size);
        const V second = choose(overflows, first, full_like(size, 1)), sine = first * apply(sin, z.im) * second;
        return Parts{first * apply(cos, z.im) * second, choose(z.im == 0.0, full_like(z.im, 0), sine)};
      });
};
constinit const Home exp2 = [] {
  return unary_op<takes_inexact>(
      "exp2", with_complex([](auto x) { return lane::exp2(x); }, [](auto m, auto z) { return m.exp2(z); }),
      {.d = [](V, V y) { return y * 0.693147180559945309; }});
};
constinit const Home expm1 = [] {
  return unary_op<takes_inexact>(
      "expm1", with_complex([](auto x) { return lane::expm1(x); }, [](auto m, auto z) { return m.expm1(z); }),
      {.d = [](V, V y) { return y + 1; }});
};
constinit const Home log = [] {
  return with_parts<1>(
      unary_op<takes_inexact>(
          "log", with_complex([](auto x) { return lane::log(x); }, [](auto m, auto z) { return m.log(z); }),
          {.d = [](V x, V) { return 1 / x; }, .lo = 0.2}),
      [](const Parts& z) {
        const Array x = apply(abs, z.re).a, y = apply(abs, z.im).a;
        const V high{lax::max(x, y)}, low{lax::min(x, y)};
        const V near_one{lax::bitwise_and((high > 0.5).a, (high < 2).a)};  // |z|^2 - 1 without cancellation
        const V squared = (high - 1.0) * (high + 1.0) + low * low;
        return Parts{choose(near_one, apply(log1p, squared) * 0.5, apply(log, magnitude_of(z))),
                     V{lax::atan2(z.im.a, z.re.a)}};
      });
};
constinit const Home log1p = [] {
  return unary_op<takes_inexact>(
      "log1p", with_complex([](auto x) { return lane::log1p(x); }, [](auto m, auto z) { return m.log1p(z); }),
      {.d = [](V x, V) { return 1 / (x + 1); }, .lo = -0.7});
};
// 1 / (1 + exp(-x)), accurate in both tails.
constinit const Home logistic = [] {
  return unary_op<takes_inexact>(
      "logistic", with_complex([](auto x) { return lane::logistic(x); }, [](auto m, auto z) { return m.logistic(z); }),
      {.d = [](V, V y) { return y * (1 - y); }, .magnitude = at_most_one, .lo = -6, .hi = 6});
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
