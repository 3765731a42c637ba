#pragma once

#include "ir/home.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct Rev {
  lax::Dims dims;
  friend bool operator==(const Rev&, const Rev&) = default;
};

extern const Home rev;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
