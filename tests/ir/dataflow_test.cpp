// Dataflow: what is made of what, also inside the bodies of loops and branches.
#include "ir/dataflow.hpp"

#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "regions/loops.hpp"

namespace tutti::test {
namespace {

ProgramPtr shared(const Builder& b) { return std::make_shared<Program>(b.program); }

// (a, b, x) -> (b, x + x, -a): the first carry is made of the second, the second of the slice.
ProgramPtr chain() {
  Builder b;
  const ValueId a = b.input(f32({})), second = b.input(f32({})), x = b.input(f32({}));
  b.output(second);
  b.output(b.add(ops::add, {x, x}));
  b.output(b.add(ops::neg, {a}));
  return shared(b);
}

}  // namespace

TEST(Dataflow, follows_operands_both_ways) {
  Builder b;
  const ValueId x = b.input(f32({})), y = b.input(f32({}));
  const ValueId sum = b.add(ops::add, {x, y}), other = b.add(ops::neg, {y});
  const Dataflow flow(b.program);
  EXPECT_EQ(flow.needed_for({Atom(other)}), (Dataflow::Marks{0, 1, 0, 1}));
  EXPECT_EQ(flow.made_of({x}), (Dataflow::Marks{1, 0, 1, 0}));
  EXPECT_EQ(flow.needed_for({Atom(sum)}, flow.made_of({x})), (Dataflow::Marks{1, 0, 1, 0}));
}

TEST(Dataflow, a_carry_that_is_fed_back_needs_what_its_step_needs) {
  const ProgramPtr body = chain();
  Dataflow flow(*body);
  const std::vector<ValueId>& in = body->inputs;
  EXPECT_FALSE(flow.needed_for({body->outputs[2]})[in[1]]);
  flow.feed_back(in[0], body->outputs[0]);
  flow.feed_back(in[1], body->outputs[1]);
  const Dataflow::Marks all = flow.needed_for({body->outputs[2]});
  EXPECT_TRUE(all[in[0]] && all[in[1]] && all[in[2]]);
  const Dataflow::Marks second = flow.needed_for({body->outputs[1]});
  EXPECT_TRUE(!second[in[0]] && !second[in[1]] && second[in[2]]);
}

TEST(Dataflow, results_of_a_loop_are_made_of_what_its_steps_make_them_of) {
  Builder b;
  const ValueId first = b.input(f32({})), second = b.input(f32({})), xs = b.input(f32({5}));
  const std::vector<ValueId> out =
      b.adds(ops::scan, ops::Scan{.length = 5, .consts = 0, .carries = 2}, {first, second, xs}, {chain()});
  const Dataflow flow(b.program);
  const Dataflow::Marks of_second = flow.needed_for({Atom(out[1])});
  EXPECT_TRUE(!of_second[first] && of_second[second] && of_second[xs]);
  const Dataflow::Marks of_ys = flow.needed_for({Atom(out[2])});
  EXPECT_TRUE(of_ys[first] && of_ys[second] && of_ys[xs]);
  const Dataflow::Marks from_first = flow.made_of({first});
  EXPECT_TRUE(from_first[out[0]] && !from_first[out[1]] && from_first[out[2]]);
}

TEST(Dataflow, every_result_of_a_branch_needs_its_number) {
  Builder left, right, b;
  for (Builder* branch : {&left, &right}) {
    const ValueId x = branch->input(f32({})), y = branch->input(f32({}));
    branch->output(branch == &left ? x : y);
    branch->output(y);
  }
  const ValueId number = b.input(Type{int32, {}, false, {}}), x = b.input(f32({})), y = b.input(f32({}));
  const std::vector<ValueId> out = b.adds(ops::cond, {}, {number, x, y}, {shared(left), shared(right)});
  const Dataflow flow(b.program);
  const Dataflow::Marks first = flow.needed_for({Atom(out[0])}), second = flow.needed_for({Atom(out[1])});
  EXPECT_TRUE(first[number] && first[x] && first[y]);
  EXPECT_TRUE(second[number] && !second[x] && second[y]);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
