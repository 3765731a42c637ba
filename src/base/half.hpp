// 16-bit floats on the host: storage only, arithmetic happens in float. Rounding is to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

namespace tutti {

/// float32 cut to 8 bits of precision.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float x) {
    std::uint32_t u = std::bit_cast<std::uint32_t>(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) bits = static_cast<std::uint16_t>((u >> 16) | 0x40u);   // NaN stays one
    else bits = static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

/// IEEE binary16.
struct Float16 {
  std::uint16_t bits = 0;

  Float16() = default;
  explicit Float16(float x) {
    std::uint32_t u = std::bit_cast<std::uint32_t>(x);
    std::uint32_t sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    if (a > 0x7f800000u) bits = static_cast<std::uint16_t>(sign | 0x7e00u | ((a >> 13) & 0x3ffu));
    else if (a >= 0x477ff000u) bits = static_cast<std::uint16_t>(sign | 0x7c00u);                  // rounds past 65504
    else if (a >= 0x38800000u) bits = static_cast<std::uint16_t>(sign | ((a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13));
    else {
      // Subnormal: adding 0.5 puts the wanted bits, rounded by the FPU, at the bottom of the mantissa.
      float shifted = std::bit_cast<float>(a) + 0.5f;
      bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
  }
  operator float() const {
    std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, a = bits & 0x7fffu;
    if (a >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (a & 0x3ffu) << 13);
    if (a >= 0x0400u) return std::bit_cast<float>(sign | ((a << 13) + 0x38000000u));
    float magnitude = static_cast<float>(a) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
};

static_assert(sizeof(BFloat16) == 2 && sizeof(Float16) == 2);

}  // namespace tutti
