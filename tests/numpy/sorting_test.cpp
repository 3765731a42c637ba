// Sorting, selecting, searching and adding to places at sizes where kernels share the work, against plain loops.
#include <gtest/gtest.h>

#include "numpy/ordered_rows.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

template <class T> void check_rows(int rows, int n) {
  const std::vector<T> x = some_values<T>(static_cast<std::size_t>(rows) * n, static_cast<unsigned>(n));
  const Array a = array(x, {rows, n});
  std::vector<T> sorted, top;
  std::vector<int> positions, top_positions;
  const int k = std::min(n, n % 3 == 0 ? 20 : 7);
  for (int r = 0; r < rows; ++r) {
    const T* row = x.data() + static_cast<std::size_t>(r) * n;
    for (int i : ordered_positions(row, n)) {
      sorted.push_back(row[i]);
      positions.push_back(i);
    }
    const auto first = ordered_positions(row, n, true);
    for (int i = 0; i < k; ++i) {
      top.push_back(row[first[i]]);
      top_positions.push_back(first[i]);
    }
  }
  expect_bits(sort(a, -1), sorted);
  expect_bits(argsort(a, -1).astype(int32), positions);
  expect_bits(argsort(a.T().copy(), 0).T().astype(int32), positions);
  const auto some = jit([k](const Array& v) {
    const auto t = lax::top_k(v, k);
    return std::pair{t.values, t.indices};
  })(a);
  expect_bits(some.first, top);
  expect_bits(some.second, top_positions);
}

TEST(Sorting, RowsOfAnyLengthAreStableAndNaNIsLast) {
  for (int n : {1, 2, 7, 8, 16, 17, 63, 64, 65, 128, 129, 300, 1000, 4096, 4098}) {
    check_rows<float>(n > 1000 ? 17 : 40, n);
    check_rows<std::int32_t>(n > 1000 ? 17 : 40, n);
    check_rows<std::int8_t>(n > 1000 ? 17 : 40, n);
    check_rows<std::uint16_t>(3, n);
    check_rows<std::uint32_t>(4, n);
  }
}

// Words that differ in their last bits alone: of a few neighbours in a row, or of most.
TEST(Sorting, CloseElementsAreToldApart) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  constexpr int rows = 21;
  for (int n : {100, 256, 1000})
    for (float around : {0.f, 1.f, -3.f})
      for (float spread : {1.f, 1e-2f, 1e-4f, 1e-6f}) {
        std::vector<float> x(static_cast<std::size_t>(rows * n));
        for (float& v : x) v = around + spread * normal(random);
        std::vector<int> positions;
        for (int r = 0; r < rows; ++r)
          for (int i : ordered_positions(x.data() + static_cast<std::size_t>(r * n), n)) positions.push_back(i);
        expect_bits(argsort(array(x, {rows, n}), -1).astype(int32), positions);
      }
}

