// 16-bit floats on the host: storage types that convert to and from float, rounding to nearest even.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

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

/// The C++ type that stores an element, as a tag for generic lambdas.
template <class T> struct Stored { using type = T; };

/// Calls fn(Stored<T>{}) with the storage type of `dtype`; keys are two uint32 words in a uint64_t.
template <class F> auto visit_dtype(DType dtype, F&& fn) {
  switch (dtype.kind()) {
    case DType::Kind::bool_: return fn(Stored<bool>{});
    case DType::Kind::int8: return fn(Stored<std::int8_t>{});
    case DType::Kind::int16: return fn(Stored<std::int16_t>{});
    case DType::Kind::int32: return fn(Stored<std::int32_t>{});
    case DType::Kind::int64: return fn(Stored<std::int64_t>{});
    case DType::Kind::uint8: return fn(Stored<std::uint8_t>{});
    case DType::Kind::uint16: return fn(Stored<std::uint16_t>{});
    case DType::Kind::uint32: return fn(Stored<std::uint32_t>{});
    case DType::Kind::bfloat16: return fn(Stored<BFloat16>{});
    case DType::Kind::float16: return fn(Stored<Float16>{});
    case DType::Kind::float32: return fn(Stored<float>{});
    case DType::Kind::float64: return fn(Stored<double>{});
    case DType::Kind::complex64: return fn(Stored<std::complex<float>>{});
    case DType::Kind::complex128: return fn(Stored<std::complex<double>>{});
    case DType::Kind::uint64:
    case DType::Kind::prng_key: break;
  }
  return fn(Stored<std::uint64_t>{});
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
  } else if constexpr (std::is_same_v<From, BFloat16> || std::is_same_v<From, Float16>) {
    if constexpr (std::is_same_v<To, From>)
      return v;
    else
      return convert_number<To>(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (is_complex_number<To>) {
    return To(static_cast<typename To::value_type>(v), 0);
  } else if constexpr (std::is_same_v<To, BFloat16> || std::is_same_v<To, Float16>) {
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
