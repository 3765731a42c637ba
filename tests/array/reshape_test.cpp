// reshape and transpose with any number of extents (users-3, 10).
#include <gtest/gtest.h>

#include "effects/heard.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

TEST(Reshape, TakesAnyNumberOfExtentsOfAnyIntegerType) {
  const Array x = arange(120.f);
  const long b = 2;
  const int t = 5;
  const std::size_t heads = 2;
  const Dim width = 1;
  EXPECT_EQ(x.reshape(b, t, 3, heads, -1).shape(), Shape({2, 5, 3, 2, 2}));
  EXPECT_EQ(x.reshape(b, t, 3, heads, 2, width).shape(), Shape({2, 5, 3, 2, 2, 1}));
  EXPECT_EQ(x.reshape(1, b, 1, t, 1, 3, 1, heads, 1, -1).shape(), Shape({1, 2, 1, 5, 1, 3, 1, 2, 1, 2}));
  EXPECT_EQ(x.reshape(width, -1).shape(), Shape({1, 120}));
  EXPECT_EQ(x.reshape(-1).shape(), Shape({120}));
  EXPECT_EQ(x.reshape({12, 10}).shape(), Shape({12, 10}));
  EXPECT_EQ(x.reshape({120}).shape(), Shape({120}));
  EXPECT_EQ(x(slice(1)).reshape({}).shape(), Shape{});
  const std::string text = testing::error_of<ShapeError>([&] { x.reshape(7, 5, 3, heads, 2, 1); });
  EXPECT_NE(text.find("reshape_test.cpp:"), text.npos) << text;
}

TEST(Transpose, TakesDimsOneByOne) {
  const Array x = arange(24.f).reshape(2, 3, 4);
  EXPECT_EQ(x.transpose(0, 2, 1).shape(), Shape({2, 4, 3}));
  EXPECT_EQ(x.transpose({2, 0, 1}).shape(), Shape({4, 2, 3}));
  EXPECT_EQ(x.transpose(-1, 0, 1).shape(), Shape({4, 2, 3}));
  EXPECT_EQ(x.transpose().shape(), Shape({4, 3, 2}));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
