// gamma polygamma beta log_beta poch binomial, densities of the gamma, beta and Student's distributions. Source:
// jax.scipy.special, scipy.special.
#include "ops/elementwise/gamma.hpp"

#include "lane/lane_functions.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/special.hpp"
#include "tutti/lax/gamma.hpp"

namespace tutti::ops {
namespace {

V psi(const V& x) { return apply(digamma, x); }

// x / y, and 0 where x is 0.
V zero_or_share(const V& x, const V& y) {
  const V none = x == 0.;
  return choose(none, full_like(x, 0), x / choose(none, full_like(y, 1), y));
}
// Derivatives of the logarithms of densities.
V gamma_by_x(const V& x, const V& a) { return zero_or_share(a - 1., x) - 1.; }
V gamma_by_a(const V& x, const V& a) { return apply(log, x) - psi(a); }
std::vector<V> beta_slopes(const std::vector<Array>& p) {
  const V x{p[0]}, a{p[1]}, b{p[2]}, sum = psi(a + b);
  return {zero_or_share(a - 1., x) - zero_or_share(b - 1., 1. - x), apply(log, x) - psi(a) + sum,
          apply(log1p, -x) - psi(b) + sum};
}
// Of beta's density, where it is not the logarithm times that; elsewhere 0.
auto beta_jvp(bool logarithm) {
  return [logarithm](const Call&, const std::vector<Array>& p, const std::vector<Array>& y,
                     const std::vector<Array>& t) -> std::vector<Array> {
    const V x{p[0]};
    const V inside{lax::bitwise_and((x >= 0.).a, (1. - x >= 0.).a)};
    const std::vector<V> slopes = beta_slopes(p);
    Array sum;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!t[k].has_value()) continue;
      const V slope = logarithm ? slopes[k] : V{y[0]} * slopes[k];
      const Array part = lax::mul(t[k], choose(inside, slope, full_like(slope, 0)).a);
      sum = sum.has_value() ? lax::add(sum, part) : part;
    }
    return {sum};
  };
}
// Of Student's, which for infinite k is the normal one.
V t_by_x(const V& x, const V& k) { return -x * (1. / k + 1.) / (x / k * x + 1.); }
V t_by_k(const V& x, const V& k) {
  const V share = x / k * x, size = psi(k * 0.5 + 0.5) - psi(k * 0.5) - 1. / k;
  return 0.5 * (size - apply(log1p, share) + (1. / k + 1.) * share / (share + 1.));
}
V inside_or_0(const V& x, const V& slope) { return choose(x >= 0., slope, full_like(slope, 0)); }

}  // namespace

constinit const Home gamma = [] {
  return unary_op<takes_floating>("gamma", [](auto x) { return lane::call(lane::lanes_gamma, x); },
                                  {.d = [](V x, V y) { return y * psi(x); }, .lo = 0.4, .hi = 5});
};
constinit const Home polygamma = [] {
  return binary_op<takes_floating>("polygamma", [](auto m, auto x) { return lane::call(lane::lanes_polygamma, m, x); },
                                   {.dx = [](V, V, V) -> V {
                                      raise<UnsupportedError>("polygamma", "the derivative by m is not implemented",
                                                              "Use stop_gradient: m is a whole number.");
                                    },
                                    .dy =
                                        [](V m, V x, V) {
                                          return V{bind1(polygamma, {}, {(m + 1.).a, x.a})};
                                        },
                                    .lo = 0.4,
                                    .hi = 5,
                                    .smooth = false});
};
constinit const Home beta = [] {
  return binary_op<takes_floating>("beta", [](auto a, auto b) { return lane::call(lane::lanes_beta, a, b); },
                                   {.dx = [](V a, V b, V y) { return y * (psi(a) - psi(a + b)); },
                                    .dy = [](V a, V b, V y) { return y * (psi(b) - psi(a + b)); },
                                    .lo = 0.4,
                                    .hi = 5});
};
constinit const Home log_beta = [] {
  return binary_op<takes_floating>("log_beta", [](auto a, auto b) { return lane::call(lane::lanes_log_beta, a, b); },
                                   {.dx = [](V a, V b, V) { return psi(a) - psi(a + b); },
                                    .dy = [](V a, V b, V) { return psi(b) - psi(a + b); },
                                    .lo = 0.4,
                                    .hi = 5});
};
constinit const Home poch = [] {
  return binary_op<takes_floating>("poch", [](auto z, auto m) { return lane::call(lane::lanes_poch, z, m); },
                                   {.dx = [](V z, V m, V y) { return y * (psi(z + m) - psi(z)); },
                                    .dy = [](V z, V m, V y) { return y * psi(z + m); },
                                    .lo = 0.4,
                                    .hi = 3});
};
constinit const Home binomial = [] {
  return binary_op<takes_floating>("binomial", [](auto n, auto k) { return lane::call(lane::lanes_binomial, n, k); },
                                   {.dx = [](V n, V k, V y) { return y * (psi(n + 1.) - psi(n - k + 1.)); },
                                    .dy = [](V n, V k, V y) { return y * (psi(n - k + 1.) - psi(k + 1.)); },
                                    .lo = 0.4,
                                    .hi = 5,
                                    .smooth = false});
};

