// Comparisons that the tests of layers, optimisers and modules share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
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
inline void expect_leaves_close(const std::vector<std::pair<tree::Path, Array>>& a,
                                const std::vector<std::pair<tree::Path, Array>>& b, double rtol) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(a[i].first.str());
    ASSERT_EQ(a[i].first, b[i].first);
    expect_close(a[i].second, b[i].second, rtol);
  }
}
template <class T> void expect_trees_close(const T& got, const T& want, double rtol = 1e-5) {
  expect_leaves_close(tree::leaves_with_path(got), tree::leaves_with_path(want), rtol);
}

/// What expect_gradient asks of a function and of the place where it is differentiated, their types forgotten.
struct Slope {
  std::vector<std::pair<tree::Path, Array>> gradient, direction;
  std::function<double(double by)> moved;  // the function, so far along the direction
};
inline Array random_direction(const Array& x, int& seed) {
  return x.dtype().is_floating() ? random::normal(random::key(seed++), x.shape()) : x;
}
inline Array moved_along(const Array& x, const Array& d, double by) { return x.dtype().is_floating() ? x + by * d : x; }
inline void expect_slope(const Slope& s, double rtol) {
  const double h = 2e-3;
  double slope = (s.moved(h) - s.moved(-h)) / (2 * h), along = 0, size = 0;
  for (auto& [path, leaf] : s.gradient)
    for (auto& [p, d] : s.direction)
      if (p == path) {
        along += float(sum(leaf * d));
        size += float(sum(abs(leaf * d)));
      }
  EXPECT_NEAR(along, slope, rtol * std::max(std::abs(slope), 0.05 * size) + 1e-3);
}

/// The gradient of `fn` (tree -> Array of shape ()) against the slope of fn along a random direction.
template <class F, class T> void expect_gradient(F fn, const T& at, double rtol = 2e-2) {
  int seed = 7;
  Slope s;
  s.gradient = tree::leaves_with_path(grad(fn)(at));
  const T direction = tree::map([&](const Array& x) { return random_direction(x, seed); }, at);
  s.direction = tree::leaves_with_path(direction);
  s.moved = [&](double by) {
    return float(fn(tree::map([&](const Array& x, const Array& d) { return moved_along(x, d, by); }, at, direction)));
  };
  expect_slope(s, rtol);
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

// SPDX-License-Identifier: Apache-2.0
