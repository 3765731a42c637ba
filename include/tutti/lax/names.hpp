// lax functions that are others with some arguments. Source: jax.lax.
#pragma once

#include "tutti/array/array.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax {

inline Array scatter_sub(const In& x, const In& indices, const In& updates, const ScatterDims& dims) {
  return scatter(x, indices, neg(updates), dims, ScatterKind::add);
}
inline Array scatter_mul(const In& x, const In& indices, const In& updates, const ScatterDims& dims) {
  return scatter(x, indices, updates, dims, ScatterKind::mul);
}
inline Array scatter_min(const In& x, const In& indices, const In& updates, const ScatterDims& dims) {
  return scatter(x, indices, updates, dims, ScatterKind::min);
}
inline Array scatter_max(const In& x, const In& indices, const In& updates, const ScatterDims& dims) {
  return scatter(x, indices, updates, dims, ScatterKind::max);
}
inline Array broadcasted_iota(DType dtype, const Shape& shape, int dim) { return iota(dtype, shape, dim); }
inline Array is_finite(const In& x) { return isfinite(x); }
/// The product of stacks of matrices with equal leading dims.
inline Array batch_matmul(const In& x, const In& y) { return matmul(x, y); }
/// conv_general_dilated without dilation, in "NCHW" and "OIHW".
inline Array conv(const In& lhs, const In& rhs, const Dims& window_strides, const Padding& padding) {
  return conv_general_dilated(lhs, rhs, {.window_strides = window_strides, .padding = padding});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
