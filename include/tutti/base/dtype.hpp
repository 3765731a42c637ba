// Element types of arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace tutti {

/// The type of an array's elements. Names are NumPy's; `prng_key` is a random key of two uint32 words. float8_e4m3fn
/// has 4 bits of exponent, 3 of fraction, no infinities and one NaN of each sign; float8_e5m2 is the upper byte of a
/// float16 (Micikevicius et al. 2022, "FP8 formats for deep learning"). int4 and uint4 take a byte each.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class DType {
 public:
  enum class Kind : std::uint8_t {
    bool_,
    int4,
    int8,
    int16,
    int32,
    int64,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
    float8_e4m3fn,
    float8_e5m2,
    bfloat16,
    float16,
    float32,
    float64,
    complex64,
    complex128,
    prng_key,
  };

  constexpr DType() = default;
  constexpr explicit DType(Kind kind) : kind_(kind) {}

  constexpr Kind kind() const { return kind_; }
  std::string_view name() const;
  /// Bytes of one element.
  constexpr std::int64_t size() const {
    switch (kind_) {
      case Kind::bool_:
      case Kind::int4:
      case Kind::int8:
      case Kind::uint4:
      case Kind::uint8:
      case Kind::float8_e4m3fn:
      case Kind::float8_e5m2: return 1;
      case Kind::int16:
      case Kind::uint16:
      case Kind::bfloat16:
      case Kind::float16: return 2;
      case Kind::int32:
      case Kind::uint32:
      case Kind::float32: return 4;
      case Kind::complex128: return 16;
      default: return 8;
    }
  }
  constexpr bool is_bool() const { return kind_ == Kind::bool_; }
  constexpr bool is_signed() const { return kind_ >= Kind::int4 && kind_ <= Kind::int64; }
  constexpr bool is_unsigned() const { return kind_ >= Kind::uint4 && kind_ <= Kind::uint64; }
  constexpr bool is_integer() const { return is_signed() || is_unsigned(); }
  constexpr bool is_floating() const { return kind_ >= Kind::float8_e4m3fn && kind_ <= Kind::float64; }
  constexpr bool is_complex() const { return kind_ == Kind::complex64 || kind_ == Kind::complex128; }
  /// Floating or complex: what can be differentiated.
  constexpr bool is_inexact() const { return is_floating() || is_complex(); }
  constexpr bool is_key() const { return kind_ == Kind::prng_key; }

  friend constexpr bool operator==(DType, DType) = default;

 private:
  Kind kind_ = Kind::float32;
};

inline constexpr DType bool_{DType::Kind::bool_}, int4{DType::Kind::int4}, uint4{DType::Kind::uint4},
    int8{DType::Kind::int8}, int16{DType::Kind::int16}, int32{DType::Kind::int32}, int64{DType::Kind::int64},
    uint8{DType::Kind::uint8}, uint16{DType::Kind::uint16}, uint32{DType::Kind::uint32}, uint64{DType::Kind::uint64},
    float8_e4m3fn{DType::Kind::float8_e4m3fn}, float8_e5m2{DType::Kind::float8_e5m2}, bfloat16{DType::Kind::bfloat16},
    float16{DType::Kind::float16}, float32{DType::Kind::float32}, float64{DType::Kind::float64},
    complex64{DType::Kind::complex64}, complex128{DType::Kind::complex128}, prng_key{DType::Kind::prng_key};

/// The name: `float32`.
std::ostream& operator<<(std::ostream& out, DType dtype);

/// Switches 64-bit types on or off (default: off, as in JAX: int64 becomes int32, float64 float32 and
/// complex128 complex64).
void enable_x64(bool on);
bool x64_enabled();
/// `dtype` as it is stored under the present x64 setting.
DType canonical(DType dtype);
/// Dtype of functions of real numbers: floats and complex numbers stay, integers of 64 bits become float64,
/// other integers and bools float32.
DType inexact(DType dtype);
/// Arithmetic dtype of `dtype`, each result rounded or wrapped: float32 for 8-bit floats, int8 and uint8
/// for int4 and uint4; others are their own.
constexpr DType arithmetic_dtype(DType dtype) {
  return dtype == float8_e4m3fn || dtype == float8_e5m2 ? float32
         : dtype == int4                                ? int8
         : dtype == uint4                               ? uint8
                                                        : dtype;
}
/// The dtype of the parts of complex numbers (float32 of complex64); others are their own.
constexpr DType real_dtype(DType dtype) { return dtype == complex64 ? float32 : dtype == complex128 ? float64 : dtype; }
/// The complex dtype whose parts have the precision of `dtype`: complex128 for float64 and complex128, else complex64.
constexpr DType complex_dtype(DType dtype) { return real_dtype(dtype) == float64 ? complex128 : complex64; }

}  // namespace tutti

template <> struct std::hash<tutti::DType> {
  std::size_t operator()(tutti::DType dtype) const noexcept { return static_cast<std::size_t>(dtype.kind()); }
};

// SPDX-License-Identifier: Apache-2.0
