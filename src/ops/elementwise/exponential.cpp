// exp exp2 expm1 log log1p logistic. Source: jax.lax.
#include "ops/elementwise/exponential.hpp"
#include "lane/lane_math.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {

constinit const Home exp = [] {
  return unary_op<takes_floating>("exp", [](auto x) { return lane::exp(x); }, {.d = [](V, V y) { return y; }});
};
constinit const Home exp2 = [] {
  return unary_op<takes_floating>("exp2", [](auto x) { return lane::exp2(x); },
                                  {.d = [](V, V y) { return y * 0.693147180559945309; }});
};
constinit const Home expm1 = [] {
  return unary_op<takes_floating>("expm1", [](auto x) { return lane::expm1(x); }, {.d = [](V, V y) { return y + 1; }});
};
constinit const Home log = [] {
  return unary_op<takes_floating>("log", [](auto x) { return lane::log(x); },
                                  {.d = [](V x, V) { return 1 / x; }, .lo = 0.2});
};
constinit const Home log1p = [] {
  return unary_op<takes_floating>("log1p", [](auto x) { return lane::log1p(x); },
                                  {.d = [](V x, V) { return 1 / (x + 1); }, .lo = -0.7});
};
// 1 / (1 + exp(-x)), accurate in both tails.
constinit const Home logistic = [] {
  return unary_op<takes_floating>(
      "logistic", [](auto x) { return lane::logistic(x); },
      {.d = [](V, V y) { return y * (1 - y); }, .magnitude = at_most_one, .lo = -6, .hi = 6});
};

}  // namespace tutti::ops
