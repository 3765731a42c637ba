#include "backend/cpu/matvec.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kInner = 4096;  // elements of x at a time: they stay in the first-level cache
constexpr int kLanes = 16, kRows = 4, kColumns = 8;

typedef float Lanes __attribute__((vector_size(64))) __attribute__((aligned(4)));

// Adds the lanes from `half` on to those before them.
template <int half> [[gnu::always_inline]] inline void fold(Lanes& x) {
  x += __builtin_shufflevector(x, x, half, half + 1, half + 2, half + 3, half + 4, half + 5, half + 6, half + 7, 0, 0,
                               0, 0, 0, 0, 0, 0);
}

// Rows of a against x, which lie in order: sums in lanes, `rows` of them and two of each row side by side.
template <int rows>
[[gnu::always_inline]] inline void along(std::int64_t k, const float* a, std::int64_t a_row, const float* x,
                                         float* sums) {
  Lanes even[rows]{}, odd[rows]{};
  std::int64_t l = 0;
  for (; l + 2 * kLanes <= k; l += 2 * kLanes) {
    const Lanes x0 = *reinterpret_cast<const Lanes*>(x + l), x1 = *reinterpret_cast<const Lanes*>(x + l + kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      even[i] += *reinterpret_cast<const Lanes*>(a + i * a_row + l) * x0;
      odd[i] += *reinterpret_cast<const Lanes*>(a + i * a_row + l + kLanes) * x1;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    even[i] += odd[i];
    float sum = 0;
    for (std::int64_t rest = l; rest < k; ++rest) sum += a[i * a_row + rest] * x[rest];
    fold<8>(even[i]);
    fold<4>(even[i]);
    fold<2>(even[i]);
    fold<1>(even[i]);
    sums[i] += even[i][0] + sum;
  }
}

// Columns of a, added up for `vectors` times 16 rows of it that lie in order.
template <int vectors>
[[gnu::always_inline]] inline void across(std::int64_t k, const float* a, std::int64_t a_column, const float* x,
                                          float* sums) {
  Lanes sum[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) sum[v] = *reinterpret_cast<const Lanes*>(sums + v * kLanes);
  for (std::int64_t l = 0; l < k; ++l)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sum[v] += *reinterpret_cast<const Lanes*>(a + l * a_column + v * kLanes) * x[l];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) *reinterpret_cast<Lanes*>(sums + v * kLanes) = sum[v];
}

[[gnu::always_inline]] inline void product(std::int64_t m, std::int64_t k, const Matrix& a, const float* x,
                                           std::int64_t x_step, float* y, std::int64_t y_step) {
  alignas(64) float here[kInner], sums[kColumns * kLanes];
  for (std::int64_t from = 0; from == 0 || from < k; from += kInner) {
    const std::int64_t inner = std::min(kInner, k - from);
    const float* in_order = x + from;
    if (x_step != 1) {
      for (std::int64_t l = 0; l < inner; ++l) here[l] = x[(from + l) * x_step];
      in_order = here;
    }
    const float* part = a.data + from * a.column;
    const bool by_rows = a.column == 1 || k == 1;
    for (std::int64_t i = 0; i < m;) {
      const std::int64_t left = m - i;
      const int n =
          by_rows ? (left >= kRows ? kRows : 1) : static_cast<int>(std::min<std::int64_t>(left, kColumns * kLanes));
      for (int j = 0; j < n; ++j) sums[j] = from ? y[(i + j) * y_step] : 0;
      if (by_rows) {
        n == kRows ? along<kRows>(inner, part + i * a.row, a.row, in_order, sums)
                   : along<1>(inner, part + i * a.row, a.row, in_order, sums);
      } else if (n == kColumns * kLanes) {
        across<kColumns>(inner, part + i, a.column, in_order, sums);
      } else {
        int j = 0;
        for (; j + kLanes <= n; j += kLanes) across<1>(inner, part + i + j, a.column, in_order, sums + j);
        for (std::int64_t l = 0; l < inner; ++l)
          for (int r = j; r < n; ++r) sums[r] += part[l * a.column + i + r] * in_order[l];
      }
      for (int j = 0; j < n; ++j) y[(i + j) * y_step] = sums[j];
      i += n;
    }
  }
}

// The same loops for each kind of machine (as in gemm.cpp).
using Product = void (*)(std::int64_t, std::int64_t, const Matrix&, const float*, std::int64_t, float*, std::int64_t);
void plain(std::int64_t m, std::int64_t k, const Matrix& a, const float* x, std::int64_t x_step, float* y,
           std::int64_t y_step) {
  product(m, k, a, x, x_step, y, y_step);
}
[[gnu::target("arch=x86-64-v3")]] void avx2(std::int64_t m, std::int64_t k, const Matrix& a, const float* x,
                                            std::int64_t x_step, float* y, std::int64_t y_step) {
  product(m, k, a, x, x_step, y, y_step);
}
[[gnu::target("arch=x86-64-v4")]] void avx512(std::int64_t m, std::int64_t k, const Matrix& a, const float* x,
                                              std::int64_t x_step, float* y, std::int64_t y_step) {
  product(m, k, a, x, x_step, y, y_step);
}

}  // namespace

bool matvec(std::int64_t m, std::int64_t k, const Matrix& a, const float* x, std::int64_t x_step, float* y,
            std::int64_t y_step) {
  if (a.column != 1 && k != 1 && a.row != 1) return false;
  static const Product run = isa() == Isa::avx512 ? avx512 : isa() == Isa::avx2 ? avx2 : plain;
  run(m, k, a, x, x_step, y, y_step);
  return true;
}

}  // namespace tutti::cpu
