// Values that sorting may meet, and the order in which they come, by plain loops.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {

template <class T> std::vector<T> some_values(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (T& v : out) {
    const auto bits = random();
    if constexpr (std::floating_point<T>) {
      constexpr T odd[] = {T(0),
                           -T(0),
                           std::numeric_limits<T>::quiet_NaN(),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           T(1),
                           std::numeric_limits<T>::denorm_min()};
      v = bits % 8 < 7 && bits % 3 == 0 ? odd[bits % 8] : static_cast<T>(static_cast<std::int32_t>(bits >> 20)) / 512;
    } else {
      v = static_cast<T>(bits % 5 == 0 ? bits : bits % 97);
    }
  }
  return out;
}

template <class T> bool is_before(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

// Of one row: which elements come, in order.
template <class T> std::vector<int> ordered_positions(const T* row, int n, bool descending = false) {
  std::vector<int> at(static_cast<std::size_t>(n));
  std::iota(at.begin(), at.end(), 0);
  std::stable_sort(at.begin(), at.end(),
                   [&](int a, int b) { return descending ? is_before(row[b], row[a]) : is_before(row[a], row[b]); });
  return at;
}

template <class T> void expect_bits(const Array& got, const std::vector<T>& want) {
  const std::vector<T> values = got.to_vector<T>();
  ASSERT_EQ(values.size(), want.size());
  EXPECT_EQ(std::memcmp(values.data(), want.data(), want.size() * sizeof(T)), 0);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
