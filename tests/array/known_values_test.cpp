// Which numbers a program says by itself, and which had better be computed when it runs.
#include "array/known_values.hpp"

#include <gtest/gtest.h>

#include "ops/contraction/dot_general.hpp"
#include "ops/movement/iota.hpp"

namespace tutti {
namespace {

// The product of a matrix n x n, whose rows count, with itself.
Program product_of_counts(std::int64_t n) {
  const Shape shape{n, n};
  Program p;
  auto add = [&](const Op& op, Params params, std::vector<Atom> operands) {
    std::vector<Type> types;
    for (const Atom& a : operands) types.push_back(p.type(a));
    Eqn e;
    e.op = &op;
    e.params = std::move(params);
    e.operands = std::move(operands);
    e.results = {static_cast<ValueId>(p.types.size())};
    p.types.push_back(infer_types(op, e.params, types, {})[0]);
    p.eqns.push_back(std::move(e));
    return p.eqns.back().results[0];
  };
  const ValueId counts = add(ops::iota, ops::Iota{int32, shape, 1}, {});
  p.outputs = {add(ops::dot_general, ops::DotGeneral{{{1}, {0}, {}, {}}, {}}, {counts, counts})};
  return p;
}

TEST(KnownValues, AreThoseOfFewSteps) {
  const Program small = product_of_counts(8), large = product_of_counts(600);
  KnownValues few(small, 1 << 20), many(large, 1 << 20);
  ASSERT_TRUE(few.knows(small.outputs[0].id));
  EXPECT_EQ(few.integers(small.outputs[0].id)[3], 3 * 28);
  EXPECT_TRUE(many.knows(large.eqns[0].results[0]));
  EXPECT_FALSE(many.knows(large.outputs[0].id)) << "plain loops would take seconds to multiply these";
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
