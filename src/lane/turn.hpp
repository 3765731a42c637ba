// Matrices turned in squares, rows to columns.
#pragma once

#include <cstdint>

namespace tutti::lane {
namespace detail {
void turn_squares(const void* in, std::int64_t in_step, std::int64_t rows, std::int64_t cols, void* out,
                  std::int64_t out_step, std::uint32_t);
void turn_squares(const void* in, std::int64_t in_step, std::int64_t rows, std::int64_t cols, void* out,
                  std::int64_t out_step, std::uint64_t);
}  // namespace detail

/// out[j * out_step + i] = in[i * in_step + j], square by square of 64 / sizeof(T) numbers, T of four or eight bytes.
/// Rows of `in` may end where they like, rows of `out` are filled up to whole squares with zeros; columns are read to
/// the end of a square, and only `cols` rows of `out` are written.
template <class T>
requires(sizeof(T) == 4 || sizeof(T) == 8) inline void turn_squares(const T* in, std::int64_t in_step,
                                                                    std::int64_t rows, std::int64_t cols, T* out,
                                                                    std::int64_t out_step) {
  if constexpr (sizeof(T) == 4)
    detail::turn_squares(in, in_step, rows, cols, out, out_step, std::uint32_t{});
  else
    detail::turn_squares(in, in_step, rows, cols, out, out_step, std::uint64_t{});
}

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
