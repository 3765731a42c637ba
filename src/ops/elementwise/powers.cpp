// sqrt rsqrt cbrt integer_pow pow. Source: jax.lax.
#include <cstdint>

#include "lane/float_power.hpp"
#include "lane/lane_math.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/powers.hpp"

namespace tutti::ops {
namespace {

// x^n by squaring, n >= 1.
template <class L> L by_squaring(L x, std::uint64_t n) {
  L result = x;
  bool started = false;
  for (; n > 0; n >>= 1) {
    if (n & 1) {
      result = started ? result * x : x;
      started = true;
    }
    if (n > 1) x = x * x;
  }
  return result;
}
template <class L> L integer_power(L x, std::int64_t n) {
  if (n == 0) return lane::constant(x, 1);
  L y = by_squaring(x, extent::magnitude(n));
  return n < 0 ? 1 / y : y;
}

Parts product_of(const Parts& x, const Parts& y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
Parts power_in_parts(const Parts& z, std::int64_t n) {
  const Parts one{full_like(z.re, 1), full_like(z.im, 0)};
  if (n == 0) return one;
  Parts base = z, power{};
  bool started = false;
  for (std::uint64_t left = extent::magnitude(n); left > 0; left >>= 1) {
    if (left & 1) power = started ? product_of(power, base) : base;
    started |= left & 1;
    if (left > 1) base = product_of(base, base);
  }
  return n < 0 ? quotient_of(one, power) : power;
}

// Integer powers of integers wrap; negative exponents give 1 / x^n, truncated. Squaring goes on until what is squared
// is 1 + 2^(j + 2) w, as every odd number to the power 2^j, j > 0, is: that to the power k is the sum of C(k, i) (2^(j
// + 2) w)^i, of which the first four do not vanish. Even numbers vanish to the power 2^j.
template <class L> L integer_pow_integer(L x, L n) {
  L one = lane::constant(x, 1), zero = lane::constant(x, 0), result = one, base = x;
  const int bits = static_cast<int>(lane::dtype_of(x).size()) * 8,
            steps = std::max(bits / 4 - 2, std::countr_zero(static_cast<unsigned>(bits)));
  for (int i = 0; i < steps; ++i) {
    result = lane::select((n & lane::constant_int(x, std::int64_t{1} << i)) == zero, result, result * base);
    base = base * base;
  }
  L k = lane::binary<lane::Bin::shr_logical>(n, lane::constant(x, steps));
  L u = base - one, two = lane::constant(x, 2), pairs = lane::binary<lane::Bin::shr_logical>(k * (k - one), one);
  // C(k, 3) = C(k, 2) (k - 2) / 3, where dividing by 3 is multiplying by its inverse; bits that are lost do not count.
  L third = lane::constant_int(x, static_cast<std::int64_t>(0xaaaaaaaaaaaaaaab)), triples = pairs * (k - two) * third;
  L rest = one + u * (k + u * (pairs + u * triples));
  rest = lane::select((x & one) == one, rest, lane::select(k == zero, one, zero));
  result = result * rest;
  if (!lane::dtype_of(x).is_signed()) return result;
  L minus = zero - one;
  L odd = lane::select((n & one) == one, minus, one);
  return lane::select(n < zero, lane::select(x == one, one, lane::select(x == minus, odd, zero)), result);
}

struct Power {
  template <class L> L operator()(L x, L y) const {
    if constexpr (requires { x.v; }) {
      if constexpr (std::integral<decltype(x.v)>)
        return integer_pow_integer(x, y);
      else
        return lane::float_power(x, y);
    } else {
      return x.reg.dtype.is_integer() ? integer_pow_integer(x, y) : lane::float_power(x, y);
    }
  }
};

}  // namespace

constinit const Home sqrt = [] {
  return unary_op<takes_inexact>(
      "sqrt", with_complex([](auto x) { return lane::sqrt(x); }, [](auto m, auto z) { return m.sqrt(z); }),
      {.d = [](V, V y) { return 0.5 / y; }, .lo = 0.2});
};
constinit const Home rsqrt = [] {
  return unary_op<takes_inexact>(
      "rsqrt", with_complex([](auto x) { return 1 / lane::sqrt(x); }, [](auto m, auto z) { return m.rsqrt(z); }),
      {.d = [](V x, V y) { return -0.5 * (y / x); }, .lo = 0.2});
};
constinit const Home cbrt = [] {
  return unary_op<takes_floating>("cbrt", [](auto x) { return lane::cbrt(x); },
                                  {.d = [](V, V y) { return (1. / 3) / (y * y); }, .lo = 0.2});
};

constinit const Home pow = [] {
  return binary_op<takes_number>("pow", with_complex(Power{}, [](auto m, auto x, auto y) { return m.pow(x, y); }),
                                 {.dx =
                                      [](V x, V y, V) {
                                        // y * x^(y-1), and 0 where y is 0 whatever x is.
                                        V exponent = choose(y == 0, full_like(y, 1), y - 1);
                                        V d = y * V{lax::pow(x.a, exponent.a)};
                                        return choose(y == 0, full_like(d, 0), d);
                                      },
                                  .dy =
                                      [](V x, V, V z) {
                                        // log(x) * x^y; 0 at x = 0 with y >= 0.
                                        V safe = choose(x == 0, full_like(x, 1), x);
                                        return V{bind1(log, {}, {safe.a})} * z;
                                      },
                                  .lo = 0.3,
                                  .hi = 2.5});
};

constinit const Home integer_pow = [] {
  constexpr unsigned mask = takes_number;
  Op op = unary_op<mask>("integer_pow", [](auto x) { return x; }, {.lo = 0.3});
  op.infer = [of_any = op.infer](const Call& c) {
    const Type& x = c.operands[0];
    if (const std::int64_t n = c.get<IntegerPow>().exponent; n < 0 && !x.dtype.is_inexact())
      raise<ValueError>(c.op.name, "integers to a negative power: " + x.str() + " to the power " + std::to_string(n),
                        "Convert to a floating type first.");
    return of_any(c);
  };
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    const std::int64_t n = c.get<IntegerPow>().exponent;
    with_storage<mask>(c.operands[0].dtype, [&]<class T>() {
      eval_loop<T, T>([n](auto x) { return integer_power(x, n); }, in, out[0], std::make_index_sequence<1>{});
    });
  };
  op.pointwise = [](VectorIR& ir, const Call& c, std::span<const Reg> in) {
    return integer_power(lane::Lane{&ir, in[0]}, c.get<IntegerPow>().exponent).reg;
  };
  op.in_parts = [](const Call& c, const std::vector<Array>& p) {
    return listed(power_in_parts({{p[0]}, {p[1]}}, c.get<IntegerPow>().exponent));
  };
  op.jvp = [](const Call& c, const std::vector<Array>& x, const std::vector<Array>& y,
              const std::vector<Array>& t) -> std::vector<Array> {
    const std::int64_t n = c.get<IntegerPow>().exponent;
    if (n == 0 || !t[0].has_value()) return {Array()};
    if (n == 1) return {t[0]};
    V power = n == 2 ? V{x[0]} : n == INT64_MIN ? V{y[0]} / V{x[0]} : V{lax::integer_pow(x[0], n - 1)};
    return {(V{t[0]} * (power * static_cast<double>(n))).a};
  };
  std::vector<Sample> plain = std::move(op.samples);
  op.samples.clear();
  for (const std::int64_t n : {0, 1, 2, 3, -1, 7, -2})
    for (const Sample& s : plain) {
      if (n < 0 && s.operands[0].dtype.is_integer()) continue;
      op.samples.push_back(s);
      op.samples.back().params = IntegerPow{n};
    }
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
