// What the callers of LAPACK do with memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/kernels/linalg/lapack.hpp"

namespace tutti::kernels {

template <class T> void fill_nan(T* x, std::int64_t n) { std::fill_n(x, n, std::numeric_limits<Real<T>>::quiet_NaN()); }
template <class T> void fill_eye(T* x, int rows, int cols) {
  std::fill_n(x, std::int64_t{rows} * cols, T{});
  for (int i = 0; i < std::min(rows, cols); ++i) x[std::int64_t{i} * cols + i] = T(1);
}
template <class T> bool all_finite(const T* x, std::int64_t n) {
  return std::all_of(x, x + n, [](T v) {
    if constexpr (is_complex<T>)
      return std::isfinite(v.real()) && std::isfinite(v.imag());
    else
      return std::isfinite(v);
  });
}
/// Asks a routine once how much room it wants: call(address, length) with length -1 writes it there.
template <class T, class F> int room(std::vector<T>& work, F call) {
  if (work.empty()) {
    T wanted{};
    const int ask = -1;
    call(&wanted, &ask);
    work.resize(static_cast<std::size_t>(std::max(1.0, std::ceil(static_cast<double>(std::real(wanted))))));
  }
  return static_cast<int>(work.size());
}
template <class T> T* sized(std::vector<T>& v, std::int64_t n) {
  v.resize(static_cast<std::size_t>(std::max<std::int64_t>(n, 1)));
  return v.data();
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
