// Programs for the test that leaves passes out.
#pragma once

#include <functional>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {

using Arrays = std::vector<Array>;

struct Sample {
  const char* name;
  Arrays in;
  std::function<Arrays(const Arrays&)> f;
};

std::vector<Sample> one_device_samples();
/// With inputs cut over the axis `x` of a mesh.
std::vector<Sample> sharded_samples(const Mesh& mesh);

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
