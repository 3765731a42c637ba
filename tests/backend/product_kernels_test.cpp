// The kernels of products of float32, whose blocks end anywhere, against doubles: sums of integers are exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <vector>

#include "backend/cpu/gemm64.hpp"
#include "backend/cpu/isa.hpp"
#include "backend/cpu/large_product.hpp"
#include "backend/cpu/narrow_tiles.hpp"
#include "backend/cpu/packed_product.hpp"
#include "backend/cpu/thin_product.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using cpu::Sums;
constexpr std::int64_t kBetween = 3;  // elements between rows of a result, which stay as they are

struct Operands {
  std::int64_t m, n, k;
  std::vector<float> a, b;
  bool turn_a, turn_b;

  Operands(std::array<std::int64_t, 3> extents, int layout, std::mt19937& random)
      : m(extents[0]), n(extents[1]), k(extents[2]), turn_a(layout & 1), turn_b(layout & 2) {
    a.resize(static_cast<std::size_t>(m * k));
    b.resize(static_cast<std::size_t>(k * n));
    std::uniform_int_distribution<int> small(-4, 4);
    for (std::vector<float>* x : {&a, &b})
      for (float& v : *x) v = static_cast<float>(small(random));
  }
  cpu::Matrix left() const { return turn_a ? cpu::Matrix{a.data(), 1, m} : cpu::Matrix{a.data(), k, 1}; }
  cpu::Matrix right() const { return turn_b ? cpu::Matrix{b.data(), 1, k} : cpu::Matrix{b.data(), n, 1}; }
  std::vector<float> product(Sums sums) const {
    std::vector<float> c(static_cast<std::size_t>(m * (n + kBetween)), 7);
    if (const cpu::ThinProduct thin = cpu::thin_product(n, k))
      thin(m, k, left(), right(), c.data(), n + kBetween, sums);
    else
      cpu::large_product(m, n, k, left(), right(), c.data(), n + kBetween, sums);
    return c;
  }
  // How many elements are not the sum, or between rows not what they were.
  std::int64_t wrong(Sums sums) const { return wrong(product(sums), sums); }
  std::int64_t wrong(const std::vector<float>& c, Sums sums) const {
    const std::vector<double> want = exact();
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n + kBetween; ++j) {
        const double before = sums == Sums::added || j >= n ? 7 : 0,
                     sum = j < n ? want[static_cast<std::size_t>(i * n + j)] : 0;
        count += c[static_cast<std::size_t>(i * (n + kBetween) + j)] != before + sum;
      }
    return count;
  }
  std::vector<double> exact() const {
    const std::vector<double> x(a.begin(), a.end()), y(b.begin(), b.end());
    std::vector<double> c(static_cast<std::size_t>(m * n));
    cpu::gemm64(m, n, k, {x.data(), left().row, left().column}, {y.data(), right().row, right().column}, c.data(), n);
    return c;
  }
};

class LargeProducts : public testing::Test {
 protected:
  void SetUp() override {
    if (cpu::isa() != cpu::Isa::avx512) GTEST_SKIP() << "needs 512-bit instructions";
  }
  std::mt19937 random{3};
};

// One block and several, of rows, of inner elements and of columns; whole tiles and parts of them.
constexpr std::array<std::int64_t, 3> kExtents[] = {
    {192, 192, 192}, {197, 209, 513}, {281, 211, 200}, {571, 193, 1031}, {200, 2081, 195}};

TEST_F(LargeProducts, every_layout) {
  for (const auto& extents : kExtents)
    for (int layout = 0; layout < 4; ++layout)
      for (const Sums sums : {Sums::plain, Sums::added, Sums::plus_zero}) {
        const Operands o(extents, layout, random);
        EXPECT_EQ(o.wrong(sums), 0) << o.m << ' ' << o.n << ' ' << o.k << " layout " << layout;
      }
}

