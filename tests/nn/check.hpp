// Comparisons that the tests of layers, optimisers and modules share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::testing {

/// Equal shapes and dtypes, elements within rtol of the largest magnitude.
inline void expect_close(const Array& got, const Array& want, double rtol = 1e-5) {
  ASSERT_EQ(got.shape(), want.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  std::vector<float> a = got.astype(float32).to_vector<float>(), b = want.astype(float32).to_vector<float>();
  double largest = 0;
  for (float v : b)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(static_cast<double>(v)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    ASSERT_NEAR(a[i], b[i], rtol * std::max(largest, 1e-30)) << "element " << i << " of " << a.size();
  }
}
inline void expect_close(const Array& got, const std::vector<float>& want, double rtol = 1e-5) {
  expect_close(got.reshape(-1), array(want, Shape{want.size()}), rtol);
}
template <class T> void expect_trees_close(const T& got, const T& want, double rtol = 1e-5) {
  auto a = tree::leaves_with_path(got);
  auto b = tree::leaves_with_path(want);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(a[i].first.str());
    ASSERT_EQ(a[i].first, b[i].first);
    expect_close(a[i].second, b[i].second, rtol);
  }
}

/// The gradient of `fn` (tree -> Array of shape ()) against the slope of fn along a random direction.
template <class F, class T> void expect_gradient(F fn, const T& at, double rtol = 2e-2) {
  auto g = grad(fn)(at);
  int seed = 7;
  T direction = tree::map(
      [&](const Array& x) { return x.dtype().is_floating() ? random::normal(random::key(seed++), x.shape()) : x; }, at);
  auto moved = [&](double by) {
    return float(fn(tree::map([&](const Array& x, const Array& d) { return x.dtype().is_floating() ? x + by * d : x; },
                              at, direction)));
  };
  const double h = 2e-3;
  double slope = (moved(h) - moved(-h)) / (2 * h), along = 0, size = 0;
  std::vector<Array> ds = tree::leaves(direction);
  auto gs = tree::leaves_with_path(g);
  for (auto& [path, leaf] : gs)
    for (auto& [p, d] : tree::leaves_with_path(direction))
      if (p == path) {
        along += float(sum(leaf * d));
        size += float(sum(abs(leaf * d)));
      }
  EXPECT_NEAR(along, slope, rtol * std::max(std::abs(slope), 0.05 * size) + 1e-3);
}

/// Under both threefry layouts.
template <class F> void each_layout(F fn) {
  for (bool layout : {false, true}) {
    config::threefry_partitionable(layout);
    fn(layout);
  }
  config::threefry_partitionable(true);
}

}  // namespace tutti::testing
