// Scalars as bytes in memory.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti {

/// Writes `value`, rounded to `dtype`, as one element.
void write_scalar(const Scalar& value, DType dtype, void* out);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