TEST(ThinProducts, every_shape_and_layout) {
  if (cpu::isa() == cpu::Isa::plain) GTEST_SKIP() << "needs vectors of 8";
  std::mt19937 random{3};
  for (std::int64_t n = 1; n <= 8; ++n)
    for (std::int64_t m : {1, 2, 7, 8, 11, 19})
      for (std::int64_t k : {1, 4, 5, 128})
        for (int layout = 0; layout < 4; ++layout)
          for (const Sums sums : {Sums::plain, Sums::added, Sums::plus_zero}) {
            const Operands o({m, n, k}, layout, random);
            ASSERT_TRUE(cpu::thin_product(n, k));
            ASSERT_EQ(o.wrong(sums), 0) << m << ' ' << n << ' ' << k << " layout " << layout;
          }
  EXPECT_FALSE(cpu::thin_product(9, 4));
  EXPECT_FALSE(cpu::thin_product(4, 129));
}

// What serves where there is no matrix library: blocks and tiles that end anywhere, one row, column or inner element.
TEST(PackedProducts, every_shape_and_layout) {
  std::mt19937 random{3};
  for (const auto& extents : std::vector<std::array<std::int64_t, 3>>{{1, 1, 5000},
                                                                      {1, 70, 90},
                                                                      {70, 1, 90},
                                                                      {33, 40, 1},
                                                                      {5, 3, 600},
                                                                      {17, 31, 130},
                                                                      {64, 64, 64},
                                                                      {130, 67, 513},
                                                                      {300, 520, 1030}})
    for (int layout = 0; layout < 4; ++layout)
      for (const Sums sums : {Sums::plain, Sums::added, Sums::plus_zero}) {
        const Operands o(extents, layout, random);
        std::vector<float> c(static_cast<std::size_t>(o.m * (o.n + kBetween)), 7);
        cpu::own_product(o.m, o.n, o.k, o.left(), o.right(), c.data(), o.n + kBetween, sums);
        EXPECT_EQ(o.wrong(c, sums), 0) << o.m << ' ' << o.n << ' ' << o.k << " layout " << layout;
        const std::vector<double> x(o.a.begin(), o.a.end()), y(o.b.begin(), o.b.end());
        std::vector<double> wide(c.size(), 7);
        cpu::packed_product<double>(o.m, o.n, o.k, 64, {x.data(), o.left().row, o.left().column},
                                    {y.data(), o.right().row, o.right().column}, {wide.data(), o.n + kBetween}, sums);
        EXPECT_EQ(o.wrong({wide.begin(), wide.end()}, sums), 0) << o.m << ' ' << o.n << ' ' << o.k;
      }
}

// Each kind of tiles of 16-bit floats that the processor has: sums as floats, and rounded.
template <class T> void check_narrow(const cpu::Tiles<T>& tiles, const Operands& o, Sums sums, std::int64_t deep) {
  const std::vector<T> x(o.a.begin(), o.a.end()), y(o.b.begin(), o.b.end());
  std::vector<float> c(static_cast<std::size_t>(o.m * (o.n + kBetween)), 7);
  std::vector<T> rounded(c.begin(), c.end());
  const cpu::PackedOperand<T> left{x.data(), o.left().row, o.left().column},
      right{y.data(), o.right().row, o.right().column};
  cpu::packed_product<T>(o.m, o.n, o.k, deep, left, right, {c.data(), o.n + kBetween}, sums, tiles);
  EXPECT_EQ(o.wrong(c, sums), 0);
  if (sums == Sums::added) return;
  cpu::packed_product<T>(o.m, o.n, o.k, deep, left, right, {nullptr, o.n + kBetween, rounded.data()}, sums, tiles);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) wrong += rounded[i].bits != T(c[i]).bits;
  EXPECT_EQ(wrong, 0);
}

TEST(PackedProducts, of_16_bit_floats_with_all_kinds_of_tiles) {
  std::mt19937 random{3};
  for (const auto& extents : std::vector<std::array<std::int64_t, 3>>{{1, 1, 5000},
                                                                      {1, 70, 90},
                                                                      {70, 1, 90},
                                                                      {33, 40, 1},
                                                                      {17, 31, 130},
                                                                      {64, 64, 64},
                                                                      {130, 67, 513},
                                                                      {300, 520, 330},
                                                                      {16, 48, 33},
                                                                      {47, 15, 31}})
    for (int layout = 0; layout < 4; ++layout)
      for (const Sums sums : {Sums::plain, Sums::added, Sums::plus_zero})
        for (const std::int64_t deep : {64, 512}) {
          const Operands o(extents, layout, random);
          SCOPED_TRACE(std::to_string(o.m) + ' ' + std::to_string(o.n) + ' ' + std::to_string(o.k) + " layout " +
                       std::to_string(layout) + " blocks of " + std::to_string(deep));
          for (const cpu::NarrowTiles& kind : cpu::narrow_tiles_of_processor()) {
            SCOPED_TRACE(kind.name);
            check_narrow(*kind.tiles, o, sums, deep);
          }
          check_narrow(cpu::tiles<Float16>(), o, sums, deep);
        }
}

