// neg abs sign add sub mul div rem fma max min. Integers wrap; x / 0 is -1 and x % 0 is x (integers), division
// truncates. Source: jax.lax.
#include "ops/elementwise/arithmetic.hpp"
#include "lane/float_steps.hpp"
#include "ops/elementwise/complex_order.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/rounding.hpp"
#include "tutti/lax/complex.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

Array negated(const Array& x) { return x.has_value() ? lax::neg(x) : x; }

Arrays transpose_neg(const Call&, const Arrays& ct, const Arrays&, const Flags&) { return {negated(ct[0])}; }

// Both operands of a sum; an operand that is not asked for is dropped by the caller.
template <bool minus> Arrays transpose_sum(const Call& c, const Arrays& ct, const Arrays&, const Flags& undefined) {
  Array y = undefined[1] ? cotangent_for(minus ? negated(ct[0]) : ct[0], c.operands[1]) : Array();
  return {undefined[0] ? cotangent_for(ct[0], c.operands[0]) : Array(), y};
}

Arrays transpose_mul(const Call& c, const Arrays& ct, const Arrays& operands, const Flags& undefined) {
  Arrays out(2);
  for (int i = 0; i < 2; ++i)
    if (undefined[i] && ct[0].has_value()) out[i] = cotangent_for(lax::mul(ct[0], operands[1 - i]), c.operands[i]);
  return out;
}

Arrays transpose_div(const Call& c, const Arrays& ct, const Arrays& operands, const Flags&) {
  if (!ct[0].has_value()) return Arrays(2);
  return {cotangent_for(lax::div(ct[0], operands[1]), c.operands[0]), Array()};
}

// Partial sums may be large where their sum is not: what makes them larger has to wait for the sum. Integers wrap.
bool product_adds_up(const Call& c, const std::vector<int>& set, const std::vector<Magnitude>& operands) {
  return c.operands[0].dtype.is_integer() || operands[1 - set[0]].most <= 1;
}
bool quotient_adds_up(const Call& c, const std::vector<int>&, const std::vector<Magnitude>& operands) {
  return !c.operands[0].dtype.is_integer() && operands[1].least >= 1;
}

Magnitude of_first(const Call&, const std::vector<Magnitude>& operands) { return operands[0]; }
Magnitude of_product(const Call&, const std::vector<Magnitude>& operands) {
  return {operands[0].least * operands[1].least, operands[0].most * operands[1].most};
}
Magnitude of_quotient(const Call&, const std::vector<Magnitude>& operands) {
  return {operands[0].least / operands[1].most, operands[0].most / operands[1].least};
}

// d max(x, y) / dx: 1 where x wins, 1/2 at a tie.
V share(const V& x, const V& y, const V& z) {
  V one = full_like(z, 1), half = full_like(z, 0.5), zero = full_like(z, 0);
  return choose(x == z, choose(y == z, half, one), zero);
}
struct RemainderOf {
  template <class L> L operator()(L x, L y) const {
    if constexpr (requires { x.v; }) {
      if constexpr (std::floating_point<decltype(x.v)>)
        return lane::fmod(x, y);
      else
        return x % y;
    } else {
      return x.reg.dtype.is_floating() ? lane::fmod(x, y) : x % y;
    }
  }
};

template <bool largest> Op extremum(const char* name, Array (*comes_first)(const In&, const In&)) {
  const Rules rules{.dx = [](V x, V y, V z) { return share(x, y, z); },
                    .dy = [](V x, V y, V z) { return share(y, x, z); }};
  return with_parts<2>(binary_op<takes_number | takes_bool>(name, extremum_of<largest>(), rules),
                       [comes_first](const Parts& x, const Parts& y) {
                         const V first = by_parts(comes_first, x.re, x.im, y.re, y.im);
                         return Parts{choose(first, x.re, y.re), choose(first, x.im, y.im)};
                       });
}

}  // namespace

constinit const Home neg = [] {
  return with_parts<1>(
      unary_op<takes_number>("neg", [](auto x) { return -x; },
                             {.linear = {{0}}, .signs = {-1}, .transpose = transpose_neg, .magnitude = of_first}),
      [](const Parts& z) {
        return Parts{-z.re, -z.im};
      });
};

// abs'(0) = 1 of a real 0, and 0 of a complex one, as in JAX.
constinit const Home abs = [] {
  Op op =
      unary_op<takes_real>("abs", [](auto x) { return lane::abs(x); },
                           {.d = [](V x, V) { return choose(x >= 0, full_like(x, 1), full_like(x, -1)); }, .lo = 0.1});
  op.infer = [](const Call& c) -> std::vector<Type> {
    return {Type{real_dtype(c.operands[0].dtype), pointwise_shape(c, takes_number), false, {}}};
  };
  op.eval = [of_real = op.eval](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    if (!c.operands[0].dtype.is_complex()) return of_real(c, in, out);
    with_storage<takes_complex>(c.operands[0].dtype, [&]<class C>() {
      using T = typename C::value_type;
      for (std::int64_t i = 0, n = out[0].size(); i < n; ++i)
        out[0].as<T>()[i] = lane::ComplexMath<T>::abs(in[0].as<const C>()[i]);
    });
  };
  op.jvp = [of_real = op.jvp](const Call& c, const Arrays& x, const Arrays& y, const Arrays& t) -> Arrays {
    if (!c.operands[0].dtype.is_complex() || !t[0].has_value()) return of_real(c, x, y, t);
    const V size = choose(V{y[0]} == 0, full_like({y[0]}, 1), V{y[0]});
    const V direction = V{lax::conj(x[0])} / V{lax::convert_element_type(size.a, x[0].dtype())};
    return {lax::real((V{t[0]} * direction).a)};
  };
  op.samples.push_back({.params = {}, .operands = {{complex64, {4}, false, {}}}, .differentiable = false});
  return with_parts<1>(std::move(op), magnitude_of);
};

