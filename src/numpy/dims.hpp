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
/// Operands converted to their promoted dtype.
std::vector<Array> same_dtype(std::vector<Array> xs);

}  // namespace tutti::ops