TEST(Sorting, ALongRowIsSharedAndStaysStable) {
  check_rows<float>(1, 200'001);
  check_rows<std::int32_t>(1, 150'000);
  check_rows<std::uint8_t>(2, 140'000);
}

// More of them than may pass for the least.
TEST(Sorting, TheFirstOfEqualElementsAreTheTop) {
  for (float x : {1.0f, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const Array a = full({3, 1000}, x);
    for (int k : {1, 8, 9, 32, 33}) {
      const auto t = lax::top_k(a, k);
      EXPECT_TRUE(array_equal(t.indices, broadcast_to(arange(k), {3, k})).item<bool>()) << x << ' ' << k;
      const auto least = lax::top_k(-a, k);
      EXPECT_TRUE(array_equal(least.indices, broadcast_to(arange(k), {3, k})).item<bool>()) << x << ' ' << k;
    }
  }
}

TEST(Sorting, SixtyFourBits) {
  enable_x64(true);
  for (int n : {50, 700, 140'000}) {
    check_rows<double>(2, n);
    check_rows<std::int64_t>(2, n);
  }
  enable_x64(false);
}

TEST(Sorting, SeveralKeysDecideInTurn) {
  for (int n : {5000, 50'000}) {
    const auto a = some_values<std::int8_t>(static_cast<std::size_t>(n), 1);
    const auto b = some_values<float>(static_cast<std::size_t>(n), 2);
    std::vector<int> want(static_cast<std::size_t>(n));
    std::iota(want.begin(), want.end(), 0);
    std::stable_sort(want.begin(), want.end(),
                     [&](int i, int j) { return a[i] != a[j] ? a[i] < a[j] : is_before(b[i], b[j]); });
    expect_bits(lexsort({array(b), array(a)}), want);
    std::iota(want.begin(), want.end(), 0);
    std::stable_sort(want.begin(), want.end(), [&](int i, int j) {
      return is_before(b[i], b[j]) || is_before(b[j], b[i]) ? is_before(b[i], b[j]) : a[i] < a[j];
    });
    expect_bits(lexsort({array(a), array(b)}), want);
  }
}

TEST(Sorting, TheGreatestHasItsTangent) {
  const Array x = array({3.f, 1.f, 3.f, 2.f});
  const Array g = grad([](const Array& v) { return (lax::top_k(v, 2).values * array({1.f, 10.f})).sum(); })(x);
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{1, 0, 10, 0}));
}

template <class T> void check_search(int n, int m) {
  std::vector<T> x = some_values<T>(static_cast<std::size_t>(n), 3), v = some_values<T>(static_cast<std::size_t>(m), 4);
  std::sort(x.begin(), x.end(), is_before<T>);
  std::copy_n(x.begin(), std::min(n, m) / 2, v.begin());  // equal ones
  std::vector<int> left, right;
  for (T value : v) {
    left.push_back(static_cast<int>(std::lower_bound(x.begin(), x.end(), value, is_before<T>) - x.begin()));
    right.push_back(static_cast<int>(std::upper_bound(x.begin(), x.end(), value, is_before<T>) - x.begin()));
  }
  expect_bits(searchsorted(array(x), array(v)).astype(int32), left);
  expect_bits(searchsorted(array(x), array(v), {.right = true}).astype(int32), right);
}

TEST(Searching, IsBeforeOrBehindEqualOnes) {
  for (int n : {1, 2, 15, 16, 17, 255, 256, 257, 4096, 70'000})
    for (int m : {1, 3, 1000, 20'000}) {
      check_search<float>(n, m);
      check_search<std::int32_t>(n, m);
      check_search<std::uint8_t>(n, m);
    }
  enable_x64(true);
  check_search<double>(1000, 5000);
  check_search<std::uint64_t>(1000, 5000);
  enable_x64(false);
}

TEST(Searching, EachRowInItsOwnVector) {
  const Array rows = sort(random::normal(random::key(0), {5, 40}), -1), x = random::normal(random::key(1), {5, 7});
  auto find = [](const Array& s, const Array& v) { return searchsorted(s, v); };
  const Array both = vmap(find)(rows, x), one = vmap(find, {.in_axes = {0, none}})(rows, x(0));
  for (int r = 0; r < 5; ++r) {
    EXPECT_EQ(both(r).to_vector<int>(), searchsorted(rows(r), x(r)).to_vector<int>());
    EXPECT_EQ(one(r).to_vector<int>(), searchsorted(rows(r), x(0)).to_vector<int>());
  }
  EXPECT_EQ(searchsorted(array({1.f}), array({std::complex<float>(1, 1)})).to_vector<int>(), std::vector<int>{1});
}

// Every place against sums in double, from updates that are many to a place.
template <class T> void check_sums(int places, int n, int width) {
  const auto ids = some_values<std::int32_t>(static_cast<std::size_t>(n), 5);
  std::vector<T> x(static_cast<std::size_t>(n) * width);
  std::mt19937 random(6);
  for (T& v : x) v = static_cast<T>(static_cast<int>(random() % 2001) - 1000) / (std::floating_point<T> ? 1000 : 1);
  std::vector<double> want(static_cast<std::size_t>(places) * width), most(want.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < width && ids[i] >= 0 && ids[i] < places; ++j) {
      want[ids[i] * width + j] += static_cast<double>(x[i * width + j]);
      most[ids[i] * width + j] += std::abs(static_cast<double>(x[i * width + j]));
    }
  const auto got = segment_sum(array(x, {n, width}), array(ids), {.num_segments = places}).template to_vector<T>();
  for (std::size_t i = 0; i < want.size(); ++i)
    if constexpr (std::floating_point<T>)
      ASSERT_NEAR(got[i], want[i], 1e-7 * std::abs(want[i]) + 1e-13 * most[i]) << i;
    else
      ASSERT_EQ(got[i], static_cast<T>(static_cast<std::int64_t>(want[i]))) << i;
}

TEST(AddingToPlaces, ManyAreSharedAndRoundedOnce) {
  for (int width : {1, 3, 24}) {
    check_sums<float>(97, 120'000, width);
    check_sums<std::int32_t>(97, 120'000, width);
    check_sums<float>(20'000, 120'000, width);
  }
  const Array counts = bincount(arange(1 << 17) % 5, {.length = 5});
  EXPECT_EQ(counts.to_vector<int>(), (std::vector<int>{26215, 26215, 26214, 26214, 26214}));
}

// What is too large is not counted, what is below zero counts as zero, alone or among others; tables are many, or one.
TEST(AddingToPlaces, OnlyPlacesAreCounted) {
  std::mt19937 random(7);
  for (int length : {1, 7, 5000})
    for (DType dtype : {int32, int16, uint32}) {
      const int least = dtype == uint32 ? 0 : -1;
      std::vector<std::int32_t> x(150'001);
      std::vector<int> want(static_cast<std::size_t>(length));
      for (std::int32_t& v : x) {
        v = least + static_cast<int>(random() % (random() % 64 ? static_cast<unsigned>(length) : length + 3u));
        if (v < length) ++want[static_cast<std::size_t>(std::max(v, 0))];
      }
      EXPECT_EQ(bincount(array(x).astype(dtype), {.length = length}).to_vector<int>(), want) << length;
    }
}

TEST(ReadingAtPlaces, RowsAndElementsInsideAndOutside) {
  const Array x = arange(3000 * 20).reshape(3000, 20).astype(float32);
  const Array at = (arange(50'000) * 7919) % 3010;
  const Array rows = take(x, at, 0, TakeMode::clip);
  const Array want = minimum(at, 2999);
  EXPECT_TRUE((rows == expand_dims(want, 1).astype(float32) * 20 + arange(20).astype(float32)).all().item<bool>());
  const Array filled = take(x, at, 0);
  EXPECT_EQ(isnan(filled).sum().item<int>(), (at >= 3000).sum().item<int>() * 20);
  const Array element = take(ravel(x), at * 20 + 3, TakeMode::clip);
  EXPECT_TRUE((element == minimum(at * 20 + 3, 59'999).astype(float32)).all().item<bool>());
  const Array outside = take(ravel(x), at * 20 + 3), past = at >= 3000;
  EXPECT_TRUE((isnan(outside) == past).all().item<bool>());
  EXPECT_TRUE((where(past, 0, outside) == where(past, 0, (at * 20 + 3).astype(float32))).all().item<bool>());
  const Array pairs = take(ravel(x).astype(complex64), at * 20 + 3, TakeMode::clip);
  EXPECT_TRUE((pairs == element.astype(complex64)).all().item<bool>());
  const Array own = take_along_axis(x, expand_dims(arange(3000) % 20, 1), 1);
  EXPECT_TRUE((ravel(own) == (arange(3000) * 20 + arange(3000) % 20).astype(float32)).all().item<bool>());
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
