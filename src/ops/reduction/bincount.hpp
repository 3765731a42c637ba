#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Bincount {  // operand: integers [batch..., anything]; result: [batch..., length]
  std::int64_t length = 0;
  DType counts = int32;
  int batch = 0;  // so many dims have counts of their own
  friend bool operator==(const Bincount&, const Bincount&) = default;
};

/// How often 0, 1, ... length-1 stand in the operand; negative numbers count as 0, greater ones do not.
extern const Home bincount;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
