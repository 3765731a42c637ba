// Stages of products and loops that run a few examples at a time: the same values as without them, whatever the number
// of threads, no more memory, and what is told outside stays in order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/pool.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Block {
  Array qkv, out, up, down;
};
constexpr int kWidth = 32, kHeads = 4;

Array normalised(const Array& x) {
  const Array c = x - mean(x, -1, true);
  return c * lax::rsqrt(mean(c * c, -1, true) + 1e-5);
}
Array block(const Array& x, const Block& b) {
  const std::int64_t batch = x.shape(0), positions = x.shape(1);
  std::vector<Array> qkv = split(matmul(normalised(x), b.qkv), 3, -1);
  for (Array& a : qkv) a = a.reshape(batch, positions, kHeads, kWidth / kHeads);
  const Array seen = nn::dot_product_attention(qkv[0], qkv[1], qkv[2], {.is_causal = true});
  const Array y = x + matmul(seen.reshape(batch, positions, kWidth), b.out);
  return y + matmul(nn::gelu(matmul(normalised(y), b.up)), b.down);
}
std::vector<Block> blocks(int n) {
  int drawn = 0;
  auto draw = [&](int rows, int columns) { return random::normal(random::key(++drawn), {rows, columns}) * 0.2f; };
  std::vector<Block> out;
  for (int i = 0; i < n; ++i)
    out.push_back({draw(kWidth, 3 * kWidth), draw(kWidth, kWidth), draw(kWidth, 4 * kWidth), draw(4 * kWidth, kWidth)});
  return out;
}
Array examples(int batch, int positions) { return random::normal(random::key(0), {batch, positions, kWidth}); }
auto step() {
  return jit([](const std::vector<Block>& bs, const Array& x) {
    return value_and_grad([&](const std::vector<Block>& bs) {
      Array y = x;
      for (const Block& b : bs) y = block(y, b);
      return mean(y * y);
    })(bs);
  });
}
// The stage of a plan that goes by rows, as it is printed.
std::string stage_by_rows(const std::string& plan, const std::string& rows) {
  const std::size_t begin = plan.find(" by " + rows + " rows\n");
  return begin == plan.npos ? "" : plan.substr(begin, plan.find("\nstage ", begin) - begin);
}

TEST(DepthFirst, ATrainingStepRunsExampleByExample) {
  const std::vector<Block> bs = blocks(2);
  struct Case {
    int batch, positions;
    const char* rows;
  };
  for (auto [batch, positions, rows] :
       {Case{6, 128, "1 of 6"}, Case{9, 64, "2 of 9"}}) {  // in whole chunks, with a rest
    SCOPED_TRACE(rows);
    const Array x = examples(batch, positions);
    const std::string plan = step().lower(bs, x).compile().plan(), stage = stage_by_rows(plan, rows);
    for (const char* held : {"dot float32", "reduced", "batch"}) EXPECT_NE(stage.find(held), stage.npos) << plan;
    config::backend("reference");
    const auto [want_value, want] = step()(bs, x);
    config::backend("cpu");
    std::vector<Array> first;
    for (int threads : {1, 2, 3, 7, 16}) {
      set_num_threads(threads);
      const auto [value, gradient] = step()(bs, x);
      EXPECT_TRUE(bool(allclose(value, want_value, 1e-5, 1e-6)));
      std::vector<Array> leaves = tree::leaves(gradient), wanted = tree::leaves(want);
      for (std::size_t k = 0; k < leaves.size(); ++k)
        EXPECT_TRUE(bool(allclose(leaves[k], wanted[k], 1e-4, 1e-6))) << k;
      if (first.empty()) first = leaves;
      for (std::size_t k = 0; k < leaves.size(); ++k)
        EXPECT_TRUE(bool(array_equal(leaves[k], first[k]))) << "depends on the number of threads";
    }
    set_num_threads(default_num_threads());
  }
}

