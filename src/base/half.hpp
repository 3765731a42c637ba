// Small floats and integers on the host: storage types that convert to and from float or int. Floats round to nearest
// even, integers wrap.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "tutti/base/dtype.hpp"

namespace tutti {

template <class T> inline constexpr bool is_complex_number = false;
template <class T> inline constexpr bool is_complex_number<std::complex<T>> = true;

struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  BFloat16(float f) {
    auto u = std::bit_cast<std::uint32_t>(f);
    if (std::isnan(f))
      bits = static_cast<std::uint16_t>((u >> 16) | 0x40);
    else
      bits = static_cast<std::uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

struct Float16 {
  std::uint16_t bits = 0;
  Float16() = default;
  Float16(float f) {
    auto u = std::bit_cast<std::uint32_t>(f);
    std::uint32_t sign = (u >> 16) & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000)
      bits = static_cast<std::uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
    else if (magnitude >= 0x477ff000)
      bits = static_cast<std::uint16_t>(sign | 0x7c00);  // rounds to infinity
    else if (magnitude < 0x38800000) {                   // subnormal: let the float adder round to a multiple of 2^-24
      float scaled = std::bit_cast<float>(magnitude) + 0.5f;
      bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(scaled) - 0x3f000000));
    } else {
      std::uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1) - 0x38000000;
      bits = static_cast<std::uint16_t>(sign | (rounded >> 13));
    }
  }
  operator float() const {
    std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, exponent = (bits >> 10) & 31,
                  mantissa = bits & 0x3ff;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
    if (exponent == 0) {
      float v = std::ldexp(static_cast<float>(mantissa), -24);
      return sign ? -v : v;
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
};

/// A float of 8 bits, `fraction` of them behind the point; `finite`: no infinities, NaN has all bits set.
template <int fraction, bool finite> struct Float8 {
  std::uint8_t bits = 0;
  static constexpr int shift = 23 - fraction, bias = (1 << (6 - fraction)) - 1;
  static constexpr std::uint32_t infinite = finite ? 0x7f : 0x7f & ~((1u << fraction) - 1), nan = finite ? 0x7f : 0x7e;
  /// The bits of the least float with the exponent of a normal number, and of what adds to subnormal ones so that their
  /// last bit is its last.
  static constexpr std::uint32_t normal = static_cast<std::uint32_t>(128 - bias) << 23,
                                 rounder = static_cast<std::uint32_t>(128 - bias - fraction + 23) << 23;

  Float8() = default;
  Float8(float f) {
    const auto u = std::bit_cast<std::uint32_t>(f), magnitude = u & 0x7fffffff;
    std::uint32_t m;
    if (magnitude < normal)
      m = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(rounder)) - rounder;
    else
      m = (magnitude + ((1u << (shift - 1)) - 1) + ((magnitude >> shift) & 1) - normal + (1u << 23)) >> shift;
    if (m > infinite) m = infinite;
    if (magnitude > 0x7f800000) m = nan;
    bits = static_cast<std::uint8_t>((u >> 24 & 0x80) | m);
  }
  operator float() const {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80) << 24, m = bits & 0x7f;
    if (m >= infinite) return std::bit_cast<float>(sign | 0x7f800000 | (m > infinite || finite ? 0x400000 : 0));
    const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(254 - bias) << 23);  // 2^(127 - bias)
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(std::bit_cast<float>(m << shift) * scale) | sign);
  }
};
using Float8E4M3FN = Float8<3, true>;
using Float8E5M2 = Float8<2, false>;

/// The low 4 bits of an integer, extended to a byte.
template <class Byte> struct Integer4 {
  Byte byte = 0;
  Integer4() = default;
  template <std::integral T>
  Integer4(T x) : byte(static_cast<Byte>(static_cast<Byte>(static_cast<unsigned>(x) << 4) >> 4)) {}
  operator Byte() const { return byte; }
};
using Int4 = Integer4<std::int8_t>;
using UInt4 = Integer4<std::uint8_t>;

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16> ||
                                       std::is_same_v<T, Float8E4M3FN> || std::is_same_v<T, Float8E5M2>;
