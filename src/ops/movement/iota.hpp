#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Iota {
  DType dtype;
  Shape shape;
  int dim = 0;
  friend bool operator==(const Iota&, const Iota&) = default;
};

extern const Home iota;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
