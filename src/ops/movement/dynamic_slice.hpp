#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct DynamicSlice {  // operands: x, one scalar start per dim
  Shape sizes;
  friend bool operator==(const DynamicSlice&, const DynamicSlice&) = default;
};

extern const Home dynamic_slice, dynamic_update_slice;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
