// Vectors of 64 bytes in which each lane holds a problem of its own: rows of numbers, turned so that the first numbers
// of all of them make one vector, the second ones the next. No lane knows of its neighbours, and no product is fused
// with a sum: what comes out depends neither on these nor on the instructions that the processor has.
#pragma once

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are handed between functions that are inlined, all of them

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::lane {

/// T: float, double, or an integer of four or eight bytes.
template <class T> struct Side {
  static constexpr std::int64_t lanes = 64 / sizeof(T);
  typedef T V __attribute__((vector_size(64)));
  typedef T Unaligned __attribute__((vector_size(64))) __attribute__((aligned(sizeof(T)))) __attribute__((may_alias));
};

inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

namespace detail {
template <class F> [[gnu::target("arch=x86-64-v4")]] void run_avx512(F& f) { f(); }
template <class F> [[gnu::target("arch=x86-64-v3")]] void run_avx2(F& f) { f(); }
}  // namespace detail
/// Calls f, which is to be inlined (`[[gnu::always_inline]]`, as all that it calls), compiled for what this processor
/// has.
template <class F> void with_widest(F&& f) {
  if (has_avx512())
    detail::run_avx512(f);
  else if (has_avx2())
    detail::run_avx2(f);
  else
    f();
}

namespace detail {
/// Lanes that differ in bit `half` change with rows that do.
template <int half, class T, std::size_t... l>
[[gnu::always_inline]] inline void exchange(typename Side<T>::V& a, typename Side<T>::V& b, std::index_sequence<l...>) {
  constexpr int count = static_cast<int>(sizeof...(l));
  const auto first = __builtin_shufflevector(
      a, b, (static_cast<int>(l) & half ? count + static_cast<int>(l) - half : static_cast<int>(l))...);
  b = __builtin_shufflevector(
      a, b, (static_cast<int>(l) & half ? count + static_cast<int>(l) : static_cast<int>(l) + half)...);
  a = first;
}
}  // namespace detail
/// A square of `lanes` rows turned.
template <class T> [[gnu::always_inline]] inline void turn_square(typename Side<T>::V* v) {
  constexpr int count = static_cast<int>(Side<T>::lanes);
  constexpr std::make_index_sequence<static_cast<std::size_t>(count)> all;
#pragma GCC unroll 16
  for (int r = 0; r < count; ++r)
    if (!(r & 1)) detail::exchange<1, T>(v[r], v[r + 1], all);
#pragma GCC unroll 16
  for (int r = 0; r < count; ++r)
    if (!(r & 2)) detail::exchange<2, T>(v[r], v[r + 2], all);
#pragma GCC unroll 16
  for (int r = 0; r < count; ++r)
    if (!(r & 4)) detail::exchange<4, T>(v[r], v[r + 4], all);
  if constexpr (count == 16) {
#pragma GCC unroll 16
    for (int r = 0; r < count; ++r)
      if (!(r & 8)) detail::exchange<8, T>(v[r], v[r + 8], all);
  }
}

/// out[j * out_step + i] = in[i * in_step + j]
template <class T>
[[gnu::always_inline]] inline void turn_square(const T* in, std::int64_t in_step, T* out, std::int64_t out_step) {
  constexpr std::int64_t count = Side<T>::lanes;
  typename Side<T>::V square[count];
#pragma GCC unroll 16
  for (std::int64_t r = 0; r < count; ++r)
    square[r] = *reinterpret_cast<const typename Side<T>::Unaligned*>(in + r * in_step);
  turn_square<T>(square);
#pragma GCC unroll 16
  for (std::int64_t r = 0; r < count; ++r)
    *reinterpret_cast<typename Side<T>::Unaligned*>(out + r * out_step) = square[r];
}

/// to[i] has number i of each row in a lane. Rows (at most `lanes`) lie one behind the other; lanes without one are 0.
template <class T>
[[gnu::always_inline]] inline void load_rows(const T* in, std::int64_t rows, std::int64_t numbers,
                                             typename Side<T>::V* to) {
  constexpr std::int64_t count = Side<T>::lanes;
  using V = typename Side<T>::V;
  std::int64_t i = 0;
  for (; i + count <= numbers; i += count) {
    V square[count];
#pragma GCC unroll 16
    for (std::int64_t r = 0; r < count; ++r)
      square[r] = r < rows ? *reinterpret_cast<const typename Side<T>::Unaligned*>(in + r * numbers + i) : V{};
    turn_square<T>(square);
#pragma GCC unroll 16
    for (std::int64_t r = 0; r < count; ++r) to[i + r] = square[r];
  }
  for (; i < numbers; ++i) {
    V v{};
    for (std::int64_t r = 0; r < rows; ++r) v[r] = in[r * numbers + i];
    to[i] = v;
  }
}
template <class T>
[[gnu::always_inline]] inline void store_rows(const typename Side<T>::V* from, std::int64_t rows, std::int64_t numbers,
                                              T* out) {
  constexpr std::int64_t count = Side<T>::lanes;
  std::int64_t i = 0;
  for (; i + count <= numbers; i += count) {
    typename Side<T>::V square[count];
#pragma GCC unroll 16
    for (std::int64_t r = 0; r < count; ++r) square[r] = from[i + r];
    turn_square<T>(square);
    for (std::int64_t r = 0; r < rows; ++r)
      *reinterpret_cast<typename Side<T>::Unaligned*>(out + r * numbers + i) = square[r];
  }
  for (; i < numbers; ++i)
    for (std::int64_t r = 0; r < rows; ++r) out[r * numbers + i] = from[i][r];
}

}  // namespace tutti::lane