constinit const Home gamma_density = [] {
  return binary_op<takes_floating>("gamma_density",
                                   [](auto x, auto a) { return lane::call(lane::lanes_gamma_density, x, a); },
                                   {.dx = [](V x, V a, V y) { return inside_or_0(x, y * gamma_by_x(x, a)); },
                                    .dy = [](V x, V a, V y) { return inside_or_0(x, y * gamma_by_a(x, a)); },
                                    .lo = 0.4,
                                    .hi = 5});
};
constinit const Home gamma_log_density = [] {
  return binary_op<takes_floating>("gamma_log_density",
                                   [](auto x, auto a) { return lane::call(lane::lanes_gamma_log_density, x, a); },
                                   {.dx = [](V x, V a, V) { return inside_or_0(x, gamma_by_x(x, a)); },
                                    .dy = [](V x, V a, V) { return inside_or_0(x, gamma_by_a(x, a)); },
                                    .lo = 0.4,
                                    .hi = 5});
};
constinit const Home t_density = [] {
  return binary_op<takes_floating>("t_density", [](auto x, auto k) { return lane::call(lane::lanes_t_density, x, k); },
                                   {.dx = [](V x, V k, V y) { return y * t_by_x(x, k); },
                                    .dy = [](V x, V k, V y) { return y * t_by_k(x, k); },
                                    .lo = 0.4,
                                    .hi = 5});
};
constinit const Home t_log_density = [] {
  return binary_op<takes_floating>("t_log_density",
                                   [](auto x, auto k) { return lane::call(lane::lanes_t_log_density, x, k); },
                                   {.dx = [](V x, V k, V) { return t_by_x(x, k); },
                                    .dy = [](V x, V k, V) { return t_by_k(x, k); },
                                    .lo = 0.4,
                                    .hi = 5});
};
constinit const Home beta_density = [] {
  Op op = ternary_op<takes_floating>(
      "beta_density", [](auto x, auto a, auto b) { return lane::call(lane::lanes_beta_density, x, a, b); },
      {.lo = 0.2, .hi = 0.9});
  op.jvp = beta_jvp(false);
  return op;
};
constinit const Home beta_log_density = [] {
  Op op = ternary_op<takes_floating>(
      "beta_log_density", [](auto x, auto a, auto b) { return lane::call(lane::lanes_beta_log_density, x, a, b); },
      {.lo = 0.2, .hi = 0.9});
  op.jvp = beta_jvp(true);
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array gamma_density(const In& x, const In& a) {
  CallScope scope(x.loc);
  return bind1(ops::gamma_density, {}, {x.array, a.array});
}
Array gamma_log_density(const In& x, const In& a) {
  CallScope scope(x.loc);
  return bind1(ops::gamma_log_density, {}, {x.array, a.array});
}
Array beta_density(const In& x, const In& a, const In& b) {
  CallScope scope(x.loc);
  return bind1(ops::beta_density, {}, {x.array, a.array, b.array});
}
Array beta_log_density(const In& x, const In& a, const In& b) {
  CallScope scope(x.loc);
  return bind1(ops::beta_log_density, {}, {x.array, a.array, b.array});
}

Array t_density(const In& x, const In& df) {
  CallScope scope(x.loc);
  return bind1(ops::t_density, {}, {x.array, df.array});
}
Array t_log_density(const In& x, const In& df) {
  CallScope scope(x.loc);
  return bind1(ops::t_log_density, {}, {x.array, df.array});
}

Array gamma(const In& x) {
  CallScope scope(x.loc);
  return bind1(ops::gamma, {}, {x.array});
}
Array polygamma(const In& m, const In& x) {
  CallScope scope(m.loc);
  return bind1(ops::polygamma, {}, {m.array, x.array});
}
Array beta(const In& a, const In& b) {
  CallScope scope(a.loc);
  return bind1(ops::beta, {}, {a.array, b.array});
}
Array log_beta(const In& a, const In& b) {
  CallScope scope(a.loc);
  return bind1(ops::log_beta, {}, {a.array, b.array});
}
Array poch(const In& z, const In& m) {
  CallScope scope(z.loc);
  return bind1(ops::poch, {}, {z.array, m.array});
}
Array binomial(const In& n, const In& k) {
  CallScope scope(n.loc);
  return bind1(ops::binomial, {}, {n.array, k.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
