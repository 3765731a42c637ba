// One function of three numbers, written with loops and branches in many ways.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti::testing {

struct LoopBase {
  std::string name;
  std::function<Array(const Array& weights, const Array& x)> function;  // float32[3,3], float32[3] -> float32[3]
};
/// Each is sin(weights x) x + exp(-x / 2) sum(x).
const std::vector<LoopBase>& loop_bases();

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
