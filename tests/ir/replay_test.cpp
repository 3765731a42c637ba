// replay: one walk, whatever the values are.
#include "ir/replay.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "backend/programs.hpp"
#include "ops/elementwise/arithmetic.hpp"

namespace tutti::test {
namespace {

// (x * x + x) - 1, and a value that nobody reads.
Builder polynomial() {
  Builder b;
  const ValueId x = b.input(f32({}));
  const ValueId square = b.add(ops::mul, {x, x});
  b.add(ops::neg, {square});
  const ValueId sum = b.add(ops::add, {square, x});
  b.output(b.add(ops::sub, {sum, Atom(Scalar(1.0f), false)}));
  return b;
}

}  // namespace

TEST(replay, with_numbers_computes) {
  const Builder b = polynomial();
  Environment<double> env(b.program, {3.0}, [](const Atom& a) { return a.literal.real; });
  const std::vector<double> out = replay(b.program, env, [](const Eqn& e, const std::vector<double>& x) {
    if (e.op == &ops::mul) return std::vector{x[0] * x[1]};
    if (e.op == &ops::neg) return std::vector{-x[0]};
    return std::vector{e.op == &ops::add ? x[0] + x[1] : x[0] - x[1]};
  });
  EXPECT_EQ(out, std::vector{11.0});
}

TEST(replay, with_text_writes_the_expression) {
  const Builder b = polynomial();
  Environment<std::string> env(b.program, {"x"}, [](const Atom&) { return std::string("1"); });
  const std::vector<std::string> out = replay(b.program, env, [](const Eqn& e, const std::vector<std::string>& x) {
    std::string text = e.op->name + "(";
    for (const std::string& operand : x) text += (text.back() == '(' ? "" : ",") + operand;
    return std::vector{text + ")"};
  });
  EXPECT_EQ(out, std::vector<std::string>{"sub(add(mul(x,x),x),1)"});
}

TEST(replay, drops_values_after_their_last_use) {
  using Token = std::shared_ptr<int>;
  const Builder b = polynomial();
  std::vector<std::weak_ptr<int>> made;
  std::vector<int> alive;  // before each Eqn, of the results so far
  Environment<Token> env(b.program, {std::make_shared<int>()}, [](const Atom&) { return std::make_shared<int>(); });
  auto count = [&] {
    int n = 0;
    for (const auto& token : made) n += !token.expired();
    return n;
  };
  const std::vector<Token> out = replay(b.program, env, [&](const Eqn&, std::vector<Token>) {
    alive.push_back(count());
    Token result = std::make_shared<int>();
    made.push_back(result);
    return std::vector{result};
  });
  EXPECT_EQ(alive, (std::vector{0, 1, 1, 1}));  // the square; not its negative, which nobody reads; the sum
  EXPECT_EQ(count(), 1);
}

TEST(replay, runs_each_step_under_its_own_line) {
  Builder b = polynomial();
  for (std::size_t i = 0; i < b.program.eqns.size(); ++i)
    b.program.eqns[i].loc = Loc{"train.cpp", "", static_cast<unsigned>(10 + i)};
  std::vector<unsigned> lines;
  Environment<int> env(b.program, {0}, [](const Atom&) { return 0; });
  replay(b.program, env, [&](const Eqn&, const std::vector<int>&) {
    lines.push_back(current_loc().line);
    return std::vector{0};
  });
  EXPECT_EQ(lines, (std::vector<unsigned>{10, 11, 12, 13}));
}

TEST(replay, refuses_another_number_of_values) {
  const Builder b = polynomial();
  auto none = [](const Atom&) { return 0; };
  EXPECT_THROW(Environment<int>(b.program, {1, 2}, none), InternalError);
  Environment<int> env(b.program, {1}, none);
  EXPECT_THROW(replay(b.program, env,
                      [](const Eqn&, const std::vector<int>&) {
                        return std::vector{1, 2};
                      }),
               InternalError);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
