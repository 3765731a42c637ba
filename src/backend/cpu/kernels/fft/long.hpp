// Transforms of one row of complex numbers of any length, made of short ones in lanes (lanes.hpp). Sources: D. H.
// Bailey, FFTs in external or hierarchical memory (1990), for products of two lengths; L. I. Bluestein, A linear
// filtering approach to the computation of discrete Fourier transform (1970), for lengths with large prime factors.
#pragma once

#include <cstdint>

namespace tutti::kernels {

/// T: float or double. The bits of a row do not depend on threads, nor on other rows.
template <class T> class RowTransform {
 public:
  virtual ~RowTransform() = default;
  /// Elements (of T) of workspace that a row takes.
  virtual std::int64_t workspace() const = 0;
  /// One row from `in` to `out`, which do not overlap; `workspace` is 64-byte aligned. On the calling thread, or
  /// `on_workers`.
  virtual void row(const T* in, T* out, T* workspace, bool on_workers) const = 0;

  /// The transform of n >= 1 numbers, made once and kept for the process.
  static const RowTransform& of(bool inverse, std::int64_t n);
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
