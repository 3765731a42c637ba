// Which Eqns share a loop.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "compile/fuse.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/transpose.hpp"

namespace tutti::test {
namespace {

std::vector<std::size_t> sizes(const Program& p) {
  std::vector<std::size_t> out;
  for (const compile::Unit& u : compile::fuse(p).units) out.push_back(u.eqns.size());
  return out;
}
Atom matrix_product(Builder& b, const Atom& x, const Atom& y) {
  ops::DotGeneral d;
  d.dims.lhs_contract = {1};
  d.dims.rhs_contract = {0};
  return b.add(ops::dot_general, Params(d), {x, y});
}

}  // namespace

TEST(units, a_chain_is_one_loop) {
  Builder b;
  Atom x = b.input(f32({64, 64}));
  for (int i = 0; i < 20; ++i) x = b.add(ops::sin, {x});
  b.output(x);
  EXPECT_EQ(sizes(b.program), std::vector<std::size_t>{20});
}

TEST(units, what_goes_through_a_product_stays_apart) {
  Builder b;
  const Atom x = b.input(f32({64, 64}));
  const Atom y = b.add(ops::sin, {x});
  b.output(b.add(ops::add, {y, matrix_product(b, y, y)}));
  EXPECT_EQ(sizes(b.program), (std::vector<std::size_t>{1, 1, 1}));
}

// Of two ways from one unit to another the long one decides, however long.
TEST(units, a_long_way_round_through_products_is_found) {
  for (int n : {3, 30, 3000}) {
    Builder b;
    const Atom w = b.input(f32({8, 8}));
    Atom x = b.add(ops::sin, {b.input(f32({8, 8}))});
    const Atom first = x;
    for (int i = 0; i < n; ++i) x = b.add(ops::sin, {matrix_product(b, x, w)});
    b.output(b.add(ops::mul, {first, x}));
    const std::vector<std::size_t> got = sizes(b.program);
    EXPECT_EQ(got.size(), static_cast<std::size_t>(2 * n + 1));
    EXPECT_EQ(got.front(), 1u);
    EXPECT_EQ(got.back(), 2u);
  }
}

TEST(units, a_value_that_many_read_joins_where_nothing_is_in_the_way) {
  Builder b;
  const Atom x = b.add(ops::sin, {b.input(f32({64}))});
  std::vector<Atom> readers;
  for (int i = 0; i < 10; ++i) readers.push_back(b.add(ops::mul, {x, b.input(f32({64}))}));
  for (const Atom& r : readers) b.output(r);
  EXPECT_EQ(sizes(b.program), std::vector<std::size_t>{11});
}

// Random programs of loops and products: units never wait for each other in a circle (fuse would say so).
TEST(units, random_programs_have_an_order) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Builder b;
    std::vector<Atom> values{b.input(f32({8, 8})), b.input(f32({8, 8}))};
    auto any = [&] { return values[random() % values.size()]; };
    for (int i = 0; i < 60; ++i) {
      const unsigned kind = random() % 8;
      if (kind == 0)
        values.push_back(matrix_product(b, any(), any()));
      else if (kind == 1)
        values.push_back(b.add(ops::transpose, Params(ops::Transpose{{1, 0}}), {any()}));
      else if (kind < 5)
        values.push_back(b.add(ops::add, {any(), any()}));
      else
        values.push_back(b.add(ops::sin, {any()}));
    }
    for (int i = 0; i < 3; ++i) b.output(any());
    b.output(values.back());
    EXPECT_NO_THROW(compile::fuse(without_dead_code(b.program)));
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
