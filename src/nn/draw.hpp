// Parameters of layers.
#pragma once

#include "tutti/array/array.hpp"
#include "tutti/random/random.hpp"

namespace tutti::nn {

/// Uniform in +-limit.
inline Array uniform_within(const Array& key, const Shape& shape, double limit, DType dtype) {
  return random::uniform(key, shape, -limit, limit, dtype);
}

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
