// ProgramIndex: what it says is what a search through the Program finds.
#include "ir/index.hpp"

#include <gtest/gtest.h>

#include <random>

#include "backend/programs.hpp"
#include "ops/elementwise/arithmetic.hpp"

namespace tutti::test {
namespace {

using Uses = std::vector<ProgramIndex::Use>;

Uses uses(const ProgramIndex& index, ValueId v) { return {index.uses(v).begin(), index.uses(v).end()}; }

}  // namespace

TEST(ProgramIndex, names_producers_uses_and_last_uses) {
  Builder b;
  const ValueId x = b.input(f32({3})), unread = b.input(f32({3}));
  const ValueId square = b.add(ops::mul, {x, x});
  const ValueId sum = b.add(ops::add, {square, x});
  const ValueId dead = b.add(ops::neg, {square});
  b.output(sum);
  b.output(sum);
  const ProgramIndex index(b.program);

  EXPECT_EQ(index.producer(x), -1);
  EXPECT_EQ(index.producer(sum), 1);
  EXPECT_EQ(index.input(unread), 1);
  EXPECT_EQ(index.input(sum), -1);

  EXPECT_EQ(uses(index, x), (Uses{{0, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(uses(index, square), (Uses{{1, 0}, {2, 0}}));
  EXPECT_EQ(uses(index, dead), Uses());
  EXPECT_EQ(index.use_count(x), 3);
  EXPECT_EQ(index.use_count(sum), 2);
  EXPECT_EQ(index.output_count(sum), 2);

  EXPECT_EQ(index.last_use(x), 1);
  EXPECT_EQ(index.last_use(square), 2);
  EXPECT_EQ(index.last_use(sum), 3);  // an output lives to the end
  EXPECT_EQ(index.last_use(dead), -1);
  EXPECT_FALSE(index.is_read(dead));
  EXPECT_TRUE(index.is_output(sum));
  EXPECT_FALSE(index.is_output(square));
}

TEST(ProgramIndex, literals_are_no_values) {
  Builder b;
  const ValueId x = b.input(f32({}));
  b.output(b.add(ops::add, {Atom(Scalar(1.0f), false), x}));
  b.output(Atom(Scalar(2.0f), false));
  const ProgramIndex index(b.program);
  EXPECT_EQ(uses(index, x), (Uses{{0, 1}}));
}

TEST(ProgramIndex, agrees_with_a_search_on_random_programs) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Builder b;
    b.input(f32({2}));
    b.input(f32({2}));
    auto any = [&] { return Atom(static_cast<ValueId>(random() % b.program.types.size())); };
    for (int i = 0; i < 20; ++i) {
      if (random() % 3 == 0)
        b.add(ops::neg, {any()});
      else
        b.add(ops::add, {any(), any()});
    }
    for (int i = 0; i < 3; ++i) b.output(any());
    const Program& p = b.program;
    const ProgramIndex index(p);
    for (ValueId v = 0; v < static_cast<int>(p.types.size()); ++v) {
      Uses found;
      int producer = -1, outputs = 0;
      for (int i = 0; i < static_cast<int>(p.eqns.size()); ++i) {
        for (int k = 0; k < static_cast<int>(p.eqns[i].operands.size()); ++k)
          if (p.eqns[i].operands[k] == Atom(v)) found.push_back({i, k});
        if (p.eqns[i].results[0] == v) producer = i;
      }
      for (const Atom& a : p.outputs) outputs += a == Atom(v);
      const int last = outputs > 0 ? 20 : found.empty() ? -1 : found.back().eqn;
      EXPECT_EQ(uses(index, v), found);
      EXPECT_EQ(index.producer(v), producer);
      EXPECT_EQ(index.output_count(v), outputs);
      EXPECT_EQ(index.last_use(v), last);
    }
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
