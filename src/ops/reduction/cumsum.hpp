#pragma once

#include <optional>

#include "ir/home.hpp"

namespace tutti::ops {

struct Cumulative {
  int axis = 0;
  bool reverse = false;
  friend bool operator==(const Cumulative&, const Cumulative&) = default;
};

/// What all running ops have in common: types (of dtypes in `mask`), factors, batching, samples.
Op running_frame(std::string name, unsigned mask, const std::vector<DType>& samples);

/// How a running op runs; nothing of other ops.
std::optional<Cumulative> running(const Eqn& e);

extern const Home cumsum, cumprod, cummax, cummin, cumlogsumexp;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