// Its own transpose: cotangents pair with tangents without a conjugate.
constinit const Home conj = [] {
  Op op;
  op.name = "conj";
  op.infer = [](const Call& c) {
    return std::vector{Type{c.operands[0].dtype, pointwise_shape(c, takes_complex), false, {}}};
  };
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    with_storage<takes_complex>(c.operands[0].dtype, [&]<class T>() {
      for (std::int64_t i = 0, n = out[0].size(); i < n; ++i) out[0].as<T>()[i] = std::conj(in[0].as<const T>()[i]);
    });
  };
  op.factors = pointwise_factors;
  op.batch = pointwise_batch;
  op.linear = {{0}};
  op.transpose = [](const Call&, const Arrays& ct, const Arrays&, const Flags&) -> Arrays {
    return {ct[0].has_value() ? lax::conj(ct[0]) : ct[0]};
  };
  op.without = {{"samples", "they are real: tests/ops_movement/sums.cpp"}};
  return with_parts<1>(std::move(op), [](const Parts& z) { return Parts{z.re, -z.im}; });
};

constinit const Home sign = [] {
  return with_parts<1>(unary_op<takes_number>("sign",
                                              with_complex(
                                                  [](auto x) {
                                                    auto one = lane::constant(x, 1), zero = lane::constant(x, 0);
                                                    return lane::select(
                                                        x > zero, one,
                                                        lane::select(x < zero, zero - one,
                                                                     x));  // keeps NaN and the sign of 0
                                                  },
                                                  [](auto m, auto z) { return m.sign(z); }),
                                              {.flat = true, .magnitude = at_most_one, .lo = 0.1}),
                       [](const Parts& z) {
                         const V size = magnitude_of(z), zero = size == 0.0;
                         return Parts{choose(zero, z.re, z.re / size), choose(zero, z.im, z.im / size)};
                       });
};

constinit const Home add = [] {
  return with_parts<2>(
      binary_op<takes_number | takes_bool>("add", [](auto x, auto y) { return x + y; },
                                           {.linear = {{0, 1}}, .signs = {1, 1}, .transpose = transpose_sum<false>}),
      [](const Parts& x, const Parts& y) {
        return Parts{x.re + y.re, x.im + y.im};
      });
};
constinit const Home sub = [] {
  return with_parts<2>(
      binary_op<takes_number>("sub", [](auto x, auto y) { return x - y; },
                              {.linear = {{0, 1}}, .signs = {1, -1}, .transpose = transpose_sum<true>}),
      [](const Parts& x, const Parts& y) {
        return Parts{x.re - y.re, x.im - y.im};
      });
};
constinit const Home mul = [] {
  return with_parts<2>(
      binary_op<takes_number | takes_bool>(
          "mul", [](auto x, auto y) { return x * y; },
          {.linear = {{0}, {1}}, .transpose = transpose_mul, .adds_up = product_adds_up, .magnitude = of_product}),
      [](const Parts& x, const Parts& y) {
        return Parts{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
      });
};
constinit const Home div = [] {
  Op op = binary_op<takes_number>("div", [](auto x, auto y) { return x / y; },
                                  {.dy = [](V, V y, V z) { return -z / y; },
                                   .linear = {{0}},
                                   .transpose = transpose_div,
                                   .adds_up = quotient_adds_up,
                                   .magnitude = of_quotient,
                                   .lo = 0.5});
  op.in_parts = [](const Call& c, const std::vector<Array>& p) {
    const Shape shape = pointwise_shape(c, takes_number);
    auto whole = [&](const Array& x) { return V{x.shape() == shape ? x : lax::broadcast_in_dim(x, shape, {})}; };
    return listed(quotient_of({whole(p[0]), whole(p[1])}, {{p[2]}, {p[3]}}));
  };
  return op;
};

// The remainder has the sign of x.
constinit const Home rem = [] {
  return binary_op<takes_real>("rem", RemainderOf{},
                               {.dx = [](V, V, V z) { return full_like(z, 1); },
                                .dy =
                                    [](V x, V y, V z) {
                                      V q = x / y;
                                      return choose(q < full_like(z, 0), -V{bind1(ceil, {}, {q.a})},
                                                    -V{bind1(floor, {}, {q.a})});
                                    },
                                .lo = 1.1,
                                .hi = 1.9});
};

// a * b + c, rounded once. Affine, not linear, in each operand; the tangent is a sum of products.
constinit const Home fma = [] {
  Op op = ternary_op<takes_floating>("fma", [](auto a, auto b, auto c) { return lane::fma(a, b, c); });
  op.jvp = [](const Call&, const Arrays& x, const Arrays& y, const Arrays& t) -> Arrays {
    Array sum;
    auto term = [&](const Array& tangent, const Array* factor) {
      if (!tangent.has_value()) return;
      Array part = factor ? lax::mul(tangent, *factor) : tangent;
      if (part.ndim() != y[0].ndim()) part = lax::broadcast_in_dim(part, y[0].shape(), {});
      sum = sum.has_value() ? lax::add(sum, part) : part;
    };
    term(t[0], &x[1]);
    term(t[1], &x[0]);
    term(t[2], nullptr);
    return {sum};
  };
  return op;
};

constinit const Home max = [] { return extremum<true>("max", lax::gt); };
constinit const Home min = [] { return extremum<false>("min", lax::lt); };

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
