// Complex numbers and their parts, strict: complex64 and float32, complex128 and float64. Source: jax.lax.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::lax {

Array real(const In& x);
Array imag(const In& x);
/// re + i im, of two float32 (or two float64) arrays of one shape (or scalars beside one).
Array complex(const In& re, const In& im);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
