#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

struct Cumulative {
  int axis = 0;
  bool reverse = false;
  friend bool operator==(const Cumulative&, const Cumulative&) = default;
};

/// What all running ops have in common: types (of dtypes in `mask`), factors, batching, samples.
Op running_frame(std::string name, unsigned mask, const std::vector<DType>& samples);

extern const Home cumsum, cumprod, cummax, cummin, cumlogsumexp;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
