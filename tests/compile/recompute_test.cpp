// What is made again instead of being stored, and what is not.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/transpose.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::test {
namespace {

constexpr std::int64_t kSize = 200;

ValueId product(Builder& b, ValueId x, ValueId y) {
  return b.add(ops::dot_general, ops::DotGeneral{{{1}, {0}, {}, {}}, {}}, {x, y});
}
std::int64_t count(const Program& p, const Op& op) {
  return std::count_if(p.eqns.begin(), p.eqns.end(), [&](const Eqn& e) { return e.op == &op; });
}
void keeps_bits(const Builder& b) {
  std::mt19937 random(3);
  const Program& p = b.program;
  const Program again = compile::recompute(p);
  std::vector<BufferPtr> in;
  for (ValueId v : p.inputs) in.push_back(random_buffer(p.types[v], -1, 1, random));
  const auto want = backend("reference").compile(on_one_device(p))->run(in),
             got = backend("reference").compile(on_one_device(again))->run(in);
  for (std::size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(difference(p.type(p.outputs[k]), on_host(got[k]).data(), on_host(want[k]).data(), 0), "");
}

}  // namespace

// Two loops need x x and 1 + x x, and between them stands a product: both make it of x, which is in memory.
TEST(Recompute, WhatIsQuicklyMadeOfOneValue) {
  Builder b;
  const ValueId x = b.input(f32({kSize, kSize})), square = b.add(ops::mul, {x, x}),
                more = b.add(ops::add, {square, Atom(Scalar(1.f), false)}), s = b.add(ops::tanh, {more});
  b.output(b.add(ops::add, {b.add(ops::mul, {product(b, s, s), more}), square}));
  const Program again = compile::recompute(b.program);
  EXPECT_EQ(count(again, ops::mul), 3) << str(again);
  for (const compile::Unit& u : compile::fuse(again).units)
    EXPECT_EQ(u.stores.size(), u.kind == compile::Unit::Kind::loop) << str(again);
  keeps_bits(b);
}

// Of a large value and one number of each row.
TEST(Recompute, WhatNeedsLittleMore) {
  Builder b;
  const ValueId x = b.input(f32({kSize, kSize})), mean = b.add(ops::reduce_sum, ops::Reduction{{1}}, {x}),
                wide = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{kSize, kSize}, {0}}, {mean}),
                centred = b.add(ops::sub, {x, wide});
  b.output(b.add(ops::mul, {product(b, b.add(ops::tanh, {centred}), x), centred}));
  EXPECT_EQ(count(compile::recompute(b.program), ops::sub), 2);
  keeps_bits(b);
}

TEST(Recompute, NotWhatIsSlowOrReadsMoreOrIsReadOtherwise) {
  for (int what : {0, 1, 2, 3}) {
    Builder b;
    const std::int64_t n = what == 3 ? 20 : kSize;  // 3: it is small
    const ValueId x = b.input(f32({n, n})), y = b.input(f32({n, n}));
    const ValueId v = what == 0 ? b.add(ops::tanh, {x}) : b.add(ops::mul, {x, what == 1 ? y : x});
    const ValueId read = what == 2 ? b.add(ops::transpose, Params(ops::Transpose{{1, 0}}), {v}) : v;
    const ValueId z = product(b, b.add(ops::add, {v, x}), y);
    b.output(b.add(ops::add, {z, read}));
    EXPECT_EQ(compile::recompute(b.program).eqns.size(), b.program.eqns.size()) << what;
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
