// Sorting of rows in patterns, of every dtype, against plain loops; adding rows to what is too large for a cache.
#include <gtest/gtest.h>

#include "numpy/ordered_rows.hpp"
#include "ops/reduction/sort.hpp"

namespace tutti {
namespace {

// Rows in patterns that pivots may meet badly, of lengths around those of blocks, parts and shared rows.
template <class T> void check_patterns(std::initializer_list<int> lengths) {
  std::mt19937_64 random(11);
  for (int n : lengths)
    for (int pattern = 0; pattern < 9; ++pattern) {
      std::vector<T> x(static_cast<std::size_t>(n)), sorted;
      for (int i = 0; i < n; ++i) {
        const auto some = static_cast<std::int32_t>(random());
        const std::int32_t words[] = {
            some, i, n - i, 7, some % 3, some % 2 ? 1 : INT32_MAX, std::min(i, n - i), i % 4, some % 100 ? 5 : some};
        x[i] = static_cast<T>(words[pattern]);
        if constexpr (std::floating_point<T>)
          if (pattern == 4 && x[i] == 0) x[i] = some % 5 ? T(0) : -T(0);
        if constexpr (std::floating_point<T>)
          if (pattern == 8 && some % 7 == 0)
            x[i] = std::copysign(std::numeric_limits<T>::quiet_NaN(), static_cast<T>(some));
      }
      for (bool descending : {false, true}) {
        sorted.clear();
        const std::vector<int> positions = ordered_positions(x.data(), n, descending);
        for (int i : positions) sorted.push_back(x[i]);
        expect_bits(bind(ops::sort, ops::Sort{.descending = descending}, {array(x)})[0], sorted);
        expect_bits(argsort(array(x), -1, descending).astype(int32), positions);
        if (::testing::Test::HasFailure())
          FAIL() << n << " elements, pattern " << pattern << ", " << array(x).dtype().name();
      }
    }
}

TEST(Sorting, NoPatternIsSortedWrong) {
  check_patterns<float>({65, 127, 128, 129, 255, 256, 257, 511, 513, 4095, 4097, 32'767, 32'768, 40'001});
  check_patterns<std::int32_t>({65, 256, 257, 5000, 33'000});
  check_patterns<std::uint32_t>({129, 257, 33'000});
  check_patterns<std::int16_t>({100, 257, 5000, 33'000});
  check_patterns<std::uint8_t>({100, 257, 5000, 33'000});
  enable_x64(true);
  check_patterns<double>({65, 127, 128, 129, 1000, 33'000});
  check_patterns<std::int64_t>({65, 128, 129, 5000, 33'000});
  check_patterns<std::uint64_t>({65, 129, 33'000});
  enable_x64(false);
}

TEST(Sorting, SixteenBitFloats) {
  std::mt19937 random(5);
  for (int n : {100, 5000, 40'000})
    for (DType dtype : {bfloat16, float16}) {
      std::vector<float> x(static_cast<std::size_t>(n));
      for (float& v : x)
        v = random() % 9 == 0 ? std::numeric_limits<float>::quiet_NaN() : (random() % 513 - 256.0f) / 2;
      std::vector<float> want;
      const auto positions = ordered_positions(x.data(), n);
      for (int i : positions) want.push_back(x[i]);
      const Array a = array(x).astype(dtype);
      const auto got = sort(a).astype(float32).to_vector<float>();
      for (int i = 0; i < n; ++i) ASSERT_TRUE(got[i] == want[i] || (got[i] != got[i] && want[i] != want[i])) << i;
      expect_bits(argsort(a).astype(int32), positions);
    }
}

// Columns, whose elements do not lie side by side; few rows and many.
TEST(Sorting, ColumnsOfAnyLength) {
  for (int n : {65, 300, 5000, 40'000})
    for (int columns : {2, 5}) {
      const auto x = some_values<float>(static_cast<std::size_t>(n) * columns, 8);
      std::vector<float> want(x.size());
      for (int c = 0; c < columns; ++c) {
        std::vector<float> column(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) column[i] = x[static_cast<std::size_t>(i) * columns + c];
        const auto positions = ordered_positions(column.data(), n);
        for (int i = 0; i < n; ++i) want[static_cast<std::size_t>(i) * columns + c] = column[positions[i]];
      }
      expect_bits(sort(array(x, {n, columns}), 0), want);
      expect_bits(sort(array(x, {n, columns}).T().copy(), 1).T().copy(), want);
    }
}

// Most rows get one update, some none, some several; what is added is a zero of either sign in some places.
TEST(AddingToPlaces, RowsOfALargeArrayThatIsOneNumber) {
  const int rows = 40'000, updates = 4000;
  for (int width : {250, 256})
    for (float start : {0.0f, -0.0f, 2.5f}) {
      const auto x = some_values<float>(static_cast<std::size_t>(updates) * width, 12);
      const Array at = (arange(updates) * 7919) % (rows - 1) - (arange(updates) % 16 == 0).astype(int32) * 5;
      const std::vector<int> places = at.to_vector<int>();
      std::vector<double> sums(static_cast<std::size_t>(rows) * width);
      for (int k = 0; k < updates; ++k)
        for (int j = 0; j < width && places[k] >= 0; ++j)
          sums[static_cast<std::size_t>(places[k]) * width + j] += x[static_cast<std::size_t>(k) * width + j];
      std::vector<float> want(sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        want[i] = sums[i] == 0 ? start : static_cast<float>(start + sums[i]);
      const auto added = jit([=](const Array& u, const Array& i) { return full({rows, width}, start).at(i).add(u); });
      const std::vector<float> got =
          added(array(x, {updates, width}), maximum(at, 0) + where(at < 0, rows, 0)).to_vector<float>();
      for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_TRUE(std::isnan(want[i]) ? std::isnan(got[i]) : std::memcmp(&want[i], &got[i], sizeof(float)) == 0)
            << i << ' ' << got[i] << ' ' << want[i];
    }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
