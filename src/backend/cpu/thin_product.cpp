#include "backend/cpu/thin_product.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "backend/cpu/isa.hpp"

#if TUTTI_X86
namespace tutti::cpu {
namespace {

constexpr std::int64_t kMostColumns = 8, kMostInner = 128;
constexpr int kRows = 8;  // sums that are under way at once, as many as hide what an addition takes

#define TUTTI_THIN [[gnu::always_inline, gnu::target("avx2,fma")]] static inline

// Four or eight columns: what a row of the result is, and its first n elements in memory.
template <int n, bool wide = (n > 4)> struct Row;

template <int n> struct Row<n, false> {
  static constexpr std::int64_t kLanes = 4;
  using Vector = __m128;
  TUTTI_THIN Vector zero() { return _mm_setzero_ps(); }
  TUTTI_THIN Vector all(float x) { return _mm_set1_ps(x); }
  TUTTI_THIN Vector whole(const float* x) { return _mm_loadu_ps(x); }
  TUTTI_THIN Vector plus(Vector x, Vector y) { return _mm_add_ps(x, y); }
  TUTTI_THIN Vector times_plus(Vector x, Vector y, Vector z) { return _mm_fmadd_ps(x, y, z); }
  // Not by masks: stores by masks wait for one another on some machines.
  TUTTI_THIN Vector load(const float* x) {
    if constexpr (n == 4) return _mm_loadu_ps(x);
    if constexpr (n == 1) return _mm_load_ss(x);
    const Vector two = _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(x)));
    return n == 2 ? two : _mm_movelh_ps(two, _mm_load_ss(x + 2));
  }
  TUTTI_THIN void store(float* to, Vector x) {
    if constexpr (n == 4) return _mm_storeu_ps(to, x);
    if constexpr (n == 1) return _mm_store_ss(to, x);
    _mm_storel_pi(reinterpret_cast<__m64*>(to), x);
    if constexpr (n == 3) _mm_store_ss(to + 2, _mm_movehl_ps(x, x));
  }
};

template <int n> struct Row<n, true> {
  static constexpr std::int64_t kLanes = 8;
  using Vector = __m256;
  using Rest = Row<n - 4, false>;
  TUTTI_THIN Vector zero() { return _mm256_setzero_ps(); }
  TUTTI_THIN Vector all(float x) { return _mm256_set1_ps(x); }
  TUTTI_THIN Vector whole(const float* x) { return _mm256_loadu_ps(x); }
  TUTTI_THIN Vector plus(Vector x, Vector y) { return _mm256_add_ps(x, y); }
  TUTTI_THIN Vector times_plus(Vector x, Vector y, Vector z) { return _mm256_fmadd_ps(x, y, z); }
  TUTTI_THIN Vector load(const float* x) {
    if constexpr (n == 8) return _mm256_loadu_ps(x);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x)), Rest::load(x + 4), 1);
  }
  TUTTI_THIN void store(float* to, Vector x) {
    if constexpr (n == 8) return _mm256_storeu_ps(to, x);
    _mm_storeu_ps(to, _mm256_castps256_ps128(x));
    Rest::store(to + 4, _mm256_extractf128_ps(x, 1));
  }
};

template <int n, int rows>
TUTTI_THIN void block(std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column, const float* b,
                      std::int64_t b_row, float* c, std::int64_t c_row, Sums sums) {
  using R = Row<n>;
  typename R::Vector sum[rows];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) sum[i] = R::zero();
  for (std::int64_t l = 0; l < k; ++l, a += a_column, b += b_row) {
    const typename R::Vector y = R::whole(b);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) sum[i] = R::times_plus(R::all(a[i * a_row]), y, sum[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    if (sums != Sums::plain) sum[i] = R::plus(sums == Sums::added ? R::load(c + i * c_row) : R::zero(), sum[i]);
    R::store(c + i * c_row, sum[i]);
  }
}

template <int n>
[[gnu::target("avx2,fma")]] void product(std::int64_t m, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                                         std::int64_t c_row, Sums sums) {
  constexpr std::int64_t lanes = Row<n>::kLanes;
  alignas(32) float copy[kMostInner * kMostColumns];
  const float* y = b.data;
  std::int64_t y_row = b.row;
  if (b.column != 1 || n != lanes) {
    for (std::int64_t l = 0; l < k; ++l)
      for (int j = 0; j < lanes; ++j) copy[l * lanes + j] = j < n ? b.data[l * b.row + j * b.column] : 0;
    y = copy;
    y_row = lanes;
  }
  std::int64_t i = 0;
  for (; i + kRows <= m; i += kRows)
    block<n, kRows>(k, a.data + i * a.row, a.row, a.column, y, y_row, c + i * c_row, c_row, sums);
  for (; i + 2 <= m; i += 2) block<n, 2>(k, a.data + i * a.row, a.row, a.column, y, y_row, c + i * c_row, c_row, sums);
  if (i < m) block<n, 1>(k, a.data + i * a.row, a.row, a.column, y, y_row, c + i * c_row, c_row, sums);
}

#undef TUTTI_THIN

template <int... i> constexpr std::array<ThinProduct, sizeof...(i)> products(std::integer_sequence<int, i...>) {
  return {product<i + 1>...};
}
constexpr auto by_columns = products(std::make_integer_sequence<int, kMostColumns>());

}  // namespace

ThinProduct thin_product(std::int64_t n, std::int64_t k) {
  static const bool has_vectors = isa() != Isa::plain;
  return has_vectors && n >= 1 && n <= kMostColumns && k <= kMostInner ? by_columns[static_cast<std::size_t>(n - 1)]
                                                                       : nullptr;
}

}  // namespace tutti::cpu

#else

namespace tutti::cpu {
ThinProduct thin_product(std::int64_t, std::int64_t) { return nullptr; }
}  // namespace tutti::cpu

#endif

// SPDX-License-Identifier: Apache-2.0
