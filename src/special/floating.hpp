// What the functions do before they compute: dtypes and shapes.
#pragma once

#include <vector>

#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::special {

/// Integers and bools as floats.
inline Array floating(const Array& x) { return x.dtype().is_inexact() ? x : x.astype(inexact(x.dtype())); }

/// One floating dtype and one shape.
inline std::vector<Array> together(const std::vector<Array>& xs) {
  const DType dtype = inexact(result_type(xs));
  std::vector<Array> out;
  for (const Array& x : xs) out.push_back(x.astype(dtype));
  return broadcast_arrays(out);
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
