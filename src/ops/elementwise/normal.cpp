// ndtr log_ndtr ndtr_slope ndtri: the normal distribution function, its logarithm, that one's derivative, and the
// inverse.
// Source: jax.scipy.special.
#include "ops/elementwise/normal.hpp"

#include "lane/normal.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/lax/special.hpp"

namespace tutti::ops {

constinit const Home ndtr = [] {
  return unary_op<takes_floating>("ndtr", [](auto x) { return lane::ndtr(x); },
                                  {.d = [](V x, V) { return apply(exp, x * x * -0.5) * 0.398942280401432678; }});
};
constinit const Home log_ndtr = [] {
  return unary_op<takes_floating>("log_ndtr", [](auto x) { return lane::log_ndtr(x); },
                                  {.d = [](V x, V) { return apply(ndtr_slope, x); }});
};
constinit const Home ndtr_slope = [] {
  return unary_op<takes_floating>("ndtr_slope", [](auto x) { return lane::ndtr_slope(x); },
                                  {.d = [](V x, V y) { return -y * (x + y); }});
};
constinit const Home ndtri = [] {
  constexpr double root_two_pi = 2.50662827463100050;
  return unary_op<takes_floating>(
      "ndtri", [](auto p) { return lane::ndtri(p); },
      {.d = [](V, V y) { return apply(exp, y * y * 0.5) * root_two_pi; }, .lo = 0.1, .hi = 0.9});
};

}  // namespace tutti::ops

namespace tutti::lax {

Array ndtr(const In& x) {
  CallScope scope(x.loc);
  return bind1(ops::ndtr, {}, {x.array});
}
Array log_ndtr(const In& x) {
  CallScope scope(x.loc);
  return bind1(ops::log_ndtr, {}, {x.array});
}
Array ndtri(const In& p) {
  CallScope scope(p.loc);
  return bind1(ops::ndtri, {}, {p.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
