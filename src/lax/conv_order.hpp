// Which dims of a convolution's arrays are batch, feature and spatial ones.
#pragma once

#include "tutti/lax/windows.hpp"

namespace tutti::lax {

/// Where batch and feature (out feature and in feature), then the spatial dims are. Options count the spatial dims in
/// the order of the kernel's.
struct Order {
  Dims lhs, rhs, out;
};
/// For arrays of `ndim` dims; ValueError where the letters do not name them.
Order order_of(const char* op, const ConvDims& dims, int ndim);
/// Transposed, where that moves a dim.
Array arranged(const Array& x, const Dims& permutation);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
