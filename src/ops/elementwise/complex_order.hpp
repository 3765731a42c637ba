// The order of complex numbers: by real part, then by imaginary part. Source: jax.lax.max, jax.lax.min.
#pragma once

#include "lane/lane.hpp"
#include "ops/elementwise/rule_math.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

/// Whether x is the larger (`largest`) or the smaller one, of std::complex or of lanes of them.
template <bool largest, class C> bool comes_first(const C& x, const C& y) {
  if (x.real() == y.real()) return largest ? x.imag() > y.imag() : x.imag() < y.imag();
  return largest ? x.real() > y.real() : x.real() < y.real();
}

/// A lane expression: the larger or smaller one. Real numbers: NaN wins. Complex ones: y unless x comes first, so NaN
/// wins where it stands second.
template <bool largest> constexpr auto extremum_of() {
  return [](auto x, auto y) {
    if constexpr (requires { x.v.imag(); })
      return comes_first<largest>(x.v, y.v) ? x : y;
    else if constexpr (largest)
      return lane::max(x, y);
    else
      return lane::min(x, y);
  };
}

/// The order of two numbers of which it is known by `compare` of their parts.
inline V by_parts(Array (*compare)(const In&, const In&), const V& x_re, const V& x_im, const V& y_re, const V& y_im) {
  return choose(x_re == y_re, V{compare(x_im.a, y_im.a)}, V{compare(x_re.a, y_re.a)});
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