template <class T> inline constexpr bool is_small_integer = std::is_same_v<T, Int4> || std::is_same_v<T, UInt4>;

/// The C++ type that stores an element, as a tag for generic lambdas.
template <class T> struct Stored { using type = T; };

/// Calls fn(Stored<T>{}) with the storage type of `dtype`, in which operations compute (arithmetic_dtype); keys are two
/// uint32 words in a uint64_t.
template <class F> auto visit_arithmetic_dtype(DType dtype, F&& fn) {
  using K = DType::Kind;
  switch (dtype.kind()) {
    case K::bool_: return fn(Stored<bool>{});
    case K::int8: return fn(Stored<std::int8_t>{});
    case K::int16: return fn(Stored<std::int16_t>{});
    case K::int32: return fn(Stored<std::int32_t>{});
    case K::int64: return fn(Stored<std::int64_t>{});
    case K::uint8: return fn(Stored<std::uint8_t>{});
    case K::uint16: return fn(Stored<std::uint16_t>{});
    case K::uint32: return fn(Stored<std::uint32_t>{});
    case K::bfloat16: return fn(Stored<BFloat16>{});
    case K::float16: return fn(Stored<Float16>{});
    case K::float32: return fn(Stored<float>{});
    case K::float64: return fn(Stored<double>{});
    case K::complex64: return fn(Stored<std::complex<float>>{});
    case K::complex128: return fn(Stored<std::complex<double>>{});
    case K::uint64:
    case K::prng_key: return fn(Stored<std::uint64_t>{});
    case K::int4:
    case K::uint4:
    case K::float8_e4m3fn:
    case K::float8_e5m2: break;
  }
  throw std::logic_error("no arithmetic in " + std::string(dtype.name()));
}
/// Calls fn(Stored<T>{}) with the storage type of any `dtype`.
template <class F> auto visit_dtype(DType dtype, F&& fn) {
  switch (dtype.kind()) {
    case DType::Kind::int4: return fn(Stored<Int4>{});
    case DType::Kind::uint4: return fn(Stored<UInt4>{});
    case DType::Kind::float8_e4m3fn: return fn(Stored<Float8E4M3FN>{});
    case DType::Kind::float8_e5m2: return fn(Stored<Float8E5M2>{});
    default: return visit_arithmetic_dtype(dtype, fn);
  }
}

/// Numeric conversion as astype does it: to bool is "not zero"; a float to an integer truncates and saturates, nan
/// gives 0; complex to real drops the imaginary part.
template <class To, class From> To convert_number(const From& v) {
  if constexpr (is_complex_number<From>) {
    if constexpr (is_complex_number<To>)
      return To(v);
    else if constexpr (std::is_same_v<To, bool>)
      return v != From(0);
    else
      return convert_number<To>(v.real());
  } else if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (is_small_float<From>) {
    return convert_number<To>(static_cast<float>(v));
  } else if constexpr (is_small_integer<From>) {
    return convert_number<To>(v.byte);
  } else if constexpr (is_small_integer<To>) {
    using Byte = decltype(To::byte);
    if constexpr (std::is_floating_point_v<From>)
      return To(
          std::clamp<Byte>(convert_number<Byte>(v), std::is_signed_v<Byte> ? -8 : 0, std::is_signed_v<Byte> ? 7 : 15));
    else
      return To(static_cast<Byte>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (is_complex_number<To>) {
    return To(static_cast<typename To::value_type>(v), 0);
  } else if constexpr (is_small_float<To>) {
    return To(static_cast<float>(v));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (v != v) return To(0);
    constexpr double low = static_cast<double>(std::numeric_limits<To>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<To>::max());
    if (static_cast<double>(v) <= low) return std::numeric_limits<To>::min();
    if (static_cast<double>(v) >= high) return std::numeric_limits<To>::max();
    return static_cast<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
