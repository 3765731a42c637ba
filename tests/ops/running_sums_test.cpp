// Running sums of long lines, whose blocks are shared out, and of many lines side by side: the same bits as one element
// after the other.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tutti/lax/cumulative.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kSumBlock = 1024;  // elements that are added up in double before they join the sum

template <class T, class Sum>
std::vector<T> running(const std::vector<T>& x, const Shape& shape, int axis, bool reverse) {
  std::vector<T> out(x.size());
  std::int64_t inner = 1, n = shape[axis];
  for (int d = axis + 1; d < shape.ndim(); ++d) inner *= shape[d];
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(x.size()) / n; ++k) {
    const std::int64_t base = k / inner * n * inner + k % inner;
    Sum before = 0, block = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(base + (reverse ? n - 1 - i : i) * inner);
      block += static_cast<Sum>(x[at]);
      out[at] = static_cast<T>(before + block);
      if ((i + 1) % kSumBlock != 0) continue;
      before += block;
      block = 0;
    }
  }
  return out;
}

}  // namespace

TEST(RunningSums, AreThoseOfOneElementAfterTheOther) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  for (const Shape& shape : {Shape{3 * 2048 * 1024 + 700}, Shape{2, 9000}, Shape{2, 8192}, Shape{13, 3000},
                             Shape{3000, 21}, Shape{2, 700, 5}, Shape{1, 1}})
    for (int axis = 0; axis < shape.ndim(); ++axis)
      for (bool reverse : {false, true}) {
        std::vector<float> x(static_cast<std::size_t>(shape.num_elements()));
        std::vector<std::int32_t> whole(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) whole[i] = static_cast<std::int32_t>(100 * (x[i] = normal(random)));
        const Array sums = lax::cumsum(array(x, shape), axis, reverse);
        const auto got = host_data<float>(sums);
        const std::vector<float> want = running<float, double>(x, shape, axis, reverse);
        EXPECT_TRUE(std::equal(want.begin(), want.end(), got.begin(), got.end())) << shape.str() << axis << reverse;
        const Array whole_sums = lax::cumsum(array(whole, shape), axis, reverse);
        const auto numbers = host_data<std::int32_t>(whole_sums);
        const auto right = running<std::int32_t, std::int32_t>(whole, shape, axis, reverse);
        EXPECT_TRUE(std::equal(right.begin(), right.end(), numbers.begin(), numbers.end())) << shape.str() << axis;
      }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
