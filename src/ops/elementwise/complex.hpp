#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

/// Parts of complex64, and complex64 of two float32.
extern const Home real, imag, complex;

}  // namespace tutti::ops
