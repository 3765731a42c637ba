// A matrix turned, from rows to columns: squares of it in registers.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>

#include "base/tasks.hpp"
#include "lane/side_by_side.hpp"

namespace tutti::kernels {
namespace detail {

/// Rows `begin` to `end` of them.
template <class T>
void turn_rows(const T* in, std::int64_t rows, std::int64_t cols, std::int64_t begin, std::int64_t end, T* out) {
  std::int64_t whole_rows = begin, whole_cols = 0;
  if constexpr (std::is_floating_point_v<T>) {
    constexpr std::int64_t lanes = lane::Side<T>::lanes;
    whole_rows = end - (end - begin) % lanes;
    whole_cols = cols - cols % lanes;
    lane::turn_squares(in + begin * cols, cols, whole_rows - begin, whole_cols, out + begin, rows);
  }
  for (std::int64_t i = begin; i < end; ++i)
    for (std::int64_t j = i < whole_rows ? whole_cols : 0; j < cols; ++j) out[j * rows + i] = in[i * cols + j];
}

}  // namespace detail

/// out (cols x rows) = the transpose of in (rows x cols).
template <class T>
void turn_matrix(const T* in, std::int64_t rows, std::int64_t cols, T* out, bool on_workers = false) {
  constexpr std::int64_t kStrip = 64;
  auto strips = [&](std::int64_t begin, std::int64_t end) {
    detail::turn_rows(in, rows, cols, begin * kStrip, std::min(rows, end * kStrip), out);
  };
  const std::int64_t count = (rows + kStrip - 1) / kStrip;
  if (on_workers)
    in_pieces(count, static_cast<double>(kStrip * cols), strips);
  else
    strips(0, count);
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
