// Where products write, and which steps are one stage.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/fft/fft.hpp"
#include "ops/movement/transpose.hpp"

namespace tutti::test {
namespace {

using compile::Plan;

Plan planned(const Builder& b) { return compile::compile(on_one_device(b.program), {}); }

void computes_the_same(const Builder& b) {
  std::mt19937 random(3);
  std::vector<BufferPtr> in;
  for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -2, 2, random));
  auto want = backend("reference").compile(on_one_device(b.program))->run(in),
       got = backend("cpu").compile(on_one_device(b.program))->run(in);
  for (std::size_t r = 0; r < got.size(); ++r)
    EXPECT_EQ(difference(b.program.type(b.program.outputs[r]), on_host(got[r]).data(), on_host(want[r]).data(), 2, 1e-5,
                         1e-5),
              "");
}

// x y of each of 2 x 3 matrices, its dims in another order.
Builder products_of_heads(lax::Dims order, std::int64_t columns) {
  Builder b;
  const Atom x = b.input(f32({2, 3, 30, 40})), y = b.input(f32({2, 3, 40, columns}));
  ops::DotGeneral d;
  d.dims.lhs_batch = d.dims.rhs_batch = {0, 1};
  d.dims.lhs_contract = {3};
  d.dims.rhs_contract = {2};
  const Atom z = b.add(ops::dot_general, Params(d), {x, y});
  b.output(b.add(ops::transpose, Params(ops::Transpose{std::move(order)}), {z}));
  return b;
}

}  // namespace

TEST(Stages, AProductIsWrittenWhereItIsWanted) {
  for (const lax::Dims& order : {lax::Dims{0, 2, 1, 3}, {2, 0, 1, 3}, {1, 0, 2, 3}}) {
    const Builder b = products_of_heads(order, 50);
    const Plan plan = planned(b);
    EXPECT_EQ(plan.steps.size(), 1u) << plan.str();
    EXPECT_EQ(plan.slab_bytes, 0) << plan.str();
    computes_the_same(b);
  }
}

TEST(Stages, AProductOfShortRowsIsCopied) {
  const Builder b = products_of_heads({0, 2, 1, 3}, 5);
  EXPECT_EQ(planned(b).steps.size(), 2u);
  computes_the_same(b);
}

TEST(Stages, AProductThatOthersReadStays) {
  Builder b = products_of_heads({0, 2, 1, 3}, 50);
  const Atom z = b.program.eqns[0].results[0];
  b.output(b.add(ops::sin, {z}));
  EXPECT_EQ(planned(b).steps.size(), 3u);
  computes_the_same(b);
}

TEST(Stages, SmallLoopsThatDoNotNeedEachOtherAreOne) {
  Builder b;
  std::vector<Atom> x;
  for (std::int64_t n : {100, 200, 300}) x.push_back(b.input(f32({n})));
  for (const Atom& a : x) b.output(b.add(ops::sin, {a}));
  EXPECT_EQ(planned(b).stages.size(), 1u);
  computes_the_same(b);
  const Atom large = b.input(f32({1 << 19}));
  b.output(b.add(ops::sin, {large}));
  EXPECT_EQ(planned(b).stages.size(), 2u);
}

TEST(Stages, ProductsThatDoNotNeedEachOtherAreOne) {
  Builder b;
  const auto product = [&](const Atom& x, const Atom& y) {
    ops::DotGeneral d;
    d.dims.lhs_contract = d.dims.rhs_contract = {0};  // a gradient of weights
    return Atom(b.add(ops::dot_general, Params(d), {x, y}));
  };
  std::vector<Atom> z;
  for (std::int64_t n : {30, 40, 50}) z.push_back(product(b.input(f32({n, 48})), b.input(f32({n, 32}))));
  for (const Atom& a : z) b.output(b.add(ops::sin, {a}));
  const Plan plan = planned(b);
  EXPECT_EQ(plan.stages.size(), 2u) << plan.str();
  computes_the_same(b);
  b.output(product(z[0], z[1]));  // needs two of them
  EXPECT_EQ(planned(b).stages.size(), 2u);
  const Atom large = b.input(f32({1024, 1024}));
  b.output(product(large, large));
  EXPECT_EQ(planned(b).stages.size(), 3u);
}

namespace {
// Of each of n inputs something, its transform, and something of that: the steps of one input stand together.
Builder transforms(int n, std::int64_t size) {
  Builder b;
  std::vector<Atom> x;
  for (int k = 0; k < n; ++k) x.push_back(b.input(f32({size, size})));
  for (const Atom& a : x) {
    const Atom z = b.add(ops::fft, Params(ops::Fft{lax::FftType::rfft, Shape{size, size}}), {b.add(ops::sin, {a})});
    b.output(b.add(ops::sin, {b.add(ops::real, {z})}));
  }
  return b;
}
}  // namespace

TEST(Stages, CallsThatDoNotNeedEachOtherAreOneWhereverTheyStand) {
  const Builder b = transforms(4, 32);
  const Plan plan = planned(b);
  ASSERT_EQ(plan.steps.size(), 12u) << plan.str();
  EXPECT_EQ(plan.stages.size(), 3u) << plan.str();
  computes_the_same(b);
  EXPECT_EQ(planned(transforms(2, 512)).stages.size(), 6u);  // they hand out tasks of their own
}

TEST(Stages, WhatALoopWritesInAStageByRowsLiesOverWhatItReadsLast) {
  const std::int64_t examples = 16, lines = 128, wide = 256, narrow = 64;
  const auto scratch = [&](bool read_later) {
    Builder b;
    const auto product = [&](const Atom& x, std::int64_t from, std::int64_t to) {
      ops::DotGeneral d;
      d.dims.lhs_contract = {2};
      d.dims.rhs_contract = {0};
      return Atom(b.add(ops::dot_general, Params(d), {x, b.input(f32({from, to}))}));
    };
    const Atom up = product(b.input(f32({examples, lines, narrow})), narrow, wide);
    const Atom down = product(b.add(ops::sin, {up}), wide, narrow);
    b.output(read_later ? product(b.add(ops::mul, {up, product(down, narrow, wide)}), wide, narrow) : down);
    const Plan plan = planned(b);
    std::int64_t bytes = 0;
    for (const compile::Stage& stage : plan.stages) bytes = std::max(bytes, stage.scratch_bytes);
    return bytes;
  };
  const std::int64_t bytes = lines * wide * 4;
  EXPECT_EQ(scratch(false), bytes);
  EXPECT_GE(scratch(true), 2 * bytes);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
