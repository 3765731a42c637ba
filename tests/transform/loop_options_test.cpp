// Options and bounds of loops, carries that are numbers, and associative_scan, as JAX takes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

std::string described(const Array& x) {
  return std::string(x.dtype().name()) + (x.weak_type() ? " weak " : " ") + str(x);
}

TEST(LoopOptions, UnrollIsANumberOfStepsOrABool) {
  auto sum_with = [](lax::Unroll unroll) {
    auto step = [](const Array& c, const Array& x) { return std::pair{c + x, c}; };
    return lax::scan(step, 0.f, arange(5.f), {.unroll = unroll}).first.item<float>();
  };
  for (const lax::Unroll& unroll : std::vector<lax::Unroll>{0, 1, 3, 7, true, false}) EXPECT_EQ(sum_with(unroll), 10);
  EXPECT_THROW(sum_with(-1), ValueError);
  auto count = [](const Array& i, const Array& c) { return c + i; };
  EXPECT_EQ(lax::fori_loop(0, 4, count, 0, {.unroll = true}).item<int>(), 6);
  EXPECT_EQ(lax::fori_loop(0, 4, count, 0, {.unroll = 0}).item<int>(), 6);
  auto to = [&](const Array& n) { return lax::fori_loop(0, n, count, 0, {.unroll = 2}); };
  EXPECT_THROW(jit(to)(array(4)), ValueError);
}

TEST(LoopBounds, MayBeFloats) {
  auto add = [](const Array& i, const Array& c) { return c + i; };
  EXPECT_EQ(described(lax::fori_loop(0.f, 3.5f, add, 0.f)), "float32 weak 3.0");
  EXPECT_EQ(lax::fori_loop(0.5f, 3.4f, add, 0.f).item<float>(), 3);
  auto to = [&](const Array& n) { return lax::fori_loop(0.f, n, add, 0.f); };
  EXPECT_EQ(jit(to)(array(3.5f)).item<float>(), 6);
  auto power_of = [](const Array& a) {
    return lax::fori_loop(
        0.f, 3.f, [&](const Array&, const Array& c) { return c * a; }, 1.f);
  };
  EXPECT_EQ(grad(power_of)(array(2.f)).item<float>(), 12);
  EXPECT_THROW(lax::fori_loop(0, array({3}), add, 0.f), TypeError);
}

TEST(LoopCarries, NumbersTakeTheTypeThatTheBodyMakes) {
  const Array xs = arange(5.f);
  auto add = [](const Array& c, const Array& x) { return std::pair{c + x, c}; };
  EXPECT_EQ(described(lax::scan(add, 0, xs).first), "float32 10.0");
  EXPECT_EQ(described(lax::scan(add, 0.f, arange(3)).first), "float32 weak 3.0");
  EXPECT_EQ(described(lax::scan(add, 0, arange(3, int8)).first), "int8 3");
  auto twice = [](const Array& c, none_t) { return std::pair{c * 2.f, c}; };
  EXPECT_EQ(lax::scan(twice, 1, none, {.length = 3}).first.dtype(), float32);
  auto below = [](const std::pair<Array, Array>& c) { return c.first < 3; };
  auto step = [](const std::pair<Array, Array>& c) {
    return std::pair{c.first + 1, c.second * array(2.f).astype(float16)};
  };
  auto [i, x] = lax::while_loop(below, step, std::pair{Array(0), Array(1)});
  EXPECT_EQ(described(i), "int32 weak 3");
  EXPECT_EQ(described(x), "float16 8.0");
  EXPECT_THROW(lax::scan(twice, array(1), none, {.length = 3}), TypeError);
}

TEST(AssociativeScan, OfEveryLengthAxisAndTree) {
  // Products of matrices do not commute, so that the order shows.
  const Array all_matrices = random::normal(random::key(3), {9, 2, 2}) + eye(2);
  for (std::int64_t n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    const Array xs = all_matrices(slice(0, n));
    for (bool reverse : {false, true}) {
      const Array got =
          lax::associative_scan([](const Array& a, const Array& b) { return matmul(a, b); }, xs, {.reverse = reverse});
      std::vector<Array> want;
      for (std::int64_t k = 0; k < n; ++k) {
        const Array x = xs(reverse ? n - 1 - k : k);
        want.push_back(k == 0 ? x : matmul(want.back(), x));
      }
      if (reverse) std::reverse(want.begin(), want.end());
      ASSERT_EQ(got.shape().str(), xs.shape().str());
      if (n == 0) continue;
      EXPECT_TRUE(allclose(got, stack(want), 1e-4, 1e-4)) << n << reverse;
    }
  }
  using Line = std::pair<Array, Array>;  // x -> a x + b
  auto after = [](const Line& f, const Line& g) { return Line{g.first * f.first, g.first * f.second + g.second}; };
  const Line lines{broadcast_to(arange(9.f) / 5, {2, 9}), ones({2, 9})};
  for (int axis : {-1, 1}) {
    const Line run = lax::associative_scan(after, lines, {.axis = axis});
    const auto [last, want] = lax::scan(
        [&](const Array& c, const Array& a) {
          const Array next = a * c + 1;
          return std::pair{next, next};
        },
        zeros({2}), lines.first.T());
    EXPECT_TRUE(allclose(run.second, want.T(), 1e-5, 1e-6)) << axis;
  }
  EXPECT_TRUE(array_equal(lax::associative_scan([](const Array& a, const Array& b) { return a | b; },
                                                array({false, false, true, false, false})),
                          array({false, false, true, true, true})));
  auto total = [](const Array& x) {
    return sum(square(lax::associative_scan([](const Array& a, const Array& b) { return a + b; }, x)));
  };
  EXPECT_TRUE(allclose(grad(total)(array({1.f, 2.f, 3.f})), array({20.f, 18.f, 12.f})));
}

// Work grows with n, not with n log n.
TEST(AssociativeScan, CombinesEveryElementAboutTwice) {
  for (std::int64_t n : {8, 63, 1000}) {
    std::int64_t combined = 0;
    lax::associative_scan(
        [&](const Array& a, const Array& b) {
          combined += a.size();
          return a + b;
        },
        zeros({n}));
    EXPECT_LE(combined, 2 * n);
  }
}

TEST(Segments, TakeTheirNumberWithoutBraces) {
  const Array x = array({5.f, 1.f, 7.f}), ids = array({0, 2, 0});
  EXPECT_TRUE(array_equal(segment_sum(x, ids, 4), array({12.f, 0.f, 1.f, 0.f})));
  EXPECT_TRUE(array_equal(segment_prod(x, ids, 3), array({35.f, 1.f, 1.f})));
  EXPECT_TRUE(array_equal(segment_max(x, ids, std::int64_t(1)), array({7.f})));
  EXPECT_TRUE(array_equal(segment_min(x, ids, 1), array({5.f})));
  EXPECT_TRUE(array_equal(jit([](const Array& x, const Array& ids) { return segment_sum(x, ids, 2); })(x, ids),
                          array({12.f, 0.f})));
}

// Large ones, whose steps run chunk by chunk: the first row of a result is written for itself.
TEST(AssociativeScan, OfManyRowsIsARunningSum) {
  for (const Shape& shape : {Shape{4096, 512}, Shape{2048, 1024}, Shape{1024, 512}}) {
    const Array x = random::uniform(random::key(7), shape) * 0.1f;
    auto scanned = jit(
        [](const Array& a) { return lax::associative_scan([](const Array& a, const Array& b) { return a + b; }, a); });
    EXPECT_TRUE(bool(allclose(scanned(x), cumsum(x, 0), 1e-5, 1e-5))) << shape.str();
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
