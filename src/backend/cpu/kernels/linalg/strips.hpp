// A matrix as strips of columns, one behind the other: rows of a strip are three vectors wide and lie side by side, so
// that kernels read and write memory in order whatever the extents are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/buffer.hpp"
#include "lane/side_by_side.hpp"

namespace tutti::kernels {

/// Rows and columns may be 0. Columns behind the last one are 0, and so are rows up to a whole number of tiles.
template <class T> class Strips {
 public:
  static constexpr int width = 192 / sizeof(T);  // 48 or 24 columns
  static constexpr int tile = 8;                 // rows

  Strips(int rows, int cols)
      : rows_(rows), cols_(cols), height_((rows + tile - 1) / tile * tile), count_((cols + width - 1) / width) {
    memory_ = allocate_buffer(static_cast<std::size_t>(count_ * size()) * sizeof(T));
    data_ = static_cast<T*>(memory_->data());
  }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int height() const { return height_; }
  int count() const { return count_; }
  /// Columns of strip s.
  int cols_of(int s) const { return std::min(width, cols_ - s * width); }
  T* strip(int s) const { return data_ + s * size(); }
  T* row(int s, int i) const { return strip(s) + std::int64_t{i} * width; }

  void swap_rows(int s, int i, int j) const {
    const Row one = *reinterpret_cast<Row*>(row(s, i));
    *reinterpret_cast<Row*>(row(s, i)) = *reinterpret_cast<Row*>(row(s, j));
    *reinterpret_cast<Row*>(row(s, j)) = one;
  }
  /// Rows `begin` to `end` of strip s, from a row-major matrix and to one; there in place of row i row_of(i).
  void load(int s, const T* a, int begin, int end) const { load(s, a, begin, end, cols_); }
  /// Of one with rows `far` apart.
  void load(int s, const T* a, int begin, int end, std::int64_t far) const {
    const int columns = cols_of(s);
    const T* from = a + begin * far + s * width;
    for (int i = begin; i < end; ++i, from += far) {
      fetch(from, end - i, far);
      if (columns == width) {
        *reinterpret_cast<Row*>(row(s, i)) = *reinterpret_cast<const Row*>(from);
        continue;
      }
      std::copy_n(from, columns, row(s, i));
      std::fill(row(s, i) + columns, row(s, i) + width, T{});
    }
    if (end == rows_) std::fill(row(s, rows_), row(s, height_), T{});
  }
  template <class F> void store(int s, T* a, int begin, int end, F row_of) const {
    const int columns = cols_of(s);
    T* to = a + std::int64_t{begin} * cols_ + s * width;
    for (int i = begin; i < end; ++i, to += cols_) {
      fetch(to, end - i, cols_);
      if (columns == width)
        *reinterpret_cast<Row*>(to) = *reinterpret_cast<const Row*>(row(s, row_of(i)));
      else
        std::copy_n(row(s, row_of(i)), columns, to);
    }
  }
  void store(int s, T* a, int begin, int end) const {
    store(s, a, begin, end, [](int i) { return i; });
  }
  /// Columns of strip s are rows of a row-major matrix with rows as long as those of strips; from `begin` to `end` of
  /// each row.
  void load_turned(int s, const T* a, int begin, int end) const { load_turned(s, a, begin, end, rows_); }
  void load_turned(int s, const T* a, int begin, int end, std::int64_t far) const {
    constexpr int lanes = static_cast<int>(lane::Side<T>::lanes);
    const int first = s * width, columns = cols_of(s), whole = columns - columns % lanes,
              last = begin + (end - begin) / lanes * lanes;
    const T* from = a + first * far;
    lane::turn_squares<T>(from + begin, far, whole, last - begin, row(s, begin), width);
    for (int i = begin; i < end; ++i) {
      for (int c = i < last ? whole : 0; c < columns; ++c) row(s, i)[c] = from[c * far + i];
      std::fill(row(s, i) + columns, row(s, i) + width, T{});
    }
    if (end == rows_) std::fill(row(s, rows_), row(s, height_), T{});
  }
  void store_turned(int s, T* a, int begin, int end) const {
    constexpr int lanes = static_cast<int>(lane::Side<T>::lanes);
    const int first = s * width, columns = cols_of(s), whole = columns - columns % lanes,
              last = begin + (end - begin) / lanes * lanes;
    T* to = a + std::int64_t{first} * rows_;
    lane::turn_squares<T>(row(s, begin), width, last - begin, whole, to + begin, rows_);
    for (int i = begin; i < end; ++i)
      for (int c = i < last ? whole : 0; c < columns; ++c) to[std::int64_t{c} * rows_ + i] = row(s, i)[c];
  }

 private:
  // Rows of a strip, from anywhere to anywhere.
  struct [[gnu::may_alias]] Row {
    typedef T Part __attribute__((vector_size(16))) __attribute__((aligned(alignof(T))));
    Part parts[12];
  };
  /// Rows of a matrix are far apart: nobody else guesses which comes next.
  [[gnu::always_inline]] void fetch(const T* p, int rows, std::int64_t far) const {
    constexpr int kAhead = 8;
    if (rows <= kAhead) return;
    for (int k = 0; k < 4; ++k) __builtin_prefetch(reinterpret_cast<const char*>(p + kAhead * far) + 64 * k);
  }
  std::int64_t size() const { return std::int64_t{height_} * width; }

  int rows_, cols_, height_, count_;
  HostPtr memory_;
  T* data_;
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
