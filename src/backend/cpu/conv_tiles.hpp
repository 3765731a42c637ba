// The innermost loops of convolutions: tiles of sums that stay in registers from the first term to the last.
#pragma once

#include <cstdint>

namespace tutti::cpu {

/// Where a run of terms begins, in elements.
struct TermRun {
  std::int64_t a, b;
};

/// c[row, column] = sum over runs and l < length of a(row, term) * b(term, column). Of a row the left factor of a term
/// is one element, or, where columns are `paired`, one for each column, side by side.
template <class T> struct Tile {
  const T *a, *b;
  const std::int64_t* rows;  // where they begin in a
  const TermRun* runs;
  std::int64_t num_runs, length, a_step, b_step;
  T* c;
  const std::int64_t* c_rows;
  bool adds;  // to what stands there
};

/// The same sums with terms side by side in vectors: c[row, column] = sum over runs and l < length of
/// a[rows[row] + run.a + l] * b[columns[column] + run.b + l]. `length` is a number of whole vectors.
template <class T> struct DotTile {
  const T *a, *b;
  const std::int64_t *rows, *columns;
  const TermRun* runs;
  std::int64_t num_runs, length;
  T* c;
  const std::int64_t *c_rows, *c_columns;
  bool adds;
};

/// Elements of a vector; columns of a tile are whole vectors.
template <class T> std::int64_t tile_lanes();
/// The most vectors that are columns of one tile.
std::int64_t tile_vectors();
/// The rows of the next tile where so many are left: at most those.
std::int64_t tile_rows(std::int64_t left, std::int64_t vectors);
/// A tile of as many rows as tile_rows says.
template <class T> void run_tile(const Tile<T>& tile, std::int64_t rows, std::int64_t vectors, bool paired);

/// The rows and columns of the next tile of dots where so many are left; and that tile.
std::int64_t dot_rows(std::int64_t left);
std::int64_t dot_columns(std::int64_t left);
template <class T> void run_dots(const DotTile<T>& tile, std::int64_t rows, std::int64_t columns);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
