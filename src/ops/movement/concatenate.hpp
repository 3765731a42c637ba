#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Concatenate {
  int dim = 0;
  friend bool operator==(const Concatenate&, const Concatenate&) = default;
};

extern const Home concatenate;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
