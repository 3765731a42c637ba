#include "ops/linalg/small_matrices.hpp"

#include <emmintrin.h>
#include <xmmintrin.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "lane/side_by_side.hpp"

namespace tutti::ops {
namespace {

template <class T> using Many = typename lane::Side<T>::V;
template <class T> using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
/// Whole numbers, one a lane: places, the bits of floats, and answers: all bits where something holds.
template <class T> using Whole = typename lane::Side<Integer<T>>::V;

// Numbers up to the largest positive one are compared by their difference: of comparisons of vectors the compiler makes
// branches, lane by lane.
template <class W> [[gnu::always_inline]] inline W is_less(W x, W y) { return (x - y) >> (sizeof(x[0]) * 8 - 1); }
template <class W> [[gnu::always_inline]] inline W is_same(W x, W y) { return ((x ^ y) - 1) >> (sizeof(x[0]) * 8 - 1); }
template <class W> [[gnu::always_inline]] inline W chosen(W where, W yes, W no) { return no ^ ((no ^ yes) & where); }

template <class T> [[gnu::always_inline]] inline Whole<T> bits(Many<T> x) { return reinterpret_cast<Whole<T>>(x); }
template <class T> [[gnu::always_inline]] inline Many<T> of_bits(Whole<T> x) { return reinterpret_cast<Many<T>>(x); }
template <class T> [[gnu::always_inline]] inline Many<T> chosen(Whole<T> where, Many<T> yes, Many<T> no) {
  return of_bits<T>(chosen(where, bits<T>(yes), bits<T>(no)));
}
/// Those of |x|: in the order of the numbers, NaN above infinity.
template <class T> [[gnu::always_inline]] inline Whole<T> size_bits(Many<T> x) {
  return bits<T>(x) & std::numeric_limits<Integer<T>>::max();
}
template <class T> constexpr Integer<T> infinity_bits() {
  return std::bit_cast<Integer<T>>(std::numeric_limits<T>::infinity());
}
template <class T> [[gnu::always_inline]] inline Many<T> root(Many<T> x) {
  if constexpr (sizeof(T) == 4) {
    auto* part = reinterpret_cast<__m128*>(&x);
    for (int i = 0; i < 4; ++i) part[i] = _mm_sqrt_ps(part[i]);
  } else {
    auto* part = reinterpret_cast<__m128d*>(&x);
    for (int i = 0; i < 4; ++i) part[i] = _mm_sqrt_pd(part[i]);
  }
  return x;
}

/// A matrix in each lane. Rows stay where they are; position[i] says where row i belongs, swap by swap.
template <class T> struct LuInLanes {
  int m, n;
  Many<T>* a;
  Whole<T>*position, *taken, *pivots;  // taken: which row the pivot is in
  Many<T>* row;                        // that of the pivots

  [[gnu::always_inline]] Whole<T> pivot_of(int k) const {
    const Whole<T> zero{}, infinity = zero + infinity_bits<T>(), first = zero + k;
    Whole<T> most = zero - 1, at = zero;
    for (int i = 0; i < m; ++i) {
      const Whole<T> here = position[i];
      Whole<T> size = size_bits<T>(a[i * n + k]);
      // Nothing is larger than NaN, and NaN is larger than nothing.
      size = chosen(is_less(infinity, size), infinity & is_same(here, first), size);
      const Whole<T> better = is_less(most, size) | (is_same(size, most) & is_less(here, at));
      const Whole<T> taken = better & ~is_less(here, first);
      most = chosen(taken, size, most);
      at = chosen(taken, here, at);
    }
    return at;
  }

  [[gnu::always_inline]] void run() const {
    for (int i = 0; i < m; ++i) position[i] = Whole<T>{} + i;
    for (int k = 0; k < std::min(m, n); ++k) {
      const Whole<T> first = Whole<T>{} + k, at = pivots[k] = pivot_of(k);
      for (int i = 0; i < m; ++i) {
        const Whole<T> here = position[i];
        taken[i] = is_same(here, at);
        position[i] = chosen(taken[i], first, chosen(is_same(here, first), at, here));
      }
      for (int j = k; j < n; ++j) {
        Whole<T> value{};
        for (int i = 0; i < m; ++i) value = value | (bits<T>(a[i * n + j]) & taken[i]);
        row[j] = of_bits<T>(value);
      }
      const Whole<T> zero = is_same(size_bits<T>(row[k]), Whole<T>{});
      const Many<T> inverse = 1 / row[k];
      for (int i = 0; i < m; ++i) {
        const Whole<T> below = is_less(first, position[i]) & ~zero;
        Many<T>* to = a + i * n;
        const Many<T> factor = to[k] * inverse;
        to[k] = chosen<T>(below, factor, to[k]);
        for (int j = k + 1; j < n; ++j) to[j] = chosen<T>(below, to[j] - factor * row[j], to[j]);
      }
    }
  }
};

template <class T> [[gnu::always_inline]] inline void cholesky_in_lanes(int n, Many<T>* a) {
  Whole<T> fails = {};
  for (int j = 0; j < n; ++j) {
    const Many<T>* above = a + j * n;
    Many<T> square = above[j];
    for (int k = 0; k < j; ++k) square = square - above[k] * above[k];
    const Whole<T> size = size_bits<T>(square), zero{};
    const Whole<T> number = ~is_less(zero + infinity_bits<T>(), size);  // of NaN comes NaN, where it comes to
    fails = fails | (is_less(bits<T>(square), zero) & number) | is_same(size, zero);
    const Many<T> diagonal = root<T>(square), inverse = 1 / diagonal;
    a[j * n + j] = diagonal;
    for (int i = j + 1; i < n; ++i) {
      Many<T> sum = a[i * n + j];
      for (int k = 0; k < j; ++k) sum = sum - a[i * n + k] * above[k];
      a[i * n + j] = sum * inverse;
    }
  }
  const Many<T> nan = Many<T>{} + std::numeric_limits<T>::quiet_NaN();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i * n + j] = j > i ? Many<T>{} : chosen<T>(fails, nan, a[i * n + j]);
}

/// Element (i, j) of a matrix: first[i * row + j * column].
template <class T> struct Strided {
  Many<T>* first;
  std::int64_t row, column;
  [[gnu::always_inline]] Many<T>& operator()(std::int64_t i, std::int64_t j) const {
    return first[i * row + j * column];
  }
};
/// x (n x cols) becomes a^-1 x; from the first unknown on, or from the last.
template <class T>
[[gnu::always_inline]] inline void solve_in_lanes(bool forward, bool unit, int n, int cols, Strided<T> a,
                                                  Strided<T> x) {
  for (int step = 0; step < n; ++step) {
    const int i = forward ? step : n - 1 - step;
    const Many<T> diagonal = a(i, i);
    for (int c = 0; c < cols; ++c) {
      Many<T> sum = x(i, c);
      for (int done = 0; done < step; ++done) {
        const int j = forward ? done : n - 1 - done;
        sum = sum - a(i, j) * x(j, c);
      }
      x(i, c) = unit ? sum : sum / diagonal;
    }
  }
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
  const LuInLanes<T> job{m, n, matrices, position, position + m, position + 2 * m, matrices + size};
  T* turned = rows(size);
  lane::with_widest([&] [[gnu::always_inline]] {
    lane::load_rows(a, count, size, matrices);
    job.run();
    lane::store_rows(matrices, count, size, turned);
  });
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
  lane::with_widest([&] [[gnu::always_inline]] {
    lane::load_rows(a, count, size, matrices);
    cholesky_in_lanes<T>(n, matrices);
    lane::store_rows(matrices, count, size, factors);
  });
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
  lane::with_widest([&] [[gnu::always_inline]] {
    lane::load_rows(a, count, size, matrices);
    lane::load_rows(b, count, sides, side);
    solve_in_lanes(lower != turned, unit, n, left ? cols : rows, of_a, of_x);
    lane::store_rows(side, count, sides, x);
  });
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
  lane::with_widest([&] [[gnu::always_inline]] {
    lane::load_rows(factors, count, size, matrices);
    lane::load_rows(static_cast<const T*>(swapped), count, sides, side);
    solve_in_lanes(true, !transposed, n, cols, transposed ? turned : a, of_x);
    solve_in_lanes(false, transposed, n, cols, transposed ? turned : a, of_x);
    lane::store_rows(side, count, sides, x);
  });
  if (transposed)
    for (std::int64_t r = 0; r < count; ++r)
      for (int i = n; i-- > 0;) swap(x + r * sides, r, i);
}

template class SmallMatrices<float>;
template class SmallMatrices<double>;

}  // namespace tutti::ops
