// Products in all orders of the operands' dims: sizes around those of the engine's own kernels, and bfloat16 by the
// processor's own instructions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "backend/programs.hpp"
#include "ops/contraction/dot_general.hpp"

namespace tutti::test {

namespace {

// x y with x of m x k and y of k x n, or their transposes.
Builder product(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k, bool turn_x, bool turn_y,
                std::optional<DType> preferred = {}) {
  Builder b;
  const Atom x = b.input(Type{dtype, turn_x ? Shape{k, m} : Shape{m, k}, false, {}}),
             y = b.input(Type{dtype, turn_y ? Shape{n, k} : Shape{k, n}, false, {}});
  ops::DotGeneral d;
  d.dims.lhs_contract = {turn_x ? 0 : 1};
  d.dims.rhs_contract = {turn_y ? 1 : 0};
  d.preferred = preferred;
  b.output(b.add(ops::dot_general, Params(d), {x, y}));
  return b;
}

void agrees(const Builder& b, std::mt19937& random, double ulps, double absolute) {
  std::vector<BufferPtr> in;
  for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -1, 1, random));
  auto want = backend("reference").compile(on_one_device(b.program))->run(in),
       got = backend("cpu").compile(on_one_device(b.program))->run(in);
  EXPECT_EQ(difference(b.program.type(b.program.outputs[0]), on_host(got[0]).data(), on_host(want[0]).data(), ulps,
                       1e-6, absolute),
            "");
}

}  // namespace

TEST(products, small_ones_agree) {
  std::mt19937 random(9);
  for (std::int64_t m : {1, 5, 6, 13, 64})
    for (std::int64_t n : {1, 10, 16, 63, 64, 80, 130})
      for (std::int64_t k : {16, 33, 64, 128, 129})
        for (int order = 0; order < 4; ++order) {
          SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k) + " order " +
                       std::to_string(order));
          agrees(product(float32, m, n, k, order & 1, order & 2), random, 0, 2e-5);
        }
}

// Blocks of zeros in the left operand are left out, but not where what they are multiplied with makes a NaN.
TEST(products, with_blocks_of_zeros_agree) {
  constexpr std::int64_t m = 70, n = 40, k = 128;
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::mt19937 random(10);
  for (int order = 0; order < 4; ++order)
    for (const bool is_lower : {true, false})
      for (const float odd : {0.0f, inf, std::numeric_limits<float>::quiet_NaN()}) {
        SCOPED_TRACE("order " + std::to_string(order) + (is_lower ? " lower " : " upper ") + std::to_string(odd));
        const bool turn_x = order & 1, turn_y = order & 2;
        const Builder b = product(float32, m, n, k, turn_x, turn_y);
        std::vector<BufferPtr> in;
        for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -1, 1, random));
        auto *x = static_cast<float*>(on_host(in[0]).data()), *y = static_cast<float*>(on_host(in[1]).data());
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t l = 0; l < k; ++l)
            if (is_lower ? l > i + 5 : l < i) x[turn_x ? l * m + i : i * k + l] = l % 2 ? -0.0f : 0.0f;
        if (odd != 0) y[turn_y ? 7 * k + 120 : 120 * n + 7] = odd;  // column 7, which no row of a lower x asks for
        auto want = backend("reference").compile(on_one_device(b.program))->run(in),
             got = backend("cpu").compile(on_one_device(b.program))->run(in);
        EXPECT_EQ(difference(b.program.type(b.program.outputs[0]), on_host(got[0]).data(), on_host(want[0]).data(), 0,
                             1e-6, 2e-5),
                  "");
        if (odd != 0 && is_lower) {
          EXPECT_TRUE(std::isnan(static_cast<float*>(on_host(got[0]).data())[7]));
        }
      }
}

TEST(products, with_long_vectors_agree) {
  std::mt19937 random(11);
  for (auto [m, n, k] : {std::array{1, 5000, 67}, {1, 200, 4500}, {4500, 1, 70}, {300, 1, 4101}, {1, 64, 64}})
    for (int order = 0; order < 4; ++order) {
      SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " order " + std::to_string(order));
      agrees(product(float32, m, n, k, order & 1, order & 2), random, 0, 1e-4);
    }
}

// A head's keys and values lie between those of other heads, as in a cache that is decoded from.
TEST(products, with_vectors_of_each_head_agree) {
  std::mt19937 random(12);
  for (auto [batch, heads, size] : {std::array{1, 8, 32}, {2, 3, 5}, {2, 6, 160}, {1, 7, 16}, {3, 1, 64}})
    for (std::int64_t length : {1, 31, 33, 500})
      for (bool over_length : {false, true})
        for (bool swapped : {false, true}) {
          SCOPED_TRACE(std::to_string(heads) + " heads of " + std::to_string(size) + ", " + std::to_string(length));
          Builder b;
          const Atom vectors = b.input(f32({batch, heads, over_length ? length : size})),
                     all = b.input(f32({batch, length, heads, size}));
          ops::DotGeneral d{{{2}, {over_length ? 1 : 3}, {0, 1}, {0, 2}}, {}};
          if (swapped) {
            std::swap(d.dims.lhs_contract, d.dims.rhs_contract);
            std::swap(d.dims.lhs_batch, d.dims.rhs_batch);
          }
          b.output(b.add(ops::dot_general, d, {swapped ? all : vectors, swapped ? vectors : all}));
          agrees(b, random, 0, 1e-4);
        }
}

TEST(products, of_bfloat16_agree_up_to_one_rounding) {
  std::mt19937 random(5);
  for (int order = 0; order < 4; ++order)
    for (std::optional<DType> preferred : {std::optional<DType>(), std::optional<DType>(float32)}) {
      SCOPED_TRACE(order);
      agrees(product(bfloat16, 150, 333, 257, order & 1, order & 2, preferred), random, preferred ? 0 : 1, 2e-5);
    }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
