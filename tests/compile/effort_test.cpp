// Twice the program is twice the work: counted, not timed.
#include "base/effort.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/trigonometric.hpp"

namespace tutti::test {
namespace {

using Make = std::function<Builder(int)>;

std::int64_t effort_of(const Make& make, int n) {
  const Builder b = make(n);
  const std::int64_t before = effort;
  compile::compile(on_one_device(b.program), std::vector<bool>(b.program.inputs.size(), true));
  return effort - before;
}

void grows_with_the_program(const Make& make) {
  const std::int64_t once = effort_of(make, 1000), twice = effort_of(make, 2000);
  EXPECT_GT(once, 0);
  EXPECT_LE(twice, once * 5 / 2) << once << " and " << twice;
}

Atom product(Builder& b, const Atom& x, const Atom& y) {
  ops::DotGeneral d;
  d.dims.lhs_contract = {1};
  d.dims.rhs_contract = {0};
  return b.add(ops::dot_general, Params(d), {x, y});
}

}  // namespace

TEST(effort, a_chain) {
  grows_with_the_program([](int n) {
    Builder b;
    const Atom x = b.input(f32({16}));
    Atom y = x;
    for (int i = 0; i < n; ++i) y = b.add(ops::add, {y, x});
    b.output(y);
    return b;
  });
}

// Forwards through products, and back: each value of the way forwards is read once more on the way back.
TEST(effort, layers_forwards_and_backwards) {
  grows_with_the_program([](int n) {
    Builder b;
    const Atom w = b.input(f32({8, 8}));
    std::vector<Atom> values{b.add(ops::sin, {b.input(f32({8, 8}))})};
    for (int i = 0; i < n; ++i) values.push_back(b.add(ops::sin, {product(b, values.back(), w)}));
    Atom back = values.back();
    for (int i = n; i-- > 0;) back = b.add(ops::mul, {product(b, back, w), values[i]});
    b.output(back);
    return b;
  });
}

TEST(effort, many_donated_inputs) {
  grows_with_the_program([](int n) {
    Builder b;
    std::vector<Atom> in;
    for (int i = 0; i < n; ++i) in.push_back(b.input(f32({16})));
    for (const Atom& x : in) b.output(b.add(ops::sin, {x}));
    return b;
  });
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
