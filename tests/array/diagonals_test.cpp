// Diagonals and exponents of any integer type, and extents one by one.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "effects/heard.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const std::vector<Dim> far_up = {4, 100, std::int64_t(1) << 31, std::int64_t(1) << 40, INT64_MAX, UINT64_MAX};
const std::vector<Dim> far_down = {-4, -100, -(std::int64_t(1) << 31), -(std::int64_t(1) << 40), INT64_MIN};
bool none_of(const Array& x) { return !bool(any(x)); }
bool all_of(const Array& x) { return bool(all(x != 0)); }

// hostile-3, L8. Beyond the corners there is nothing, or everything: as the limits of JAX, which raises beyond int32.
TEST(Diagonals, BeyondTheCorners) {
  const Array m = ones({3, 4});
  for (const Dim k : far_up) {
    SCOPED_TRACE(k.value);
    EXPECT_TRUE(none_of(eye(3, 4, k)) && all_of(tri(3, 4, k)) && all_of(tril(m, k)) && none_of(triu(m, k)));
    EXPECT_EQ(diag(m, k).shape(), Shape({0}));
    EXPECT_EQ(diagonal(m, k).shape(), Shape({0}));
    EXPECT_EQ(linalg::diagonal(m, k).shape(), Shape({0}));
    EXPECT_EQ(float(trace(m, k)), 0);
    EXPECT_EQ(tril_indices(3, k).first.size(), 9);
    EXPECT_EQ(triu_indices(3, k).first.size(), 0);
    EXPECT_EQ(triu_indices_from(m, k).first.size(), 0);
    EXPECT_EQ(mask_indices(
                  3, [](const Array& x, Dim d) { return tril(x, d); }, k)[0]
                  .size(),
              9);
  }
  for (const Dim k : far_down) {
    SCOPED_TRACE(k.value);
    EXPECT_TRUE(none_of(eye(3, 4, k)) && none_of(tri(3, 4, k)) && none_of(tril(m, k)) && all_of(triu(m, k)));
    EXPECT_EQ(diag(m, k).shape(), Shape({0}));
    EXPECT_EQ(diagonal(m, k).shape(), Shape({0}));
    EXPECT_EQ(float(trace(m, k)), 0);
    EXPECT_EQ(tril_indices(3, k).first.size(), 0);
    EXPECT_EQ(triu_indices(3, k).first.size(), 9);
  }
  for (const Dim k : {Dim(INT64_MAX), Dim(INT64_MIN)}) EXPECT_ANY_THROW(diag(ones({2}), k).sum());
  const std::size_t one = 1;
  const long minus = -1;
  EXPECT_EQ(tril(m, minus).sum().item<float>(), 3);
  EXPECT_EQ(triu(m, one).sum().item<float>(), 6);
  EXPECT_EQ(diag(m, one).shape(), Shape({3}));
  EXPECT_EQ(diag(ones({2}), minus).shape(), Shape({3, 3}));
  EXPECT_EQ(vander(ones({3}), one + 4).shape(), Shape({3, 5}));
  EXPECT_TRUE(bool(all(rot90(m, std::int64_t(1) << 40) == m)));
  EXPECT_TRUE(bool(all(rot90(arange(4).reshape(2, 2), -5) == array({{2, 0}, {3, 1}}))));
}

// Values of JAX.
TEST(MatrixPower, AnyExponent) {
  const Array m = array({{1.f, 1.f}, {0.f, 1.f}});
  auto corner = [&](Dim n) { return float(linalg::matrix_power(m, n)(0, 1)); };
  EXPECT_EQ(corner(0), 0);
  EXPECT_EQ(corner(-3), -3);
  EXPECT_EQ(corner(std::int64_t(1) << 31), 2147483648.f);
  EXPECT_EQ(corner(std::int64_t(1) << 40), 1099511627776.f);
  EXPECT_EQ(corner(INT64_MAX), 9.223372036854776e18f);
  EXPECT_EQ(corner(INT64_MIN), -9.223372036854776e18f);
  EXPECT_EQ(float(linalg::matrix_power(-m, INT64_MAX)(0, 0)), -1);
  EXPECT_EQ(float(linalg::matrix_power(-m, INT64_MIN)(0, 0)), 1);
  EXPECT_EQ(int(linalg::matrix_power(array({{1, 1}, {0, 1}}), 40)(0, 1)), 40);
}

