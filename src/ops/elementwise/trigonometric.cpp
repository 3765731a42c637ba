// Circular and hyperbolic functions and their inverses. Source: jax.lax.
#include "ops/elementwise/trigonometric.hpp"
#include "lane/lane_math.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/powers.hpp"

namespace tutti::ops {

constinit const Home sin = [] {
  return with_parts<1>(
      unary_op<takes_inexact>(
          "sin", with_complex([](auto x) { return lane::sin(x); }, [](auto m, auto z) { return m.sin(z); }),
          {.d = [](V x, V) { return apply(cos, x); }, .magnitude = at_most_one, .lo = -7, .hi = 7}),
      [](const Parts& z) {
        const V re = apply(sin, z.re) * apply(cosh, z.im);
        return Parts{choose(z.re == 0.0, full_like(z.re, 0), re), apply(cos, z.re) * apply(sinh, z.im)};
      });
};
constinit const Home cos = [] {
  return with_parts<1>(
      unary_op<takes_inexact>(
          "cos", with_complex([](auto x) { return lane::cos(x); }, [](auto m, auto z) { return m.cos(z); }),
          {.d = [](V x, V) { return -apply(sin, x); }, .magnitude = at_most_one, .lo = -7, .hi = 7}),
      [](const Parts& z) {
        const V im = -(apply(sin, z.re) * apply(sinh, z.im));
        return Parts{apply(cos, z.re) * apply(cosh, z.im), choose(z.re == 0.0, full_like(z.re, 0), im)};
      });
};
constinit const Home tan = [] {
  return unary_op<takes_inexact>(
      "tan", with_complex([](auto x) { return lane::tan(x); }, [](auto m, auto z) { return m.tan(z); }),
      {.d = [](V, V y) { return y * y + 1; }, .lo = -1, .hi = 1});
};
constinit const Home asin = [] {
  return unary_op<takes_inexact>(
      "asin", with_complex([](auto x) { return lane::asin(x); }, [](auto m, auto z) { return m.asin(z); }),
      {.d = [](V x, V) { return apply(rsqrt, 1 - x * x); }, .lo = -0.8, .hi = 0.8});
};
constinit const Home acos = [] {
  return unary_op<takes_inexact>(
      "acos", with_complex([](auto x) { return lane::acos(x); }, [](auto m, auto z) { return m.acos(z); }),
      {.d = [](V x, V) { return -apply(rsqrt, 1 - x * x); }, .lo = -0.8, .hi = 0.8});
};
constinit const Home atan = [] {
  return unary_op<takes_inexact>(
      "atan", with_complex([](auto x) { return lane::atan(x); }, [](auto m, auto z) { return m.atan(z); }),
      {.d = [](V x, V) { return 1 / (x * x + 1); }});
};
constinit const Home atan2 = [] {
  return binary_op<takes_floating>("atan2", [](auto x, auto y) { return lane::atan2(x, y); },
                                   {.dx = [](V x, V y, V) { return y / (x * x + y * y); },
                                    .dy = [](V x, V y, V) { return -x / (x * x + y * y); },
                                    .lo = 0.3});
};
constinit const Home sinh = [] {
  return unary_op<takes_inexact>(
      "sinh", with_complex([](auto x) { return lane::sinh(x); }, [](auto m, auto z) { return m.sinh(z); }),
      {.d = [](V x, V) { return apply(cosh, x); }});
};
constinit const Home cosh = [] {
  return unary_op<takes_inexact>(
      "cosh", with_complex([](auto x) { return lane::cosh(x); }, [](auto m, auto z) { return m.cosh(z); }),
      {.d = [](V x, V) { return apply(sinh, x); }});
};
constinit const Home tanh = [] {
  return unary_op<takes_inexact>(
      "tanh", with_complex([](auto x) { return lane::tanh(x); }, [](auto m, auto z) { return m.tanh(z); }),
      {.d = [](V, V y) { return 1 - y * y; }, .magnitude = at_most_one});
};
constinit const Home asinh = [] {
  return unary_op<takes_inexact>(
      "asinh", with_complex([](auto x) { return lane::asinh(x); }, [](auto m, auto z) { return m.asinh(z); }),
      {.d = [](V x, V) { return apply(rsqrt, x * x + 1); }});
};
// The + 0 turns -0 at x = -1 into 0: infinity with JAX's sign.
constinit const Home acosh = [] {
  return unary_op<takes_inexact>(
      "acosh", with_complex([](auto x) { return lane::acosh(x); }, [](auto m, auto z) { return m.acosh(z); }),
      {.d = [](V x, V) { return apply(rsqrt, (x - 1) * (x + 1) + 0); }, .lo = 1.3, .hi = 4});
};
constinit const Home atanh = [] {
  return unary_op<takes_inexact>(
      "atanh", with_complex([](auto x) { return lane::atanh(x); }, [](auto m, auto z) { return m.atanh(z); }),
      {.d = [](V x, V) { return 1 / ((1 - x) * (1 + x)); }, .lo = -0.8, .hi = 0.8});
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
