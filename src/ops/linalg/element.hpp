// Element types of matrices: float, double, std::complex of either.
#pragma once

#include <complex>
#include <type_traits>

namespace tutti::ops {

template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<std::complex<T>> { using type = T; };
template <class T> using Real = typename RealOf<T>::type;
template <class T> inline constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
