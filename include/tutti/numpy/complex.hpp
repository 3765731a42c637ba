// Parts of complex arrays. abs, exp, sign, conj and arithmetic take them as they take real ones. Source: jax.numpy.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti {

/// The real part; real arrays stay as they are.
Array real(const In& x);
/// The imaginary part; 0 for real arrays.
Array imag(const In& x);
/// The angle of complex numbers in radians, from -pi to pi; for real ones 0, or pi below 0.
Array angle(const In& x);
bool iscomplexobj(const Array& x);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
