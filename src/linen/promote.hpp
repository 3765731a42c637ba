// The dtype in which a layer computes.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::linen {

/// Inputs and parameters in their common dtype, which is floating. `bias` may be none.
void promote(Array& x, Array& kernel, Array& bias);

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
