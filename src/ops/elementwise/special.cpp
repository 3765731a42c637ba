// erf erfc erf_inv lgamma digamma trigamma xlogy xlog1py logaddexp nextafter. Source: jax.lax, jax.scipy.special.
#include "ops/elementwise/special.hpp"
#include "lane/lane_math.hpp"
#include "lane/normal.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/incomplete.hpp"
#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {
namespace {

constexpr double two_over_sqrt_pi = 1.12837916709551257390;

V gaussian(const V& x) { return {bind1(exp, {}, {(-(x * x)).a})}; }

// exp(x - z) where z = log(exp(x) + exp(y)): 1 where they are equal, also when both are infinite.
V weight(const V& x, const V& z) { return choose(x == z, full_like(x, 1), {bind1(exp, {}, {(x - z).a})}); }

// x * y, and 0 where x is 0 and y, the logarithm of `of`, infinite or, for negative `of`, NaN.
template <lane::AnyLane L> L times_logarithm(L x, L y, L of) {
  return lane::select((x == 0) & (of == of), lane::constant(x, 0), x * y);
}
// x / y, and 0 where both are 0.
V zero_or_quotient(const V& x, const V& y) {
  const V none{lax::bitwise_and((x == 0.).a, (y == 0.).a)};
  return x / choose(none, full_like(y, 1), y);
}

}  // namespace

constinit const Home erf = [] {
  return unary_op<takes_floating>(
      "erf", [](auto x) { return lane::erf(x); },
      {.d = [](V x, V) { return gaussian(x) * two_over_sqrt_pi; }, .magnitude = at_most_one});
};
constinit const Home erfc = [] {
  return unary_op<takes_floating>("erfc", [](auto x) { return lane::erfc(x); },
                                  {.d = [](V x, V) { return gaussian(x) * -two_over_sqrt_pi; }});
};
constinit const Home erf_inv = [] {
  return unary_op<takes_floating>(
      "erf_inv", [](auto x) { return lane::erf_inv(x); },
      {.d = [](V, V y) { return V{bind1(exp, {}, {(y * y).a})} * (1 / two_over_sqrt_pi); }, .lo = -0.9, .hi = 0.9});
};
constinit const Home lgamma = [] {
  return unary_op<takes_floating>("lgamma", [](auto x) { return lane::call(lane::lanes_lgamma, x); },
                                  {.d = [](V x, V) { return V{bind1(digamma, {}, {x.a})}; }, .lo = 0.4, .hi = 5});
};
constinit const Home digamma = [] {
  return unary_op<takes_floating>("digamma", [](auto x) { return lane::call(lane::lanes_digamma, x); },
                                  {.d = [](V x, V) { return V{bind1(trigamma, {}, {x.a})}; }, .lo = 0.4, .hi = 5});
};
constinit const Home trigamma = [] {
  return unary_op<takes_floating>("trigamma", [](auto x) { return lane::call(lane::lanes_trigamma, x); },
                                  {.d =
                                       [](V x, V) {
                                         return V{bind1(zeta, {}, {full_like(x, 3).a, x.a})} * -2.;
                                       },
                                   .lo = 0.4,
                                   .hi = 5});
};
// x log(y), 0 for x = 0 and any number y. The derivative by x is log(y) there too.
constinit const Home xlogy = [] {
  return binary_op<takes_floating>("xlogy", [](auto x, auto y) { return times_logarithm(x, lane::log(y), y); },
                                   {.dx = [](V, V y, V) { return apply(log, y); },
                                    .dy = [](V x, V y, V) { return zero_or_quotient(x, y); },
                                    .lo = 0.2});
};
constinit const Home xlog1py = [] {
  return binary_op<takes_floating>("xlog1py", [](auto x, auto y) { return times_logarithm(x, lane::log1p(y), y); },
                                   {.dx = [](V, V y, V) { return apply(log1p, y); },
                                    .dy = [](V x, V y, V) { return zero_or_quotient(x, y + 1.); },
                                    .lo = -0.7});
};
// log(exp(x) + exp(y)) without overflow.
constinit const Home logaddexp = [] {
  return binary_op<takes_floating>(
      "logaddexp",
      [](auto x, auto y) {
        auto difference = x - y;
        auto sum = lane::max(x, y) + lane::log1p(lane::exp(-lane::abs(difference)));
        return lane::select(difference == difference, sum, x + y);  // equal infinities
      },
      {.dx = [](V x, V, V z) { return weight(x, z); }, .dy = [](V, V y, V z) { return weight(y, z); }, .ulp = 0});
};
constinit const Home nextafter = [] {
  // The next number depends on the precision, so 16-bit floats, which lanes compute in float32, are refused.
  Op op = binary_op<takes_floating>("nextafter", [](auto x, auto y) { return lane::nextafter(x, y); },
                                    {.flat = true, .smooth = false});
  op.infer = [infer = op.infer](const Call& c) {
    for (const Type& t : c.operands)
      if (t.dtype.size() < 4)
        raise<TypeError>("nextafter", "an operand is " + t.str(),
                         "It takes float32 and float64: convert with astype().");
    return infer(c);
  };
  std::erase_if(op.samples, [](const Sample& s) { return s.operands[0].dtype.size() < 4; });
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
