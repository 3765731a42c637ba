#pragma once

#include <string>

#include "ir/home.hpp"

namespace tutti::ops {

/// The same value, which policies of remat know by this name. It is the operand itself where nothing is transformed any
/// more.
struct CheckpointName {
  std::string name;
  friend bool operator==(const CheckpointName&, const CheckpointName&) = default;
};
extern const Home checkpoint_name;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
