// What float32 and float64 lanes have in common, so that a function may be written once for both: bits, signs, powers
// of two, polynomials whose length the precision chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "lane/lane.hpp"

namespace tutti::lane {

template <class T> constexpr bool is_double(Host<T>) { return std::same_as<T, double>; }
inline bool is_double(Lane x) { return x.reg.dtype == float64; }

/// The bits of a float as an integer of its size, and back.
template <class T> auto bits_of(Host<T> x) {
  return bitcast<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>(x);
}
inline Lane bits_of(Lane x) { return is_double(x) ? bitcast<std::int64_t>(x) : bitcast<std::int32_t>(x); }
template <class T> auto from_bits(Host<T> x) { return bitcast<std::conditional_t<sizeof(T) == 4, float, double>>(x); }
inline Lane from_bits(Lane x) { return x.reg.dtype.size() == 8 ? bitcast<double>(x) : bitcast<float>(x); }
/// An integer of the size of a float as such a float.
template <class T> auto number_of(Host<T> x) { return convert<std::conditional_t<sizeof(T) == 4, float, double>>(x); }
inline Lane number_of(Lane x) { return x.reg.dtype.size() == 8 ? convert<double>(x) : convert<float>(x); }

template <AnyLane L> int fraction_bits(L x) { return is_double(x) ? 52 : 23; }
template <AnyLane L> int exponent_bias(L x) { return is_double(x) ? 1023 : 127; }
/// Of the integer `bits` the sign bit of a float of its size.
template <AnyLane I> I sign_bit(I bits) {
  return constant_int(bits, dtype_of(bits).size() == 8 ? std::numeric_limits<std::int64_t>::min()
                                                       : std::numeric_limits<std::int32_t>::min());
}

/// |x| with the sign of `sign_of`.
template <AnyLane L> L with_sign(L magnitude, L sign_of) {
  auto bits = bits_of(sign_of);
  return from_bits(bits_of(magnitude) | (bits & sign_bit(bits)));
}

constexpr double whole_magic = 12582912;  // 1.5 2^23
/// The nearest whole number lies in the low bits of x + whole_magic, |x| < 2^21 (2^50 in double), and is that minus
/// whole_magic: cheaper than rounding and converting.
template <AnyLane L> double whole_magic_of(L x) { return is_double(x) ? 6755399441055744 : whole_magic; }
template <AnyLane L> L nearest_whole(L x) { return x + whole_magic_of(x) - whole_magic_of(x); }
/// 2^n for whole n from -126 to 127 (-1022 to 1023), given as a float.
template <AnyLane L> L power_of_two(L n) {
  auto bits = bits_of(n + (whole_magic_of(n) + exponent_bias(n)));
  return from_bits(binary<Bin::shl>(bits, constant(bits, fraction_bits(n))));
}

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner with fused multiply-adds.
template <AnyLane L, class T, std::size_t n>
requires std::floating_point<T> L polynomial(L x, const T (&c)[n]) {
  L y = constant(x, c[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) y = fma(y, x, constant(x, c[i]));
  return y;
}
/// The first coefficients where x is a double, else the others.
template <AnyLane L, std::size_t n, std::size_t m>
L polynomial(L x, const double (&in_double)[n], const float (&single)[m]) {
  return is_double(x) ? polynomial(x, in_double) : polynomial(x, single);
}
/// A number of which a float holds the first part only: the second number is what is left.
struct InTwo {
  double first, rest;
};
template <AnyLane L> InTwo in_two(L x, double in_double, double rest, double single, double single_rest) {
  return is_double(x) ? InTwo{in_double, rest} : InTwo{single, single_rest};
}
template <AnyLane L> InTwo half_pi(L x) {
  return in_two(x, 1.5707963267948966, 6.123233995736766e-17, 1.57079637050628662, -4.37113900018624283e-8);
}

/// `in_double(x)` for float64, `single(x)` for float32.
template <AnyLane L, class D, class F> L by_precision(L x, D in_double, F single) {
  if constexpr (std::same_as<L, Host<double>>)
    return in_double(x);
  else if constexpr (std::same_as<L, Host<float>>)
    return single(x);
  else
    return is_double(x) ? in_double(x) : single(x);
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
