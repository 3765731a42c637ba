#pragma once

#include "ir/home.hpp"
#include "tutti/lax/fft.hpp"

namespace tutti::ops {

struct Fft {
  lax::FftType type;
  Shape lengths;  // of the transformed, last dims, as real numbers have them
  friend bool operator==(const Fft&, const Fft&) = default;
};

/// One operand.
extern const Home fft;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
