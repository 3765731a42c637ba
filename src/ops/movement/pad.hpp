#pragma once

#include <vector>

#include "ir/home.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct Pad {
  std::vector<lax::PadDim> config;
  friend bool operator==(const Pad&, const Pad&) = default;
};

extern const Home pad;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
