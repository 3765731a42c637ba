#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Roll {
  int dim = 0;
  std::int64_t shift = 0;  // result element i is operand element i - shift, modulo the extent; 0 to the extent
  friend bool operator==(const Roll&, const Roll&) = default;
};

extern const Home roll;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
