// Vectors as wide as the processor has them, and what hand-written kernels of matrices and convolutions do with them.
#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <bit>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "lane/side_by_side.hpp"

namespace tutti::lane::vectors {

template <class T, int bytes> struct Of {
  typedef T V __attribute__((vector_size(bytes))) __attribute__((may_alias));
  typedef T Anywhere __attribute__((vector_size(bytes))) __attribute__((aligned(sizeof(T)))) __attribute__((may_alias));
};
template <class V> using ElementOf = std::remove_cvref_t<decltype(V{}[0])>;

template <class V, class T> [[gnu::always_inline]] inline auto* at(T* p) {
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const V, V>*>(p);
}
/// Of memory that need not begin with a whole vector.
template <class V, class T> [[gnu::always_inline]] inline V load(const T* p) {
  return *reinterpret_cast<const typename Of<T, sizeof(V)>::Anywhere*>(p);
}
template <class V, class T> [[gnu::always_inline]] inline void store(T* p, V x) {
  *reinterpret_cast<typename Of<T, sizeof(V)>::Anywhere*>(p) = x;
}
/// The sum of all lanes, half by half.
template <class V> [[gnu::always_inline]] inline ElementOf<V> total(V x) {
  ElementOf<V> lanes[sizeof(V) / sizeof(ElementOf<V>)];
  store(lanes, x);
  for (std::size_t n = std::size(lanes) / 2; n > 0; n /= 2)
    for (std::size_t i = 0; i < n; ++i) lanes[i] += lanes[i + n];
  return lanes[0];
}
/// n elements in vectors of `bytes`, as halves where one vector does not hold them: what compilers make of types that
/// are wider than the processor's vectors goes through memory.
template <class T, int n, int bytes, bool one = n* static_cast<int>(sizeof(T)) <= bytes> struct Wide {
  using V = typename Of<T, n* static_cast<int>(sizeof(T))>::V;
  V x;

  [[gnu::always_inline]] static Wide load(const T* p) { return {vectors::load<V>(p)}; }
  [[gnu::always_inline]] static Wide zero() { return {V{}}; }
  [[gnu::always_inline]] void store(T* p) const { vectors::store(p, x); }
  [[gnu::always_inline]] Wide operator+(const Wide& y) const { return {x + y.x}; }
  [[gnu::always_inline]] Wide operator*(const Wide& y) const { return {x * y.x}; }
  [[gnu::always_inline]] Wide operator*(T y) const { return {x * y}; }
  /// The sum of all elements, half by half.
  [[gnu::always_inline]] T total() const { return vectors::total(x); }
};
template <class T, int n, int bytes> struct Wide<T, n, bytes, false> {
  using Half = Wide<T, n / 2, bytes>;
  Half low, high;

  [[gnu::always_inline]] static Wide load(const T* p) { return {Half::load(p), Half::load(p + n / 2)}; }
  [[gnu::always_inline]] static Wide zero() { return {Half::zero(), Half::zero()}; }
  [[gnu::always_inline]] void store(T* p) const {
    low.store(p);
    high.store(p + n / 2);
  }
  [[gnu::always_inline]] Wide operator+(const Wide& y) const { return {low + y.low, high + y.high}; }
  [[gnu::always_inline]] Wide operator*(const Wide& y) const { return {low * y.low, high * y.high}; }
  [[gnu::always_inline]] Wide operator*(T y) const { return {low * y, high * y}; }
  [[gnu::always_inline]] T total() const { return (low + high).total(); }
};

/// Floats, and they as doubles that are one vector of so many bytes.
template <int bytes> struct Halves {
  static constexpr std::int64_t count = bytes / 8;
  typedef float Floats __attribute__((vector_size(bytes / 2))) __attribute__((aligned(4)));
  typedef double Doubles __attribute__((vector_size(bytes))) __attribute__((aligned(8)));
  typedef std::int32_t Chosen __attribute__((vector_size(bytes / 2)));
};
/// Floats as doubles, or doubles as floats. (GCC's own conversions of four numbers are of two and two.)
template <class To, class From> [[gnu::always_inline]] inline To converted(From x) {
#if TUTTI_X86 && !defined(__clang__)
  if constexpr (sizeof(To) == 32 && sizeof(From) == 16)
    return (To)__builtin_ia32_cvtps2pd256((__v4sf)x);
  else if constexpr (sizeof(To) == 16 && sizeof(From) == 32)
    return (To)__builtin_ia32_cvtpd2ps256((__v4df)x);
  else
#endif
    return __builtin_convertvector(x, To);
}

/// x in all lanes.
template <class V> [[gnu::always_inline]] inline V all_of(ElementOf<V> x) {
#if TUTTI_X86 && !defined(__clang__)
  constexpr bool single = sizeof(x) == 4;
  if constexpr (sizeof(V) == 64 && single)
    return (V)__builtin_ia32_broadcastss512((__v4sf){x, x, x, x}, (__v16sf)V{}, -1);
  else if constexpr (sizeof(V) == 64)
    return (V)__builtin_ia32_broadcastsd512((__v2df){x, x}, (__v8df)V{}, -1);
  else if constexpr (sizeof(V) == 32 && single)
    return (V)__builtin_ia32_vbroadcastss_ps256((__v4sf){x, x, x, x});
  else if constexpr (sizeof(V) == 32)
    return (V)__builtin_ia32_vbroadcastsd_pd256((__v2df){x, x});
  else
#endif
    return x - V{};
}

/// a * b + c, rounded once where the processor has an instruction for it. (Of GCC's: there is none for any vector.)
template <class V> [[gnu::always_inline]] inline V fused(V a, V b, V c) {
#if defined(__aarch64__)
  if constexpr (sizeof(V) == 16 && sizeof(ElementOf<V>) == 4)
    return (V)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
  else if constexpr (sizeof(V) == 16)
    return (V)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
  else
    return a * b + c;
#elif !TUTTI_X86
  return a * b + c;
#elif defined(__clang__)
  if constexpr (sizeof(V) > 16)
    return __builtin_elementwise_fma(a, b, c);
  else
    return a * b + c;
#else
  constexpr bool single = sizeof(ElementOf<V>) == 4;
  if constexpr (sizeof(V) == 64 && single)
    return (V)__builtin_ia32_vfmaddps512_mask((__v16sf)a, (__v16sf)b, (__v16sf)c, -1, _MM_FROUND_CUR_DIRECTION);
  else if constexpr (sizeof(V) == 64)
    return (V)__builtin_ia32_vfmaddpd512_mask((__v8df)a, (__v8df)b, (__v8df)c, -1, _MM_FROUND_CUR_DIRECTION);
  else if constexpr (sizeof(V) == 32 && single)
    return (V)__builtin_ia32_vfmaddps256((__v8sf)a, (__v8sf)b, (__v8sf)c);
  else if constexpr (sizeof(V) == 32)
    return (V)__builtin_ia32_vfmaddpd256((__v4df)a, (__v4df)b, (__v4df)c);
  else
    return a * b + c;
#endif
}
template <class V> [[gnu::always_inline]] inline V plus_product(V c, V a, V b) { return fused(a, b, c); }
template <class V> [[gnu::always_inline]] inline V minus_product(V c, V a, V b) { return fused(-a, b, c); }

/// All bits in lanes 0..last.
template <class V> [[gnu::always_inline]] inline auto lanes_up_to(int last) {
  using Integer = std::conditional_t<sizeof(ElementOf<V>) == 4, std::int32_t, std::int64_t>;
  typename Of<Integer, sizeof(V)>::V x{};
  for (int l = 0; l < static_cast<int>(sizeof(V) / sizeof(Integer)); ++l) x[l] = l <= last ? -1 : 0;
  return x;
}
template <class I, class V> [[gnu::always_inline]] inline V chosen(I where, V yes, V no) {
  const I other = std::bit_cast<I>(no);
  return std::bit_cast<V>(other ^ ((other ^ std::bit_cast<I>(yes)) & where));
}

namespace detail {
template <class V, class F> TUTTI_AVX512 void run_avx512(F& f) { f.template operator()<V>(); }
template <class V, class F> TUTTI_AVX2 void run_avx2(F& f) { f.template operator()<V>(); }
}  // namespace detail
/// Calls f<V>(), which is to be inlined, as all that it calls, with the widest vectors that this processor has.
template <class T, class F> void with_vectors(F&& f) {
  if (lane::has_avx512())
    detail::run_avx512<typename Of<T, 64>::V>(f);
  else if (lane::has_avx2())
    detail::run_avx2<typename Of<T, 32>::V>(f);
  else
    f.template operator()<typename Of<T, 16>::V>();
}

}  // namespace tutti::lane::vectors

// SPDX-License-Identifier: Apache-2.0
