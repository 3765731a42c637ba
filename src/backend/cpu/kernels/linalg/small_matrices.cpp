#include "backend/cpu/kernels/linalg/small_matrices.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "lane/side_by_side.hpp"

namespace tutti::kernels {
namespace {

template <class T> using Many = typename lane::Side<T>::V;
template <class T> using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
/// Whole numbers, one a lane: places, the bits of floats, and answers: all bits where something holds.
template <class T> using Whole = typename lane::Side<Integer<T>>::V;

/// Of m x n matrices. Rows stay where they are; position[i] says where row i belongs, swap by swap.
template <class T> struct LuSpace {
  int m, n;
  Many<T>* a;
  Whole<T>*position, *taken, *pivots;  // taken: which row the pivot is in
  Many<T>* row;                        // that of the pivots
};
/// Element (i, j) of a matrix: first[i * row + j * column].
template <class T> struct Strided {
  Many<T>* first;
  std::int64_t row, column;
  [[gnu::always_inline]] Many<T>& operator()(std::int64_t i, std::int64_t j) const {
    return first[i * row + j * column];
  }
};
/// Makes normal numbers of the subnormal ones, whose reciprocals are finite.
template <class T> constexpr T raised_pivot = sizeof(T) == 4 ? T(0x1p64) : T(0x1p128);
template <class T> constexpr Integer<T> infinity_bits() {
  return std::bit_cast<Integer<T>>(std::numeric_limits<T>::infinity());
}

namespace narrow {
#include "backend/cpu/kernels/linalg/small_kernels.inc"
}

namespace wide {
#include "lane/begin_avx512.inc"

#include "backend/cpu/kernels/linalg/small_kernels.inc"

template <class T> void lu(const LuSpace<T>& space) { LuInLanes<T>{space}.run(); }
template <class T> void cholesky(int n, Many<T>* a) { cholesky_in_lanes<T>(n, a); }
template <class T> void solve(bool forward, bool unit, int n, int cols, Strided<T> a, Strided<T> x) {
  solve_in_lanes<T>(forward, unit, n, cols, a, x);
}
template <class T>
void eliminate(int n, int cols, Many<T>* a, Many<T>* b, Whole<T>* fails, Whole<T>* taken, Many<T>* factors) {
  *fails = eliminate_in_lanes<T>(n, cols, a, b, taken, factors);
}
#include "lane/end_target.inc"
}  // namespace wide

template <class T> void solved_in_lanes(bool forward, bool unit, int n, int cols, Strided<T> a, Strided<T> x) {
  if (lane::has_avx512())
    wide::solve(forward, unit, n, cols, a, x);
  else
    lane::with_avx2([&] [[gnu::always_inline]] { narrow::solve_in_lanes(forward, unit, n, cols, a, x); });
}

/// A few numbers: a call would take longer.
template <class T> [[gnu::always_inline]] inline void copy_row(const T* from, int n, T* to) {
  constexpr int count = 16 / sizeof(T);
  int j = 0;
  for (; j + count <= n; j += count) __builtin_memcpy(to + j, from + j, 16);
  for (; j < n; ++j) to[j] = from[j];
}

}  // namespace

template <class T> void* SmallMatrices<T>::space(std::int64_t vectors) {
  std::size_t bytes = static_cast<std::size_t>(vectors) * 64;
  space_.resize(bytes + 64);
  std::size_t room = bytes + 64;
  void* first = space_.data();
  return std::align(64, bytes, first, room);
}
template <class T> T* SmallMatrices<T>::rows(std::int64_t numbers) {
  rows_.resize(static_cast<std::size_t>(numbers * lanes));
  return rows_.data();
}

template <class T>
void SmallMatrices<T>::lu(std::int64_t count, int m, int n, const T* a, T* factors, std::int32_t* pivots,
                          std::int32_t* permutation) {
  const std::int64_t size = std::int64_t{m} * n;
  const int steps = std::min(m, n);
  auto* matrices = static_cast<Many<T>*>(space(size + n + 2 * m + steps));
  auto* position = reinterpret_cast<Whole<T>*>(matrices + size + n);
  const LuSpace<T> job{m, n, matrices, position, position + m, position + 2 * m, matrices + size};
  T* turned = rows(size);
  lane::load_rows(a, count, size, matrices);
  if (lane::has_avx512())
    wide::lu(job);
  else
    lane::with_avx2([&] [[gnu::always_inline]] { narrow::LuInLanes<T>{job}.run(); });
  lane::store_rows(matrices, count, size, turned);
  for (std::int64_t r = 0; r < count; ++r) {
    for (int i = 0; i < m; ++i) {
      const auto to = static_cast<std::int32_t>(position[i][r]);
      permutation[r * m + to] = i;
      copy_row(turned + r * size + std::int64_t{i} * n, n, factors + r * size + std::int64_t{to} * n);
    }
    for (int k = 0; k < steps; ++k) pivots[r * steps + k] = static_cast<std::int32_t>(job.pivots[k][r]);
  }
}

template <class T> void SmallMatrices<T>::cholesky(std::int64_t count, int n, const T* a, T* factors) {
  const std::int64_t size = std::int64_t{n} * n;
  auto* matrices = static_cast<Many<T>*>(space(size));
  lane::load_rows(a, count, size, matrices);
  if (lane::has_avx512())
    wide::cholesky<T>(n, matrices);
  else
    lane::with_avx2([&] [[gnu::always_inline]] { narrow::cholesky_in_lanes<T>(n, matrices); });
  lane::store_rows(matrices, count, size, factors);
}

template <class T>
void SmallMatrices<T>::triangular_solve(std::int64_t count, bool left, bool lower, Turn turn, bool unit, int rows,
                                        int cols, const T* a, const T* b, T* x) {
  const int n = left ? rows : cols;
  const std::int64_t size = std::int64_t{n} * n, sides = std::int64_t{rows} * cols;
  auto* matrices = static_cast<Many<T>*>(space(size + sides));
  auto* side = matrices + size;
  // On the right: the transposes on the left.
  const bool turned = (turn == Turn::none) != left;
  const Strided<T> of_a{matrices, turned ? 1 : n, turned ? n : 1}, of_x{side, left ? cols : 1, left ? 1 : cols};
  lane::load_rows(a, count, size, matrices);
  lane::load_rows(b, count, sides, side);
  solved_in_lanes(lower != turned, unit, n, left ? cols : rows, of_a, of_x);
  lane::store_rows(side, count, sides, x);
}

template <class T>
void SmallMatrices<T>::lu_solve(std::int64_t count, int n, int cols, const T* factors, const std::int32_t* pivots,
                                bool transposed, const T* b, T* x) {
  const std::int64_t size = std::int64_t{n} * n, sides = std::int64_t{n} * cols;
  auto* matrices = static_cast<Many<T>*>(space(size + sides));
  auto* side = matrices + size;
  const Strided<T> a{matrices, n, 1}, turned{matrices, 1, n}, of_x{side, cols, 1};
  auto swap = [&](T* y, std::int64_t r, int i) {
    std::swap_ranges(y + std::int64_t{i} * cols, y + (std::int64_t{i} + 1) * cols,
                     y + std::int64_t{pivots[r * n + i]} * cols);
  };
  T* swapped = rows(sides);
  std::copy_n(b, count * sides, swapped);
  if (!transposed)
    for (std::int64_t r = 0; r < count; ++r)
      for (int i = 0; i < n; ++i) swap(swapped + r * sides, r, i);
  lane::load_rows(factors, count, size, matrices);
  lane::load_rows(static_cast<const T*>(swapped), count, sides, side);
  solved_in_lanes(true, !transposed, n, cols, transposed ? turned : a, of_x);
  solved_in_lanes(false, transposed, n, cols, transposed ? turned : a, of_x);
  lane::store_rows(side, count, sides, x);
  if (transposed)
    for (std::int64_t r = 0; r < count; ++r)
      for (int i = n; i-- > 0;) swap(x + r * sides, r, i);
}

template <class T> void SmallMatrices<T>::solve(std::int64_t count, int n, int cols, const T* a, const T* b, T* x) {
  const std::int64_t size = std::int64_t{n} * n, sides = std::int64_t{n} * cols;
  auto* matrices = static_cast<Many<T>*>(space(size + sides + 2 * n + 1));
  Many<T>*side = matrices + size, *room = side + sides;
  auto* fails = reinterpret_cast<Whole<T>*>(room + n);
  lane::load_rows(a, count, size, matrices);
  lane::load_rows(b, count, sides, side);
  if (lane::has_avx512())
    wide::eliminate<T>(n, cols, matrices, side, fails, fails + 1, room);
  else
    lane::with_avx2([&] [[gnu::always_inline]] {
      *fails = narrow::eliminate_in_lanes<T>(n, cols, matrices, side, fails + 1, room);
    });
  for (std::int64_t r = 0; r < count; ++r)
    if ((*fails)[r]) {
      std::vector<T> factors(static_cast<std::size_t>(count * size));
      std::vector<std::int32_t> pivots(static_cast<std::size_t>(count * n)), permutation(pivots);
      lu(count, n, n, a, factors.data(), pivots.data(), permutation.data());
      return lu_solve(count, n, cols, factors.data(), pivots.data(), false, b, x);
    }
  lane::store_rows(static_cast<const Many<T>*>(side), count, sides, x);
}

template class SmallMatrices<float>;
template class SmallMatrices<double>;

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
