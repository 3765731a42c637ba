// What the functions do before they compute: dtypes and shapes.
#pragma once

#include <vector>

#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::special {

/// Integers and bools as the default floating dtype.
inline Array floating(const Array& x) {
  return x.dtype().is_inexact() ? x : x.astype(x64_enabled() ? float64 : float32);
}
/// One floating dtype and one shape.
inline std::vector<Array> together(const std::vector<Array>& xs) {
  DType dtype = result_type(xs);
  if (!dtype.is_inexact()) dtype = x64_enabled() ? float64 : float32;
  std::vector<Array> out;
  for (const Array& x : xs) out.push_back(x.astype(dtype));
  return broadcast_arrays(out);
}

}  // namespace tutti::special