// Gradients of narrow layers add up within the stage, in groups of chunks: the same bits whatever the number of
// threads.
TEST(DepthFirst, GradientsOfWeightsAddUpInGroups) {
  const std::vector<Block> bs = blocks(2);
  struct Case {
    int batch, positions;
    const char *rows, *groups;
  };
  for (auto [batch, positions, rows, groups] :
       {Case{24, 128, " by 1 of 24 rows", "8"}, Case{19, 64, " by 2 of 19 rows", "8"}}) {
    SCOPED_TRACE(rows);
    const Array x = examples(batch, positions);
    const std::string plan = step().lower(bs, x).compile().plan();
    const std::size_t begin = plan.find(std::string(rows) + " in " + groups + " groups\n");
    ASSERT_NE(begin, plan.npos) << plan;
    const std::string stage = plan.substr(begin, plan.find("\nstage ", begin) - begin);
    EXPECT_NE(stage.find(" k " + std::to_string(batch * positions)), stage.npos) << stage;
    config::backend("reference");
    const auto [want_value, want] = step()(bs, x);
    config::backend("cpu");
    const std::vector<Array> wanted = tree::leaves(want);
    std::vector<Array> first;
    for (int threads : {1, 2, 3, 7, 16}) {
      set_num_threads(threads);
      const std::vector<Array> leaves = tree::leaves(std::get<1>(step()(bs, x)));
      if (first.empty()) first = leaves;
      for (std::size_t k = 0; k < leaves.size(); ++k) {
        EXPECT_TRUE(bool(allclose(leaves[k], wanted[k], 1e-4, 1e-6))) << k;
        EXPECT_TRUE(bool(array_equal(leaves[k], first[k]))) << k;
      }
    }
    set_num_threads(default_num_threads());
  }
}

// Two products need all rows of what the stage makes: as what they sum over, and as their right operand.
TEST(DepthFirst, WhatNeedsAllRowsComesAfter) {
  auto f = jit([](const Array& x, const Array& w) {
    const Array y = tanh(matmul(x, w)), z = tanh(matmul(y, w)), all = z.reshape(-1, kWidth);
    return std::tuple{matmul(all.T(), all), matmul(x[0], all.T()), sum(z, 0), z};
  });
  const Array x = examples(32, 128), w = blocks(1)[0].out;
  const std::string plan = f.lower(x, w).compile().plan(), stage = stage_by_rows(plan, "1 of 32");
  EXPECT_NE(stage.find("m 4096 n 32 k 32"), stage.npos) << plan;
  EXPECT_EQ(stage.find("k 4096"), stage.npos) << stage;
  EXPECT_EQ(stage.find("n 4096"), stage.npos) << stage;
  const auto [squares, products, sums, all] = f(x, w);
  config::backend("reference");
  const auto [want_squares, want_products, want_sums, want_all] = f(x, w);
  config::backend("cpu");
  EXPECT_TRUE(bool(allclose(squares, want_squares, 1e-4, 1e-3)));
  EXPECT_TRUE(bool(allclose(products, want_products, 1e-4, 1e-4)));
  EXPECT_TRUE(bool(allclose(sums, want_sums, 1e-4, 1e-4)));
  EXPECT_TRUE(bool(allclose(all, want_all, 1e-5, 1e-5)));
}

TEST(DepthFirst, WhatIsToldStaysInOrder) {
  std::vector<int> told;
  auto tell = [&told](int n) { return [&told, n](const Array&) { told.push_back(n); }; };
  auto f = jit([&](const std::vector<Block>& bs, const Array& x) {
    const Array y = block(block(x, bs[0]), bs[1]);
    debug::callback(tell(1), {.ordered = true}, sum(y));
    debug::callback(tell(2), {.ordered = true}, x[0]);
    return y;
  });
  f(blocks(2), examples(6, 128));
  EXPECT_EQ(told, (std::vector{1, 2}));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
