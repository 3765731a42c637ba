#pragma once

#include "tutti/array/array.hpp"

namespace tutti::nn {

/// Integers and bools as floats.
inline Array floating(const Array& x) { return x.dtype().is_inexact() ? x : x.astype(inexact(x.dtype())); }

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
