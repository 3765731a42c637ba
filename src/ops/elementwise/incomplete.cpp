// igamma igammac igamma_grad_a random_gamma_grad betainc zeta bessel_i0e bessel_i1e. Source: jax.lax.
#include "ops/elementwise/incomplete.hpp"

#include "lane/lane_functions.hpp"
#include "lane/normal.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/rounding.hpp"
#include "ops/elementwise/special.hpp"
#include "tutti/lax/special.hpp"

namespace tutti::ops {
namespace {

V of(const Op& op, const V& x) { return {bind1(op, {}, {x.a})}; }
V of(const Op& op, const V& x, const V& y) { return {bind1(op, {}, {x.a, y.a})}; }

// dP / dx.
V gamma_density(const V& a, const V& x) { return of(exp, (a - 1) * of(log, x) - x - of(lgamma, a)); }

[[noreturn]] void missing(const char* op, const char* by) {
  raise<UnsupportedError>(op, std::string("the derivative by ") + by + " is not implemented",
                          "Use stop_gradient where it is not needed.");
}

V sign_of(const V& x) { return choose(x < 0., full_like(x, -1), full_like(x, 1)); }

}  // namespace

constinit const Home igamma = [] {
  return binary_op<takes_floating>("igamma", [](auto a, auto x) { return lane::call(lane::lanes_igamma, a, x); },
                                   {.dx = [](V a, V x, V) { return of(igamma_grad_a, a, x); },
                                    .dy = [](V a, V x, V) { return gamma_density(a, x); },
                                    .lo = 0.3,
                                    .hi = 5});
};
constinit const Home igammac = [] {
  return binary_op<takes_floating>("igammac", [](auto a, auto x) { return lane::call(lane::lanes_igammac, a, x); },
                                   {.dx = [](V a, V x, V) { return -of(igamma_grad_a, a, x); },
                                    .dy = [](V a, V x, V) { return -gamma_density(a, x); },
                                    .lo = 0.3,
                                    .hi = 5});
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
  op.jvp = [](const Call&, const std::vector<Array>& p, const std::vector<Array>&,
              const std::vector<Array>& t) -> std::vector<Array> {
    if (t[0].has_value() || t[1].has_value()) missing("betainc", "a and b");
    if (!t[2].has_value()) return {Array()};
    const V a{p[0]}, b{p[1]}, x{p[2]};
    const V log_beta = of(lgamma, a) + of(lgamma, b) - of(lgamma, a + b);
    const V density = of(exp, (b - 1) * of(log1p, -x) + (a - 1) * of(log, x) - log_beta);
    return {lax::mul(t[2], density.a)};
  };
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
Array polygamma(const In& m, const In& x) {
  CallScope scope(m.loc);
  using ops::V;
  const V order{m.array}, zero = order == 0., n = ops::choose(zero, ops::full_like(order, 1), order) + 1.;
  // (-1)^(m + 1) m! zeta(m + 1, x), and digamma for m = 0.
  const V half = n * 0.5, even = V{bind1(ops::floor, {}, {half.a})} == half;
  const V size = ops::of(ops::exp, ops::of(ops::lgamma, n)) * ops::of(ops::zeta, n, V{x.array});
  return ops::choose(zero, ops::of(ops::digamma, V{x.array}), ops::choose(even, size, -size)).a;
}

}  // namespace tutti::lax
