#pragma once

#include <optional>

#include "ir/home.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct DotGeneral {
  lax::DotDims dims;
  std::optional<DType> preferred;
  friend bool operator==(const DotGeneral&, const DotGeneral&) = default;
};

extern const Home dot_general;

/// Dims of one operand that are neither contracted nor batch, in order.
lax::Dims free_dims(int ndim, const lax::Dims& contract, const lax::Dims& batch);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
