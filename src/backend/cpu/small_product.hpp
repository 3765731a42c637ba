#pragma once

#include "backend/cpu/gemm.hpp"

namespace tutti::cpu {

/// Which elements of a product somebody looks at: those of which the byte mask[i * row + j] is `when`.
struct Seen {
  const std::uint8_t* mask;
  std::int64_t row;
  bool when;
};

/// A product too small for the library's packing and checks, with 512-bit instructions; false where the machine or the
/// shape is another. Blocks that nobody sees are left as they are. `then`: where as much as b is read next, or null; it
/// comes meanwhile.
bool small_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, Sums sums, const Seen* seen = nullptr, const float* then = nullptr);

/// Whether it would; `masked`: with `seen`. Then it would for fewer rows as well, with the same sums.
bool is_small_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, bool masked);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
