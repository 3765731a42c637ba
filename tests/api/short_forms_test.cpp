// Forms that a user writes without thinking.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

TEST(ShortForms, VectorsAreArrays) {
  const std::vector<float> v{1, 2, 3};
  EXPECT_EQ(array(v).shape(), Shape({3}));
  EXPECT_EQ(array(std::span<const float>(v)).to_vector<float>(), v);
  EXPECT_EQ(array(std::array<int, 2>{4, 5}).to_vector<int>(), (std::vector<int>{4, 5}));
  EXPECT_EQ(array(std::vector<bool>{true, false}).dtype(), bool_);
  EXPECT_EQ(array(std::vector<double>{}).shape(), Shape({0}));
  EXPECT_EQ(stack(std::array<Array, 2>{array(v), array(v)}).shape(), Shape({2, 3}));
}

TEST(ShortForms, PathsAreTexts) {
  struct Layer {
    Array weight;
  };
  const std::vector<Layer> layers{{ones({2})}, {ones({3})}};
  int found = 0;
  for (const auto& [path, leaf] : tree::leaves_with_path(layers)) {
    EXPECT_TRUE(path.ends_with("weight"));
    EXPECT_FALSE(path.ends_with("eight"));
    found += path == "[1].weight" && path.starts_with("[1]");
  }
  EXPECT_EQ(found, 1);
}

TEST(ShortForms, SeveralAxesAndNoQualifiers) {
  auto sums =
      vmap(vmap([](const Array& x) { return lax::psum(x, axes("i", "j")); }, {.axis_name = "j"}), {.axis_name = "i"});
  EXPECT_EQ(sums(ones({2, 3}))[0][0].item<float>(), 6);
  EXPECT_EQ(grad([](const Array& x) { return x * stop_gradient(x); })(3.f).item<float>(), 3);
  EXPECT_EQ(ones({1, 1, 1, 1, 1, 2})(0, 0, 0, 0, 0, 1).item<float>(), 1);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
