// What trends and spectra share.
#pragma once

#include <algorithm>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::signal {

inline DType real_dtype(const Array& x) { return tutti::real(x).dtype(); }
inline Array inexact_of(const Array& x) { return x.astype(inexact(x.dtype())); }
inline std::size_t place(const char* who, const Array& x, int axis) {
  if (axis < -x.ndim() || axis >= x.ndim())
    raise<IndexError>(who, "axis " + std::to_string(axis) + " is out of range for " + type_text(x),
                      "It has " + std::to_string(x.ndim()) + " dims.");
  return static_cast<std::size_t>(axis < 0 ? axis + x.ndim() : axis);
}
inline Array last_dim(const Array& x, std::int64_t first, std::int64_t end) { return x(ellipsis, slice(first, end)); }
/// x without the line of least squares along its last dim.
Array without_line(const Array& x);

}  // namespace tutti::signal

// SPDX-License-Identifier: Apache-2.0
