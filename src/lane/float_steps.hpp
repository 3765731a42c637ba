// Cube roots, remainders and neighbours of float32 and float64 lanes.
#pragma once

#include "lane/number.hpp"

namespace tutti::lane {

/// The cube root of 2^3q m, m from 1 to 8, is 2^q times that of m: a polynomial, then one step of Halley's method, in
/// double. Takes positive normal doubles.
template <AnyLane L> struct CubeRoot { L m, root, q; };
template <AnyLane L> CubeRoot<L> cube_root(L a) {
  static constexpr double start[] = {0.5871346979104376,   0.52613430651440252,    -0.13451871325508288,
                                     0.024179078703858579, -0.0023075436533830395, 8.8086145785796558e-05};  // 0.0007
  auto bits = bits_of(a);
  auto width = constant(bits, 52);
  L e = number_of(binary<Bin::shr_logical>(bits, width)) - 1023;
  L q = floor((e + 0.5) * (1. / 3));
  L m = from_bits(bits - binary<Bin::shl>(bits_of(q * 3 + whole_magic_of(q)), width));
  L y = polynomial(m, start), cube = y * y * y;
  return {m, y * ((m + m + cube) / (cube + cube + m)), q};
}
/// Within 1 unit in the last place.
template <AnyLane L> L cbrt(L x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  L a = abs(x);
  L y = by_precision(
      a,
      [](auto a) {
        auto subnormal = a < 0x1p-1022;
        auto [m, y, q] = cube_root(select(subnormal, a * 0x1p54, a));
        auto square = y * y, lost = fma(y, y, -square), missing = fma(-square, y, m) - lost * y;
        y = y + missing / (square * 3);
        return y * power_of_two(select(subnormal, q - 18, q));
      },
      [](auto a) {
        auto [m, y, q] = cube_root(convert<double>(a));
        return convert<float>(y * power_of_two(q));
      });
  return with_sign(select((a > 0) & (a < infinity), y, a), x);
}

/// x - n y with whole n towards 0, exactly, as C's fmod. The quotient of the magnitudes, when it is rounded up to a
/// whole number, is one too large. Where it has more digits than a float, the library divides in steps.
template <AnyLane L> L fmod(L x, L y) {
  L a = abs(x), b = abs(y), quotient = a / b;
  L rest = fma(-trunc(quotient), b, a);
  rest = select(rest < 0, rest + b, rest);
  L r = with_sign(select(a < b, a, rest), x);
  auto many = quotient >= (is_double(x) ? 0x1p52 : 0x1p23);
  return rare(many, lib_fmod, x, select(many, y, r));
}

/// The next number after x towards y, as C's nextafter.
template <AnyLane L> L nextafter(L x, L y) {
  auto bits = bits_of(x), sign = sign_bit(bits), one = constant(bits, 1);
  auto away = ((x > 0) & (y > x)) | ((x < 0) & (y < x));
  auto next = bits + select(away, one, constant_int(bits, -1));
  next = select(x == 0, (bits_of(y) & sign) | one, next);
  return select((x == y), y, select((x != x) | (y != y), x + y, from_bits(next)));
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
