#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// Parts of complex64, and complex64 of two float32.
extern const Home real, imag, complex;
/// A part of (a + ib) / (c + id), of operands a, b, c, d: what the compiler makes of quotients.
extern const Home quotient_real, quotient_imag;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
