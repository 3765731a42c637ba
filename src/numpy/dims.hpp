// Axis numbers of the NumPy-like functions, which may count from the end.
#pragma once

#include <string>
#include <vector>

#include "ops/movement/movement.hpp"

namespace tutti::ops {

/// `axis` as 0 to ndim - 1; IndexError names the function otherwise, and the array when it is given.
int normal_axis(const char* function, std::int64_t axis, int ndim);
int normal_axis(const char* function, std::int64_t axis, const Array& x);
/// ShapeError, naming the function, for a negative extent, or one that is no count of elements.
void check_extents(const char* function, const Shape& shape);
/// The dtype of positions in dims of these extents: int32, or int64 where an int32 cannot hold them, whatever x64 says.
DType position_dtype(const Shape& shape);
/// Conversion and counting in exactly that dtype: lax's functions give int32 for int64 without x64.
Array exactly(const Array& x, DType dtype);
Array positions(DType dtype, const Shape& shape, int dim);
/// Operands converted to their promoted dtype.
std::vector<Array> same_dtype(std::vector<Array> xs);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
