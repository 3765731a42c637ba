// What scatter does with elements that meet.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "backend/cpu/isa.hpp"
#include "base/half.hpp"
#include "lane/side_by_side.hpp"
#include "lane/vectors.hpp"
#include "ops/elementwise/complex_order.hpp"
#include "ops/wide.hpp"

namespace tutti::cpu {

namespace scatter {

using lane::vectors::converted;
using lane::vectors::Halves;

template <int bytes> [[gnu::always_inline]] inline void add_lanes(const float* x, std::int64_t n, double* sums) {
  using H = Halves<bytes>;
  std::int64_t i = 0;
  // Stores that cross a line of the cache take twice as long.
  for (; i < n && reinterpret_cast<std::uintptr_t>(sums + i) % bytes != 0; ++i) sums[i] += x[i];
  auto add = [=](std::int64_t at) __attribute__((always_inline)) {
    *reinterpret_cast<typename H::Doubles*>(sums + at) +=
        converted<typename H::Doubles>(*reinterpret_cast<const typename H::Floats*>(x + at));
  };
  for (; i + 4 * H::count <= n; i += 4 * H::count) {
    add(i);
    add(i + H::count);
    add(i + 2 * H::count);
    add(i + 3 * H::count);
  }
  for (; i + H::count <= n; i += H::count) add(i);
  for (; i < n; ++i) sums[i] += x[i];
}
inline void add_plain(const float* x, std::int64_t n, double* sums) { add_lanes<16>(x, n, sums); }
TUTTI_AVX2 inline void add_avx2(const float* x, std::int64_t n, double* sums) { add_lanes<32>(x, n, sums); }
TUTTI_AVX512 inline void add_avx512(const float* x, std::int64_t n, double* sums) { add_lanes<64>(x, n, sums); }
inline void add_run(const float* x, std::int64_t n, double* sums) {
  static const auto add = isa() == Isa::avx512 ? add_avx512 : isa() == Isa::avx2 ? add_avx2 : add_plain;
  add(x, n, sums);
}
// As Added::give, below, of places that were `old` (`one`: all as the first of it).
template <int bytes>
[[gnu::always_inline]] inline std::int64_t give_lanes(const float* old, bool one, const double* sums, std::int64_t n,
                                                      float* places) {
  using H = Halves<bytes>;
  const typename H::Floats same = *old - typename H::Floats{};
  std::int64_t i = 0;
  // To what is no -0, nothing may be added as well as not.
  for (const bool adds = one && !(*old == 0 && std::signbit(*old)); adds && i + H::count <= n; i += H::count)
    *reinterpret_cast<typename H::Floats*>(places + i) = converted<typename H::Floats>(
        converted<typename H::Doubles>(same) + *reinterpret_cast<const typename H::Doubles*>(sums + i));
  for (; i + H::count <= n; i += H::count) {
    const typename H::Floats place = one ? same : *reinterpret_cast<const typename H::Floats*>(old + i);
    const typename H::Doubles sum = *reinterpret_cast<const typename H::Doubles*>(sums + i);
    const typename H::Floats all = converted<typename H::Floats>(converted<typename H::Doubles>(place) + sum);
    *reinterpret_cast<typename H::Floats*>(places + i) =
        __builtin_convertvector(sum == 0, typename H::Chosen) ? place : all;
  }
  return i;
}
inline std::int64_t give_plain(const float* old, bool one, const double* sums, std::int64_t n, float* places) {
  return give_lanes<16>(old, one, sums, n, places);
}
TUTTI_AVX2 inline std::int64_t give_avx2(const float* old, bool one, const double* sums, std::int64_t n,
                                         float* places) {
  return give_lanes<32>(old, one, sums, n, places);
}
TUTTI_AVX512 inline std::int64_t give_avx512(const float* old, bool one, const double* sums, std::int64_t n,
                                             float* places) {
  return give_lanes<64>(old, one, sums, n, places);
}
// How many have been given: whole vectors.
inline std::int64_t give_vectors(const float* old, bool one, const double* sums, std::int64_t n, float* places) {
  static const auto give = isa() == Isa::avx512 ? give_avx512 : isa() == Isa::avx2 ? give_avx2 : give_plain;
  return give(old, one, sums, n, places);
}
// What n places become to which several runs are added: `old` and the sum of them all, rounded once. `one`: all places
// are *old.
template <int bytes>
[[gnu::always_inline]] inline void add_group_lanes(const std::vector<const float*>& runs, const float* old, bool one,
                                                   std::int64_t n, float* to) {
  using Floats = typename Halves<bytes>::Floats;
  using Doubles = typename Halves<bytes>::Doubles;
  using Chosen = typename Halves<bytes>::Chosen;
  constexpr std::int64_t count = Halves<bytes>::count;
  const float first = *old;
  const Floats same = first - Floats{};
  std::int64_t i = 0;
  // Rounded to floats, the sum of two is the same in doubles.
  for (const float* run = runs[0]; runs.size() == 1 && i + count <= n; i += count) {
    const Floats more = *reinterpret_cast<const Floats*>(run + i),
                 place = one ? same : *reinterpret_cast<const Floats*>(old + i), all = place + more;
    *reinterpret_cast<Floats*>(to + i) = more == 0 ? place : all;
  }
  auto give = [=](const Doubles& sum, std::int64_t at) __attribute__((always_inline)) {
    const Floats place = one ? same : *reinterpret_cast<const Floats*>(old + at);
    const Floats all = converted<Floats>(converted<Doubles>(place) + sum);
    *reinterpret_cast<Floats*>(to + at) = __builtin_convertvector(sum == 0, Chosen) ? place : all;
  };
  auto of = [](const float* x) __attribute__((always_inline)) {
    return converted<Doubles>(*reinterpret_cast<const Floats*>(x));
  };
  for (; i + 4 * count <= n; i += 4 * count) {  // sums beside each other do not wait for each other
    Doubles a = {}, b = {}, c = {}, d = {};
    for (const float* run : runs) {
      const float* x = run + i;
      a += of(x);
      b += of(x + count);
      c += of(x + 2 * count);
      d += of(x + 3 * count);
    }
    give(a, i);
    give(b, i + count);
    give(c, i + 2 * count);
    give(d, i + 3 * count);
  }
  for (; i + count <= n; i += count) {
    Doubles sum = {};
    for (const float* run : runs) sum += of(run + i);
    give(sum, i);
  }
  for (; i < n; ++i) {
    double sum = 0;
    for (const float* run : runs) sum += run[i];
    const float place = one ? first : old[i];
    to[i] = sum == 0 ? place : static_cast<float>(place + sum);
  }
}
inline void add_group_plain(const std::vector<const float*>& runs, const float* old, bool one, std::int64_t n,
                            float* to) {
  add_group_lanes<16>(runs, old, one, n, to);
}
TUTTI_AVX2 inline void add_group_avx2(const std::vector<const float*>& runs, const float* old, bool one, std::int64_t n,
                                      float* to) {
  add_group_lanes<32>(runs, old, one, n, to);
}
TUTTI_AVX512 inline void add_group_avx512(const std::vector<const float*>& runs, const float* old, bool one,
                                          std::int64_t n, float* to) {
  add_group_lanes<64>(runs, old, one, n, to);
}
inline void add_group(const std::vector<const float*>& runs, const float* old, bool one, std::int64_t n, float* to) {
  static const auto add = isa() == Isa::avx512 ? add_group_avx512
                          : isa() == Isa::avx2 ? add_group_avx2
                                               : add_group_plain;
  add(runs, old, one, n, to);
}
template <class T> void put_old(const T* old, bool one, std::int64_t n, T* to) {
  if (one)
    std::fill_n(to, n, *old);
  else if (old != to)
    std::copy_n(old, n, to);
}

// A way of combining has `Held`, in which elements come together before they come to their place; `none`, what nothing
// is there; whether that is the place itself (`direct`); whether several such may be combined (`tables`), and those of
// runs that lie among each other (`in_any_order`; of equal extrema the last wins). Floats and
// complex numbers are added in twice the precision.
template <class T> struct Added {
  using Held = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;
  static constexpr bool direct = false, tables = true, in_any_order = true;
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
  static void give_run(T* places, const Held* sums, std::int64_t n) { give_run(places, false, sums, n, places); }
  // To places that were `old` (`one`: all as the first of it), and need not be there yet.
  static void give_run(const T* old, bool one, const Held* sums, std::int64_t n, T* places) {
    std::int64_t i = 0;
    if constexpr (std::same_as<T, float>) i = give_vectors(old, one, sums, n, places);
    for (; i < n; ++i) {
      T place = old[one ? 0 : i];
      give(place, sums[i]);
      places[i] = place;
    }
  }
  // Of n places that were `old` (`one`: all as the first of it), `to` is what they become by these runs, in order.
  static void give_group(const std::vector<const T*>& runs, const T* old, bool one, std::int64_t n, Held* held, T* to) {
    if constexpr (std::same_as<T, float>) {
      add_group(runs, old, one, n, to);
    } else {
      std::fill_n(held, n, none());
      for (const T* run : runs) take_run(held, run, n);
      put_old(old, one, n, to);
      give_run(to, held, n);
    }
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
  template <class V> static V lanes(V a, V b) { return a + b; }
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
// NaN wins; of equal ones the later. Complex numbers by real part, then imaginary part.
template <bool least> struct Extremum {
  using L = std::numeric_limits<float>;
  template <class T> static constexpr T limit() {
    if constexpr (is_complex_number<T>)
      return {limit<typename T::value_type>(), limit<typename T::value_type>()};
    else if constexpr (std::same_as<T, float>)
      return least ? T(L::infinity()) : T(-L::infinity());
    else
      return least ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  }
  template <class T> static constexpr T none = limit<T>();
  template <class T> static T of(T a, T b) {
    if constexpr (is_complex_number<T>)
      return ops::comes_first<!least>(a, b) ? a : b;
    else
      return a != a || (least ? a < b : a > b) ? a : b;
  }
  template <class V> static V lanes(V a, V b) { return (a != a) | (least ? a < b : a > b) ? a : b; }
};
struct Later {
  template <class T> static T of(T, T b) { return b; }
};
// Elements are combined in the array itself. Products of floats stay in order: what overflows, and what a zero meets,
// depends on it.
template <class T, class F> class Folded {
 public:
  using Held = T;
  static constexpr bool direct = true,
                        in_any_order = !std::same_as<F, Extremum<true>> && !std::same_as<F, Extremum<false>>;
  static constexpr bool tables =
      !std::same_as<F, Later> && (std::integral<T> || (std::floating_point<T> && !std::same_as<F, Times>));
  static Held none() { return F::template none<T>; }
  static void take(Held& held, const T& x) { held = F::of(held, x); }
  static void take_run(Held* held, const T* x, std::int64_t n) {
    std::int64_t i = 0;
    if constexpr (std::same_as<F, Later>) {
      std::copy_n(x, n, held);
      return;
    } else if constexpr (in_lanes) {
      auto take_lanes = [&]<int bytes>() __attribute__((always_inline)) {
        typedef Lane Lanes __attribute__((vector_size(bytes))) __attribute__((aligned(alignof(Lane))))
        __attribute__((may_alias));
        constexpr std::int64_t lanes = bytes / sizeof(T);
        for (; i + lanes <= n; i += lanes) {
          Lanes& place = *reinterpret_cast<Lanes*>(held + i);
          place = F::lanes(place, *reinterpret_cast<const Lanes*>(x + i));
        }
      };
      if (n >= kLong) lane::with_vectors(take_lanes);
      take_lanes.template operator()<16>();
    }
    for (; i < n; ++i) take(held[i], x[i]);
  }
  static void give(T& place, const Held& x) { place = F::of(place, x); }
  static void give_run(T* places, const Held* held, std::int64_t n) { take_run(places, held, n); }
  static void give_group(const std::vector<const T*>& runs, const T* old, bool one, std::int64_t n, Held*, T* to) {
    if constexpr (std::same_as<F, Later>) return void(std::copy_n(runs.back(), n, to));
    put_old(old, one, n, to);
    for (const T* run : runs) take_run(to, run, n);
  }

 private:
  // Sums of integers wrap around.
  static constexpr bool in_lanes = std::is_arithmetic_v<T> && !std::same_as<T, bool> && !std::same_as<F, Times>;
  static constexpr std::int64_t kLong = 256 / sizeof(T);  // elements that are worth a call for wider vectors
  using Lane = typename std::conditional_t<std::integral<T> && std::same_as<F, Plus> && in_lanes,
                                           std::make_unsigned<std::conditional_t<in_lanes && std::integral<T>, T, int>>,
                                           std::type_identity<T>>::type;
};

}  // namespace scatter
}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