// Values of JAX.
TEST(IntegerPow, ExponentsBeyondInt32) {
  const Array x = array({1.f, -1.f, 2.f, .5f, 0.f});
  EXPECT_EQ(lax::integer_pow(x, std::int64_t(1) << 40).to_vector<float>(), (std::vector<float>{1, 1, INFINITY, 0, 0}));
  EXPECT_EQ(lax::integer_pow(x, (std::int64_t(1) << 40) + 1).to_vector<float>(),
            (std::vector<float>{1, -1, INFINITY, 0, 0}));
  EXPECT_EQ(lax::integer_pow(x, -(std::int64_t(1) << 40)).to_vector<float>(),
            (std::vector<float>{1, 1, 0, INFINITY, INFINITY}));
  EXPECT_EQ(lax::integer_pow(array({3, -3}), INT64_MAX).to_vector<int>(), (std::vector<int>{-1431655765, 1431655765}));
  EXPECT_EQ(float(grad([](const Array& v) { return lax::integer_pow(v, INT64_MIN); })(array(1.f))),
            static_cast<float>(INT64_MIN));
}

// users-3, 10: the other functions of extents and dims.
TEST(Extents, OneByOne) {
  const long n = 2;
  const std::size_t m = 3;
  EXPECT_EQ(zeros(n).shape(), Shape({2}));
  EXPECT_EQ(zeros(n, int32).dtype(), int32);
  EXPECT_EQ(zeros(n, m, 4, Dim(5)).shape(), Shape({2, 3, 4, 5}));
  EXPECT_EQ(ones(m, n).shape(), Shape({3, 2}));
  EXPECT_EQ(empty(m, n, 1).shape(), Shape({3, 2, 1}));
  EXPECT_EQ(full(m, 7).to_vector<int>(), (std::vector<int>{7, 7, 7}));
  EXPECT_EQ(full(n, 7, float32).dtype(), float32);
  const Array x = arange(6.f);
  EXPECT_EQ(reshape(x, n, -1).shape(), Shape({2, 3}));
  EXPECT_EQ(reshape(x, -1, 1, 1, m, 1).shape(), Shape({2, 1, 1, 3, 1}));
  EXPECT_EQ(broadcast_to(x, 6).shape(), Shape({6}));
  EXPECT_EQ(broadcast_to(x, n, m, 6).shape(), Shape({2, 3, 6}));
  EXPECT_EQ(tile(x, n).shape(), Shape({12}));
  EXPECT_EQ(tile(x, n, m).shape(), Shape({2, 18}));
  EXPECT_EQ(tile(x, {2, 3}).shape(), Shape({2, 18}));
  const Array y = x.reshape(1, 2, 1, 3);
  EXPECT_EQ(transpose(y, 3, 0, 2, 1).shape(), Shape({3, 1, 1, 2}));
  EXPECT_EQ(permute_dims(y, 3, 0, 2, 1).shape(), Shape({3, 1, 1, 2}));
  EXPECT_EQ(squeeze(y).shape(), Shape({2, 3}));
  EXPECT_EQ(squeeze(y, 0).shape(), Shape({2, 1, 3}));
  EXPECT_EQ(squeeze(y, 0, 2).shape(), Shape({2, 3}));
  EXPECT_EQ(squeeze(y, {0, 2}).shape(), Shape({2, 3}));
  EXPECT_EQ(expand_dims(x, 0).shape(), Shape({1, 6}));
  EXPECT_EQ(expand_dims(x, 0, 2).shape(), Shape({1, 6, 1}));
  EXPECT_EQ(expand_dims(x, {0, -1}).shape(), Shape({1, 6, 1}));
  EXPECT_EQ(moveaxis(y, {0, 1}, {-1, -2}).shape(), Shape({1, 3, 2, 1}));
  const std::string text = testing::error_of<ShapeError>([&] { broadcast_to(x, 2, 5); });
  EXPECT_NE(text.find("diagonals_test.cpp:"), text.npos) << text;
  EXPECT_NE(testing::error_of<ShapeError>([&] { zeros(2, -5); }).find("diagonals_test.cpp:"), text.npos);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
