#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct ArgReduction {
  int axis = 0;
  DType index = int32;
  friend bool operator==(const ArgReduction&, const ArgReduction&) = default;
};

extern const Home argmax, argmin;

}  // namespace tutti::ops
