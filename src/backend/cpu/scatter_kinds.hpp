// What scatter does with elements that meet.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/cpu/isa.hpp"
#include "base/half.hpp"
#include "ops/wide.hpp"

namespace tutti::cpu {

namespace scatter {

inline void add_plain(const float* x, std::int64_t n, double* sums) {
  for (std::int64_t i = 0; i < n; ++i) sums[i] += x[i];
}
[[gnu::target("arch=x86-64-v3")]] inline void add_avx2(const float* x, std::int64_t n, double* sums) {
  for (std::int64_t i = 0; i < n; ++i) sums[i] += x[i];
}
[[gnu::target("arch=x86-64-v4,prefer-vector-width=512")]] inline void add_avx512(const float* x, std::int64_t n,
                                                                                 double* sums) {
  for (std::int64_t i = 0; i < n; ++i) sums[i] += x[i];
}
inline void add_run(const float* x, std::int64_t n, double* sums) {
  static const auto add = isa() == Isa::avx512 ? add_avx512 : isa() == Isa::avx2 ? add_avx2 : add_plain;
  add(x, n, sums);
}

// A way of combining has `Held`, in which elements come together before they come to their place; `none`, what nothing
// is there; whether that is the place itself (`direct`); whether several such may be combined (`tables`). Floats and
// complex numbers are added in twice the precision.
template <class T> struct Added {
  using Held = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;
  static constexpr bool direct = false, tables = true;
  static Held none() { return 0; }
  static void take(Held& held, const T& x) { held += static_cast<Held>(x); }
  static void take_run(Held* held, const T* x, std::int64_t n) {
    if constexpr (std::same_as<T, float>)
      add_run(x, n, held);
    else
      for (std::int64_t i = 0; i < n; ++i) take(held[i], x[i]);
  }
  static void give(T& place, const Held& sum) {
    const Held all = static_cast<Held>(place) + sum;
    T rounded;
    if constexpr (std::floating_point<T> || is_complex_number<T>)
      rounded = static_cast<T>(all);
    else
      rounded = T(static_cast<float>(all));
    place = sum == Held(0) ? place : rounded;  // nothing came, or nothing that counts: -0 stays
  }
};

struct Plus {
  template <class T> static constexpr T none = T(0);
  template <class T> static T of(T a, T b) {
    if constexpr (std::same_as<T, bool>)
      return a || b;
    else
      return T(ops::Wide<T>(a) + ops::Wide<T>(b));
  }
};
struct Times {
  template <class T> static constexpr T none = T(1);
  template <class T> static T of(T a, T b) {
    if constexpr (std::same_as<T, bool>)
      return a && b;
    else
      return T(ops::Wide<T>(a) * ops::Wide<T>(b));
  }
};
// NaN wins; of equal ones the later.
template <bool least> struct Extremum {
  using L = std::numeric_limits<float>;
  template <class T>
  static constexpr T none = std::floating_point<T> ? (least ? T(L::infinity()) : T(-L::infinity()))
                            : least                ? std::numeric_limits<T>::max()
                                                   : std::numeric_limits<T>::lowest();
  template <class T> static T of(T a, T b) { return a != a || (least ? a < b : a > b) ? a : b; }
};
struct Later {
  template <class T> static T of(T, T b) { return b; }
};
// Elements are combined in the array itself.
template <class T, class F> struct Folded {
  using Held = T;
  static constexpr bool direct = true, tables = std::is_arithmetic_v<T> && !std::same_as<F, Later>;
  static Held none() { return F::template none<T>; }
  static void take(Held& held, const T& x) { held = F::of(held, x); }
  static void take_run(Held* held, const T* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) take(held[i], x[i]);
  }
  static void give(T& place, const Held& x) { place = F::of(place, x); }
};

}  // namespace scatter
}  // namespace tutti::cpu
