// Vector quantization (users-3, 9). Values of SciPy.
#include "tutti/scipy/cluster.hpp"
#include "scipy/check.hpp"

namespace tutti {
namespace {

TEST(Cluster, VectorQuantization) {  // users-3, 9
  const Array codes = array({{0.f, 0.f}, {1.f, 1.f}, {3.f, 0.f}});
  const auto [code, distance] = cluster::vq(array({{.25f, 0.f}, {2.5f, .5f}, {1.f, 2.f}, {1.5f, .5f}}), codes);
  EXPECT_EQ(code.to_vector<int>(), (std::vector<int>{0, 2, 1, 1}));
  expect_close(distance, {.25, .70710678, 1, .70710678});
  EXPECT_EQ(cluster::vq(array({.2f, 2.9f}), array({0.f, 3.f})).code.to_vector<int>(), (std::vector<int>{0, 1}));
  expect_thrown<ShapeError>([&] { cluster::vq(ones({2, 3}), codes); }, {"vq", "float32[2,3]", "float32[3,2]"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
