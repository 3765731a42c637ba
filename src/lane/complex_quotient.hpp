// The quotient of complex numbers as a lane expression, one part at a time: eval and machine code at once. The usual
// case is short; operands that are zero, infinite, NaN or extreme are left to a branch that is seldom taken.
#pragma once

#include <complex>
#include <concepts>
#include <limits>

#include "lane/lane.hpp"

namespace tutti::lane {

template <class L> struct ComplexLane { L re, im; };
template <class L> ComplexLane(L, L) -> ComplexLane<L>;
enum class ComplexPart { real, imag };

namespace detail {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// By the ratio of the divisor's parts (R. L. Smith, Algorithm 116, CACM 1962).
template <class L> ComplexLane<L> quotient_by_ratio(ComplexLane<L> x, ComplexLane<L> y) {
  const auto by_real = abs(y.re) > abs(y.im);
  const L large = select(by_real, y.re, y.im), small = select(by_real, y.im, y.re), ratio = small / large;
  const L divisor = large + small * ratio;
  const L u = select(by_real, x.re, x.im), v = select(by_real, x.im, x.re), across = u * ratio;
  return {(u + v * ratio) / divisor, select(by_real, v - across, across - v) / divisor};
}

// The exponent of the larger part of a float64 number; 0 of what is zero, infinite or NaN.
template <class L> L exponent_of(ComplexLane<L> z) {
  const L size = max(abs(z.re), abs(z.im)), zero = constant(size, 0);
  const auto is_small = size < 0x1p-960;  // perhaps subnormal
  const auto bits = bitcast<std::int64_t>(select(is_small, size * 0x1p+100, size));
  const L biased = convert<double>(binary<Bin::shr_logical>(bits, constant_int(bits, 52)));
  const L exponent = biased - select(is_small, constant(size, 1023 + 100), constant(size, 1023));
  return select((size > zero) & (size < kInfinity), exponent, zero);
}

// Both operands have parts of about 1 while they are divided, so that nothing overflows or vanishes on the way.
template <class L> ComplexLane<L> quotient_scaled(ComplexLane<L> x, ComplexLane<L> y) {
  auto scaled = [](ComplexLane<L> z, L by) { return ComplexLane<L>{scale(z.re, by), scale(z.im, by)}; };
  const L of_x = exponent_of(x), of_y = exponent_of(y), by = of_x - of_y;
  return scaled(quotient_by_ratio(scaled(x, -of_x), scaled(y, -of_y)),
                max(min(by, constant(by, 2046)), constant(by, -2044)));
}

/// Of float64 parts, for all operands: by 0, and with infinities, the parts that C's Annex G names.
template <class L> ComplexLane<L> careful_quotient(ComplexLane<L> x, ComplexLane<L> y) {
  const L a = x.re, b = x.im, c = y.re, d = y.im, one = constant(a, 1), zero = constant(a, 0);
  auto infinite = [](L v) { return abs(v) == kInfinity; };
  auto finite = [](L v) { return abs(v) < kInfinity; };
  auto one_if_infinite = [&](L v) {  // with the sign of v; NaN has none
    return select(infinite(v), select(v > 0, one, -one), select(v == v, v * zero, zero));
  };
  const L ia = one_if_infinite(a), ib = one_if_infinite(b), ic = one_if_infinite(c), id = one_if_infinite(d);
  const ComplexLane<L> z = quotient_scaled(x, y);
  const auto lost = ~((z.re == z.re) | (z.im == z.im));
  const auto grows = lost & ((infinite(a) | infinite(b)) & (finite(c) & finite(d)));
  const auto shrinks = lost & ((infinite(c) | infinite(d)) & (finite(a) & finite(b)));
  const auto by_zero = ((c == 0) & (d == 0)) & ((a == a) | (b == b));
  const L sign = 1 / c;
  auto part = [&](L usual, L grown, L shrunk, L over_zero) {
    return select(by_zero, over_zero, select(grows, grown * kInfinity, select(shrinks, shrunk * zero, usual)));
  };
  return {part(z.re, ia * c + ib * d, a / 4 * ic + b / 4 * id, sign * a),
          part(z.im, ib * c - ia * d, b / 4 * ic - a / 4 * id, sign * b)};
}

template <ComplexPart part, class L> L part_of(ComplexLane<L> z) { return part == ComplexPart::real ? z.re : z.im; }

// x conj(y) / |y|^2. The quotients are corrected once, so that those of small integers are exact.
template <ComplexPart part, class L> L quotient_by_norm(ComplexLane<L> x, ComplexLane<L> y, L norm) {
  const L inverse = 1 / norm;
  const L product = part == ComplexPart::real ? x.re * y.re + x.im * y.im : x.im * y.re - x.re * y.im;
  const L quotient = product * inverse;
  return fma(fma(-quotient, norm, product), inverse, quotient);
}

// The part that is found by the norm, unless something overflows or vanishes on the way: none of x and y does so that
// is between 1 / most and most.
template <ComplexPart part, class L, class F>
L quotient_unless(ComplexLane<L> x, ComplexLane<L> y, double most, F careful) {
  const L norm = y.re * y.re + y.im * y.im, size = abs(x.re) + abs(x.im);
  const L quotient = quotient_by_norm<part>(x, y, norm);
  const auto usual = ((norm < most * most) & (norm > 1 / (most * most))) & ((size < most) & (size > 1 / most));
  return unlikely(~(usual & (quotient != 0)), quotient, [&] {
    const L found = careful();
    return select(usual, found * constant(found, 0), found);  // of a zero, the sign
  });
}

template <ComplexPart part, class L> L quotient_of_singles(ComplexLane<L> x, ComplexLane<L> y) {
  return quotient_unless<part>(x, y, 0x1p+50, [&] {
    auto wide = [](ComplexLane<L> z) { return ComplexLane{convert<double>(z.re), convert<double>(z.im)}; };
    return convert<float>(part_of<part>(careful_quotient(wide(x), wide(y))));
  });
}
template <ComplexPart part, class L> L quotient_of_doubles(ComplexLane<L> x, ComplexLane<L> y) {
  return quotient_unless<part>(x, y, 0x1p+400, [&] { return part_of<part>(careful_quotient(x, y)); });
}

}  // namespace detail

/// A part of x / y, in float32 or float64.
template <ComplexPart part, class L> L quotient_part(ComplexLane<L> x, ComplexLane<L> y) {
  if constexpr (std::same_as<L, Host<float>>)
    return detail::quotient_of_singles<part>(x, y);
  else if constexpr (std::same_as<L, Host<double>>)
    return detail::quotient_of_doubles<part>(x, y);
  else
    return dtype_of(x.re) == float32 ? detail::quotient_of_singles<part>(x, y)
                                     : detail::quotient_of_doubles<part>(x, y);
}

template <class T> std::complex<T> ComplexMath<T>::div(C x, C y) {
  if constexpr (std::same_as<T, long double>) {  // tests compare with it
    return x / y;
  } else {
    const ComplexLane<Host<T>> p{{x.real()}, {x.imag()}}, q{{y.real()}, {y.imag()}};
    return {quotient_part<ComplexPart::real>(p, q).v, quotient_part<ComplexPart::imag>(p, q).v};
  }
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
