#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Reshape {
  Shape shape;
  friend bool operator==(const Reshape&, const Reshape&) = default;
};

extern const Home reshape;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
