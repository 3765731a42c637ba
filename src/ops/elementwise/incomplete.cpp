// igamma igammac igamma_grad_a random_gamma_grad betainc betaincc and logarithms of theirs, zeta bessel_i0e bessel_i1e.
// Source: jax.lax.
#include "ops/elementwise/incomplete.hpp"

#include "lane/lane_functions.hpp"
#include "lane/normal.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/gamma.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/rounding.hpp"
#include "ops/elementwise/special.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/lax/special.hpp"

namespace tutti::ops {
namespace {

V of(const Op& op, const V& x) { return {bind1(op, {}, {x.a})}; }
V of(const Op& op, const V& x, const V& y) { return {bind1(op, {}, {x.a, y.a})}; }

[[noreturn]] void missing(const char* op, const char* by) {
  raise<UnsupportedError>(op, std::string("the derivative by ") + by + " is not implemented",
                          "Use stop_gradient where it is not needed.");
}

// 0 at 0, where |x| has no derivative: the mean of both sides.
V sign_of(const V& x) { return {bind1(sign, {}, {x.a})}; }

// exp(-y) - 1, the quotient of the other probability and this one, whose logarithm is y.
V odds(const V& y) { return apply(expm1, -y); }
V exp_of(const V& x) { return apply(exp, x); }
// The derivative of the logarithm of one side by a, where igamma_log_grad_a is that of the sides below a + 1 and above.
V log_grad_a(const V& a, const V& x, const V& y, bool upper) {
  const V own = of(igamma_log_grad_a, a, x), other = -own * odds(y), below = x < a + 1.;
  return upper ? choose(below, other, own) : choose(below, own, other);
}

auto beta_integral_jvp(const char* name, double sign, bool logarithm = false) {
  return [name, sign, logarithm](const Call&, const std::vector<Array>& p, const std::vector<Array>& y,
                                 const std::vector<Array>& t) -> std::vector<Array> {
    if (t[0].has_value() || t[1].has_value()) missing(name, "a and b");
    if (!t[2].has_value()) return {Array()};
    const Op& op = logarithm ? beta_log_density : beta_density;
    const V density{bind1(op, {}, {p[2], p[0], p[1]})};
    return {lax::mul(t[2], ((logarithm ? exp_of(density - V{y[0]}) : density) * sign).a)};
  };
}

}  // namespace

constinit const Home igamma = [] {
  return binary_op<takes_floating>("igamma", [](auto a, auto x) { return lane::call(lane::lanes_igamma, a, x); },
                                   {.dx = [](V a, V x, V) { return of(igamma_grad_a, a, x); },
                                    .dy = [](V a, V x, V) { return of(gamma_density, x, a); },
                                    .lo = 0.3,
                                    .hi = 5});
};
constinit const Home igammac = [] {
  return binary_op<takes_floating>("igammac", [](auto a, auto x) { return lane::call(lane::lanes_igammac, a, x); },
                                   {.dx = [](V a, V x, V) { return -of(igamma_grad_a, a, x); },
                                    .dy = [](V a, V x, V) { return -of(gamma_density, x, a); },
                                    .lo = 0.3,
                                    .hi = 5});
};
constinit const Home log_igamma = [] {
  return binary_op<takes_floating>("log_igamma",
                                   [](auto a, auto x) { return lane::call(lane::lanes_log_igamma, a, x); },
                                   {.dx = [](V a, V x, V y) { return log_grad_a(a, x, y, false); },
                                    .dy = [](V a, V x, V y) { return exp_of(of(gamma_log_density, x, a) - y); },
                                    .lo = 0.3,
                                    .hi = 5});
};
constinit const Home log_igammac = [] {
  return binary_op<takes_floating>("log_igammac",
                                   [](auto a, auto x) { return lane::call(lane::lanes_log_igammac, a, x); },
                                   {.dx = [](V a, V x, V y) { return log_grad_a(a, x, y, true); },
                                    .dy = [](V a, V x, V y) { return -exp_of(of(gamma_log_density, x, a) - y); },
                                    .lo = 0.3,
                                    .hi = 5});
};
constinit const Home igamma_log_grad_a = [] {
  return binary_op<takes_floating>("igamma_log_grad_a",
                                   [](auto a, auto x) { return lane::call(lane::lanes_igamma_log_grad_a, a, x); },
                                   {.not_differentiable = "the second derivative of log_igamma is not implemented",
                                    .lo = 0.3,
                                    .hi = 5,
                                    .smooth = false});
};
constinit const Home log_betainc = [] {
  Op op = ternary_op<takes_floating>(
      "log_betainc", [](auto a, auto b, auto x) { return lane::call(lane::lanes_log_betainc, a, b, x); },
      {.lo = 0.2, .hi = 0.9, .smooth = false});
  op.jvp = beta_integral_jvp("log_betainc", 1, true);
  return op;
};
constinit const Home log_betaincc = [] {
  Op op = ternary_op<takes_floating>(
      "log_betaincc", [](auto a, auto b, auto x) { return lane::call(lane::lanes_log_betaincc, a, b, x); },
      {.lo = 0.2, .hi = 0.9, .smooth = false});
  op.jvp = beta_integral_jvp("log_betaincc", -1, true);
  return op;
};
constinit const Home igamma_grad_a = [] {
  return binary_op<takes_floating>("igamma_grad_a",
                                   [](auto a, auto x) { return lane::call(lane::lanes_igamma_grad_a, a, x); },
                                   {.not_differentiable = "the second derivative of igamma is not implemented",
                                    .lo = 0.3,
                                    .hi = 5,
                                    .smooth = false});
};
constinit const Home random_gamma_grad = [] {
  return binary_op<takes_floating>(
      "random_gamma_grad", [](auto a, auto x) { return lane::call(lane::lanes_random_gamma_grad, a, x); },
      {.not_differentiable = "its derivative is not implemented", .lo = 0.3, .hi = 5, .smooth = false});
};
constinit const Home zeta = [] {
  return binary_op<takes_floating>("zeta", [](auto x, auto q) { return lane::call(lane::lanes_zeta, x, q); },
                                   {.dx = [](V, V, V) -> V { missing("zeta", "x"); },
                                    .dy = [](V x, V q, V) { return -x * of(zeta, x + 1, q); },
                                    .lo = 1.5,
                                    .hi = 5,
                                    .smooth = false});
};
constinit const Home bessel_i0e = [] {
  return unary_op<takes_floating>("bessel_i0e", [](auto x) { return lane::bessel_i0e(x); },
                                  {.d = [](V x, V y) { return of(bessel_i1e, x) - sign_of(x) * y; }});
};
constinit const Home bessel_i1e = [] {
  return unary_op<takes_floating>("bessel_i1e", [](auto x) { return lane::bessel_i1e(x); }, {.d = [](V x, V y) {
                                    const V zero = x == 0., safe = choose(zero, full_like(x, 1), x);
                                    const V d = of(bessel_i0e, x) - y * (sign_of(x) + 1. / safe);
                                    return choose(zero, full_like(x, 0.5), d);
                                  }});
};
constinit const Home betainc = [] {
  Op op = ternary_op<takes_floating>("betainc",
                                     [](auto a, auto b, auto x) { return lane::call(lane::lanes_betainc, a, b, x); },
                                     {.lo = 0.2, .hi = 0.9, .smooth = false});
  op.jvp = beta_integral_jvp("betainc", 1);
  return op;
};
constinit const Home betaincc = [] {
  Op op = ternary_op<takes_floating>("betaincc",
                                     [](auto a, auto b, auto x) { return lane::call(lane::lanes_betaincc, a, b, x); },
                                     {.lo = 0.2, .hi = 0.9, .smooth = false});
  op.jvp = beta_integral_jvp("betaincc", -1);
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array igamma(const In& a, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::igamma, {}, {a.array, x.array});
}
Array igammac(const In& a, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::igammac, {}, {a.array, x.array});
}
Array log_igamma(const In& a, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::log_igamma, {}, {a.array, x.array});
}
Array log_igammac(const In& a, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::log_igammac, {}, {a.array, x.array});
}
Array log_betainc(const In& a, const In& b, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::log_betainc, {}, {a.array, b.array, x.array});
}
Array log_betaincc(const In& a, const In& b, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::log_betaincc, {}, {a.array, b.array, x.array});
}
Array igamma_grad_a(const In& a, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::igamma_grad_a, {}, {a.array, x.array});
}
Array random_gamma_grad(const In& a, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::random_gamma_grad, {}, {a.array, x.array});
}
Array betainc(const In& a, const In& b, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::betainc, {}, {a.array, b.array, x.array});
}
Array betaincc(const In& a, const In& b, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::betaincc, {}, {a.array, b.array, x.array});
}
Array zeta(const In& x, const In& q) {
  CallScope scope(x.loc);
  return bind1(ops::zeta, {}, {x.array, q.array});
}
Array bessel_i0e(const In& x) {
  CallScope scope(x.loc);
  return bind1(ops::bessel_i0e, {}, {x.array});
}
Array bessel_i1e(const In& x) {
  CallScope scope(x.loc);
  return bind1(ops::bessel_i1e, {}, {x.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
