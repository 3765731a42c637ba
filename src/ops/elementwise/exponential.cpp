// exp exp2 expm1 log log1p logistic. Source: jax.lax.
#include "ops/elementwise/exponential.hpp"
#include "lane/lane_math.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {

constinit const Home exp = [] {
  return unary_op<takes_inexact>(
      "exp", with_complex([](auto x) { return lane::exp(x); }, [](auto m, auto z) { return m.exp(z); }),
      {.d = [](V, V y) { return y; }});
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
  return unary_op<takes_inexact>(
      "log", with_complex([](auto x) { return lane::log(x); }, [](auto m, auto z) { return m.log(z); }),
      {.d = [](V x, V) { return 1 / x; }, .lo = 0.2});
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
