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

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