// A row, or a column, whose stride is any, because there is one.
TEST(PackedProducts, of_one_row_or_column_that_is_not_dense) {
  std::vector<float> strided(300, -1), b(100 * 40), c(40, 7);
  for (std::size_t l = 0; l < 100; ++l) strided[3 * l] = static_cast<float>(l % 5);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
  std::vector<float> want(40, 7);
  for (std::size_t j = 0; j < 40; ++j)
    for (std::size_t l = 0; l < 100; ++l) want[j] += static_cast<float>(l % 5) * b[l * 40 + j];
  cpu::own_product(1, 40, 100, {strided.data(), 1000, 3}, {b.data(), 40, 1}, c.data(), 40, Sums::added);
  EXPECT_EQ(c, want);
  std::fill(c.begin(), c.end(), 7.0f);
  cpu::own_product(40, 1, 100, {b.data(), 1, 40}, {strided.data(), 3, 1000}, c.data(), 1, Sums::added);
  EXPECT_EQ(c, want);
}

// Batches of them, over one dim and several, in tasks of many.
TEST(ThinProducts, batches) {
  for (const Shape& batch : {Shape{3000}, Shape{40, 100}, Shape{2, 3, 500}}) {
    Shape left = batch, right = batch;
    left.insert(static_cast<int>(left.size()), 5);
    left.insert(static_cast<int>(left.size()), 4);
    right.insert(static_cast<int>(right.size()), 3);
    right.insert(static_cast<int>(right.size()), 4);
    const Array a = random::randint(random::key(0), left, -4, 5).astype(float32),
                b = random::randint(random::key(1), right, -4, 5).astype(float32);
    const Array want = (expand_dims(a, -2) * expand_dims(b, -3)).sum(-1);
    EXPECT_TRUE(array_equal(matmul(a, swapaxes(b, -1, -2)), want).item<bool>()) << batch.size();
  }
}

// However many tasks share the rows or columns of a product.
TEST_F(LargeProducts, bits_depend_on_the_inner_extent_alone) {
  Operands o({420, 400, 700}, 0, random);
  std::normal_distribution<float> normal;
  for (std::vector<float>* x : {&o.a, &o.b})
    for (float& v : *x) v = normal(random);
  const std::vector<float> whole = o.product(Sums::plain);
  std::vector<float> part(static_cast<std::size_t>(200 * 195));
  constexpr std::int64_t i0 = 33, j0 = 205;
  cpu::large_product(200, 195, o.k, {o.a.data() + i0 * o.k, o.k, 1}, {o.b.data() + j0, o.n, 1}, part.data(), 195,
                     Sums::plain);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < 200; ++i)
    for (std::int64_t j = 0; j < 195; ++j)
      wrong += part[static_cast<std::size_t>(i * 195 + j)] !=
               whole[static_cast<std::size_t>((i + i0) * (o.n + kBetween) + j + j0)];
  EXPECT_EQ(wrong, 0);
}

// An infinity reaches its row, a NaN its column, and nothing else.
TEST_F(LargeProducts, what_is_not_finite_stays_in_its_row_and_column) {
  Operands o({290, 230, 520}, 3, random);
  std::fill(o.b.begin(), o.b.end(), 1.0f);
  o.a[288 + 519 * 290] = std::numeric_limits<float>::infinity();
  o.b[515 + 229 * 520] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> c = o.product(Sums::plain);
  for (std::int64_t i = 0; i < o.m; ++i)
    for (std::int64_t j = 0; j < o.n; ++j) {
      const float x = c[static_cast<std::size_t>(i * (o.n + kBetween) + j)];
      EXPECT_EQ(x != x, j == 229) << i << ", " << j;
      EXPECT_EQ(x == std::numeric_limits<float>::infinity(), i == 288 && j != 229) << i << ", " << j;
    }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
