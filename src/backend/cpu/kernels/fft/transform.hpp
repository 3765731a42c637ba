// The transforms themselves, row-major, dim by dim: short lengths in lanes (lanes.hpp), others by short ones
// (long.hpp).
#pragma once

#include <cstdint>

#include "tutti/base/shape.hpp"
#include "tutti/lax/fft.hpp"

namespace tutti::kernels {

/// `count` transforms over `lengths`, one behind the other; `in` stays as it is. Inverse ones are divided by the number
/// of elements. Real numbers are T (float or double), complex ones two of them side by side. Any number of threads at
/// once.
template <class T> void transform(lax::FftType type, const Shape& lengths, std::int64_t count, const T* in, T* out);

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
