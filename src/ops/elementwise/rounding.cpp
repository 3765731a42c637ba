// floor ceil round trunc is_finite. Derivative 0. round: to nearest, ties to even. Source: jax.lax.
#include "ops/elementwise/rounding.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {

constinit const Home floor = [] {
  return unary_op<takes_floating>("floor", [](auto x) { return lane::floor(x); }, {.flat = true, .lo = 0.1, .hi = 0.9});
};
constinit const Home ceil = [] {
  return unary_op<takes_floating>("ceil", [](auto x) { return lane::unary<lane::Un::ceil>(x); },
                                  {.flat = true, .lo = 0.1, .hi = 0.9});
};
constinit const Home round = [] {
  return unary_op<takes_floating>("round", [](auto x) { return lane::round_even(x); },
                                  {.flat = true, .lo = 0.6, .hi = 1.4});
};
constinit const Home trunc = [] {
  return unary_op<takes_floating>("trunc", [](auto x) { return lane::trunc(x); }, {.flat = true, .lo = 0.1, .hi = 0.9});
};
constinit const Home is_finite = [] {
  return predicate_op<takes_floating>("is_finite", [](auto x) { return x - x == 0; });
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
