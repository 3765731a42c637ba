// bessel_j faddeeva_real faddeeva_imag sphere_legendre. Source: jax.scipy.special.
#include "ops/elementwise/bessel.hpp"

#include <numbers>

#include "lane/lane_functions.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/powers.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "tutti/lax/gamma.hpp"

namespace tutti::ops {
namespace {

constexpr double two_over_root_pi = 2 * std::numbers::inv_sqrtpi;

V value_of(const Op& op, const V& x, const V& y) { return {bind1(op, {}, {x.a, y.a})}; }
V root_of(const V& x) { return apply(sqrt, x); }

// w' = 2i / sqrt(pi) - 2 z w for z = x + iy: its real part, and its imaginary part.
V slope_real(V x, V y) { return (x * value_of(faddeeva_real, x, y) - y * value_of(faddeeva_imag, x, y)) * -2.; }
V slope_imag(V x, V y) {
  return (x * value_of(faddeeva_imag, x, y) + y * value_of(faddeeva_real, x, y)) * -2. + two_over_root_pi;
}

}  // namespace

constinit const Home faddeeva_real = [] {
  return binary_op<takes_floating>(
      "faddeeva_real", [](auto x, auto y) { return lane::call(lane::lanes_faddeeva_real, x, y); },
      {.dx = [](V x, V y, V) { return slope_real(x, y); }, .dy = [](V x, V y, V) { return -slope_imag(x, y); }});
};
constinit const Home faddeeva_imag = [] {
  return binary_op<takes_floating>(
      "faddeeva_imag", [](auto x, auto y) { return lane::call(lane::lanes_faddeeva_imag, x, y); },
      {.dx = [](V x, V y, V) { return slope_imag(x, y); }, .dy = [](V x, V y, V) { return slope_real(x, y); }});
};
constinit const Home bessel_j = [] {
  Op op = binary_op<takes_floating>(
      "bessel_j", [](auto order, auto x) { return lane::call(lane::lanes_bessel_j, order, x); },
      {.dx = [](V order, V, V) { return full_like(order, 0); },  // a whole number
       .dy =
           [](V order, V x, V) {
             const V first = order == 0., less = choose(first, order + 1., order - 1.);
             const V sign = choose(first, full_like(order, -1), full_like(order, 1));
             return (sign * value_of(bessel_j, less, x) - value_of(bessel_j, order + 1., x)) * 0.5;
           },
       .smooth = false});
  return op;
};
constinit const Home sphere_legendre = [] {
  Op op = ternary_op<takes_floating>(
      "sphere_legendre",
      [](auto n, auto m, auto theta) { return lane::call(lane::lanes_sphere_legendre, n, m, theta); },
      {.smooth = false});
  // By theta: what the neighbours in order are; that of order -1 is - that of order 1.
  op.jvp = [](const Call& c, const std::vector<Array>& p, const std::vector<Array>&,
              const std::vector<Array>& t) -> std::vector<Array> {
    if (!t[2].has_value()) return {Array()};
    const V n{p[0]}, m{p[1]}, theta{p[2]}, first = m == 0.;
    auto at = [&](const V& order) { return V{bind1(c.op, {}, {n.a, order.a, theta.a})}; };
    const V below = choose(first, full_like(m, 1), m - 1.);
    const V sign = choose(first, full_like(m, -1), full_like(m, 1));
    const V up = root_of((n - m) * (n + m + 1.)) * at(m + 1.),
            down = root_of((n + m) * (n - m + 1.)) * sign * at(below);
    const V s{bind1(sin, {}, {p[2]})};
    return {lax::mul(t[2], ((up - down) * choose(s < 0., full_like(s, -0.5), full_like(s, 0.5))).a)};
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array bessel_j(const In& order, const In& x) {
  CallScope scope(order.loc);
  return bind1(ops::bessel_j, {}, {order.array, x.array});
}
Array faddeeva_real(const In& x, const In& y) {
  CallScope scope(x.loc);
  return bind1(ops::faddeeva_real, {}, {x.array, y.array});
}
Array faddeeva_imag(const In& x, const In& y) {
  CallScope scope(x.loc);
  return bind1(ops::faddeeva_imag, {}, {x.array, y.array});
}
Array sphere_legendre(const In& n, const In& m, const In& theta) {
  CallScope scope(n.loc);
  return bind1(ops::sphere_legendre, {}, {n.array, m.array, theta.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
