// Reductions that run in the loops of what they read: short dims and stacks are taken apart, places of extrema are two
// reductions, sums of the same values are one loop, and loops write where a copy is wanted.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/programs.hpp"
#include "compile/apart.hpp"
#include "compile/passes.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/powers.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/argmax.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::test {
namespace {

constexpr std::int64_t kPairPoints = 300;

compile::Plan fused_plan(const Builder& b) { return compile::compile(on_one_device(b.program), {}); }
std::int64_t calls_of(const compile::Plan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(),
                       [](const compile::Step& s) { return std::holds_alternative<compile::CallEqn>(s.what); });
}
std::int64_t reductions_of(const compile::Plan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(), [](const compile::Step& s) {
    const auto* l = std::get_if<compile::Loop>(&s.what);
    return l && std::any_of(l->accesses.begin(), l->accesses.end(),
                            [](const compile::Access& a) { return a.kind == compile::Access::Kind::reduce; });
  });
}
// The engine against eval.
void expect_same_meaning(const Program& p, double relative, double lo = -1, double hi = 1) {
  std::mt19937 random(5);
  std::vector<BufferPtr> in;
  for (ValueId v : p.inputs) in.push_back(random_buffer(p.types[v], lo, hi, random));
  const auto want = backend("reference").compile(on_one_device(p))->run(in),
             got = backend("cpu").compile(on_one_device(p))->run(in);
  for (std::size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(difference(p.type(p.outputs[k]), on_host(got[k]).data(), on_host(want[k]).data(), 4, relative, relative),
              "")

        << k << str(p);
}

// Forces of all pairs of points in three dimensions, on the first and on the second of each pair.
Builder forces(std::int64_t dims) {
  Builder b;
  const ValueId x = b.input(f32({kPairPoints, dims}));
  const Shape all{kPairPoints, kPairPoints, dims};
  const ValueId d = b.add(ops::sub, {b.add(ops::broadcast_in_dim, ops::BroadcastInDim{all, {0, 2}}, {x}),
                                     b.add(ops::broadcast_in_dim, ops::BroadcastInDim{all, {1, 2}}, {x})});
  const ValueId squared = b.add(ops::reduce_sum, ops::Reduction{{2}}, {b.add(ops::mul, {d, d})});
  const ValueId weight = b.add(ops::rsqrt, {b.add(ops::add, {squared, Atom(Scalar(1.f), false)})});
  const ValueId force = b.add(ops::mul, {b.add(ops::broadcast_in_dim, ops::BroadcastInDim{all, {0, 1}}, {weight}), d});
  b.output(b.add(ops::reduce_sum, ops::Reduction{{0}}, {b.add(ops::neg, {force})}));
  b.output(b.add(ops::reduce_sum, ops::Reduction{{1}}, {force}));
  return b;
}

}  // namespace

// Of the pairs only one number each is stored, for the sums in the other direction; each direction is one loop.
TEST(FusedReductions, PairsInThreeDimensionsAreLoopsOverPairs) {
  const Builder b = forces(3);
  const compile::Plan plan = fused_plan(b);
  std::int64_t large = 0;
  for (const compile::Storage& s : plan.storages) {
    EXPECT_LE(s.bytes, kPairPoints * kPairPoints * 4) << plan.str();
    large += s.bytes == kPairPoints * kPairPoints * 4;
  }
  EXPECT_EQ(large, 1) << plan.str();
  expect_same_meaning(b.program, 1e-4);
  expect_same_meaning(forces(2).program, 1e-4);
  expect_same_meaning(forces(5).program, 1e-4);  // not taken apart
}

// What somebody needs whole stays whole.
TEST(FusedReductions, ShortDimsThatOthersReadStay) {
  Builder b;
  const ValueId x = b.input(f32({1 << 16, 3})), y = b.add(ops::tanh, {x});
  b.output(b.add(ops::reduce_sum, ops::Reduction{{1}}, {y}));
  b.output(y);
  EXPECT_EQ(compile::take_apart(b.program).eqns.size(), b.program.eqns.size());
  expect_same_meaning(b.program, 1e-6);
}

// Coordinates that readers take one by one, or two of three, are made by them: no loop has rows of three, and what all
// three need is made once for each.
TEST(FusedReductions, BoxesOfShortDimsAreMadeWhereTheyAreRead) {
  for (const bool stacked : {false, true}) {
    Builder b;
    const std::int64_t n = 1 << 12;
    const ValueId x = b.input(f32({n, 3})), shift = b.input(f32({n, 3}));
    ValueId y = b.add(ops::mul, {x, x});
    if (stacked) {
      std::vector<Atom> turned;
      for (std::int64_t k : {1, 2, 0})
        turned.push_back(b.add(ops::slice, ops::SliceParams{{0, k}, {n, k + 1}, {1, 1}}, {x}));
      y = b.add(ops::concatenate, ops::Concatenate{1}, turned);
    }
    const ValueId seen = b.add(ops::add, {y, shift});
    const ValueId flat = b.add(ops::slice, ops::SliceParams{{0, 0}, {n, 2}, {1, 1}}, {seen});
    const ValueId depth = b.add(ops::slice, ops::SliceParams{{0, 2}, {n, 3}, {1, 1}}, {seen});
    b.output(b.add(ops::mul, {flat, b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{n, 2}, {0, 1}},
                                          {b.add(ops::tanh, {depth})})}));
    const compile::Plan plan = fused_plan(b);
    for (const compile::Storage& s : plan.storages)
      EXPECT_TRUE(s.kind == compile::Storage::Kind::input || s.bytes <= 2 * n * 4) << plan.str();
    expect_same_meaning(b.program, 1e-6);
  }
}

TEST(FusedReductions, OfShortDims) {
  for (const Op* op : {&static_cast<const Op&>(ops::reduce_sum), &static_cast<const Op&>(ops::reduce_prod),
                       &static_cast<const Op&>(ops::reduce_max), &static_cast<const Op&>(ops::reduce_min)})
    for (int axis : {0, 1}) {
      Builder b;
      const Shape shape = axis == 0 ? Shape{4, 1 << 14} : Shape{1 << 14, 4};
      const ValueId x = b.input(f32(shape)), y = b.add(ops::mul, {x, x});
      b.output(b.add(ops::sqrt, {b.add(*op, ops::Reduction{{axis}}, {y})}));
      EXPECT_EQ(reductions_of(fused_plan(b)), 0) << fused_plan(b).str();
      expect_same_meaning(b.program, 1e-6);
    }
  Builder b;  // a sum of negative zeros is zero
  const ValueId x = b.input(f32({1 << 14, 3}));
  b.output(b.add(ops::reduce_sum, ops::Reduction{{1}}, {b.add(ops::mul, {x, Atom(Scalar(-0.f), false)})}));
  const auto exe = backend("cpu").compile(on_one_device(b.program));
  auto in = allocate_buffer((1 << 14) * 3 * 4);
  std::fill_n(reinterpret_cast<float*>(on_host(in).data()), (1 << 14) * 3, 1.f);
  const std::vector<BufferPtr> inputs{in};
  const auto out = exe->run(inputs);
  EXPECT_FALSE(std::signbit(reinterpret_cast<const float*>(on_host(out[0]).data())[7]));
}

// The arrays of a stack are added up where they are made, and those of the result made where they lie.
TEST(FusedReductions, StacksAreReadAndWrittenInPlace) {
  Builder b;
  const Shape plane{1, 200, 200};
  const ValueId x = b.input(f32({2, 200, 200}));
  auto part = [&](std::int64_t k) {
    return b.add(ops::slice, ops::SliceParams{{k, 0, 0}, {k + 1, 200, 200}, {1, 1, 1}}, {x});
  };
  std::vector<Atom> made;
  for (std::int64_t k : {0, 1, 0}) made.push_back(b.add(ops::tanh, {part(k)}));
  made[2] = b.add(ops::mul, {made[2], made[1]});
  const ValueId all = b.add(ops::concatenate, ops::Concatenate{0}, made);
  const ValueId sum = b.add(ops::reduce_sum, ops::Reduction{{0}}, {all});
  std::vector<Atom> out;
  for (const Atom& a : made) out.push_back(b.add(ops::mul, {a, b.add(ops::reshape, ops::Reshape{plane}, {sum})}));
  b.output(b.add(ops::concatenate, ops::Concatenate{0}, out));
  const compile::Plan plan = fused_plan(b);
  EXPECT_EQ(plan.steps.size(), 1u) << plan.str();
  EXPECT_EQ(plan.slab_bytes, 0) << plan.str();
  expect_same_meaning(b.program, 1e-6);
}

// A donated input is not written before it has been read.
TEST(FusedReductions, StacksInDonatedMemory) {
  Builder b;
  const std::int64_t n = 1 << 15;
  const ValueId x = b.input(f32({2, n}));
  auto part = [&](std::int64_t k) { return b.add(ops::slice, ops::SliceParams{{k, 0}, {k + 1, n}, {1, 1}}, {x}); };
  const ValueId low = part(0), high = part(1);
  b.output(b.add(ops::concatenate, ops::Concatenate{0}, {b.add(ops::neg, {high}), b.add(ops::tanh, {low})}));
  std::mt19937 random(5);
  const std::vector<BufferPtr> in{random_buffer(b.program.types[x], -1, 1, random)};
  const auto want = backend("reference").compile(on_one_device(b.program))->run(in);
  const bool donated[] = {true};
  const auto got = backend("cpu").compile(on_one_device(b.program), {true})->run(in, donated);
  EXPECT_EQ(difference(f32({2, n}), on_host(got[0]).data(), on_host(want[0]).data(), 4), "");
}

TEST(FusedReductions, PlacesOfExtremaAreLoops) {
  for (const Op* op : {&static_cast<const Op&>(ops::argmax), &static_cast<const Op&>(ops::argmin)})
    for (DType dtype : {float32, int32, uint8, bfloat16})
      for (int axis : {0, 1, 2}) {
        Builder b;
        const ValueId x = b.input(Type{dtype, Shape{20, 30, 40}, false, {}});
        b.output(b.add(*op, ops::ArgReduction{axis, int32}, {x}));
        EXPECT_EQ(calls_of(fused_plan(b)), 0);
        expect_same_meaning(b.program, 0, 0, 9);  // with many equal ones
      }
}

TEST(FusedReductions, TheFirstNanIsTheExtremum) {
  Builder b;
  const ValueId x = b.input(f32({64, 100}));
  b.output(b.add(ops::argmax, ops::ArgReduction{1, int32}, {x}));
  b.output(b.add(ops::argmin, ops::ArgReduction{1, int32}, {x}));
  std::mt19937 random(3);
  auto in = random_buffer(b.program.types[x], -1, 1, random);
  auto* values = reinterpret_cast<float*>(on_host(in).data());
  values[130] = values[170] = NAN;
  for (int i = 200; i < 300; ++i) values[i] = i % 2 ? INFINITY : -INFINITY;
  for (int i = 300; i < 400; ++i) values[i] = i % 2 ? 0.f : -0.f;
  for (int i = 400; i < 500; ++i) values[i] = -INFINITY;
  const std::vector<BufferPtr> inputs{in};
  const auto got = backend("cpu").compile(on_one_device(b.program))->run(inputs);
  for (int k : {0, 1}) {
    const auto* place = reinterpret_cast<const std::int32_t*>(on_host(got[static_cast<std::size_t>(k)]).data());
    EXPECT_EQ(place[1], 30);
    EXPECT_EQ(place[2], k == 0 ? 1 : 0);
    EXPECT_EQ(place[3], 0);
    EXPECT_EQ(place[4], 0);
  }
}

// Sums of what is made of the same large value.
TEST(FusedReductions, OfTheSameValueAreOneLoop) {
  Builder b;
  const ValueId x = b.input(f32({600, 600}));
  b.output(b.add(ops::reduce_sum, ops::Reduction{{1}}, {x}));
  b.output(b.add(ops::reduce_max, ops::Reduction{{1}}, {b.add(ops::mul, {x, x})}));
  EXPECT_EQ(reductions_of(fused_plan(b)), 1) << fused_plan(b).str();
  expect_same_meaning(b.program, 1e-5);
}

// Distances to a few centres are quickly made again where the place of the least one is looked for.
TEST(FusedReductions, TheNearestOfAFewCentresNeedsNoDistances) {
  constexpr std::int64_t kMany = 20000, kFewCentres = 8;
  Builder b;
  const Shape all{kMany, kFewCentres, 3};
  const ValueId x = b.input(f32({kMany, 3})), c = b.input(f32({kFewCentres, 3}));
  const ValueId d = b.add(ops::sub, {b.add(ops::broadcast_in_dim, ops::BroadcastInDim{all, {0, 2}}, {x}),
                                     b.add(ops::broadcast_in_dim, ops::BroadcastInDim{all, {1, 2}}, {c})});
  const ValueId distance = b.add(ops::reduce_sum, ops::Reduction{{2}}, {b.add(ops::mul, {d, d})});
  b.output(b.add(ops::argmin, ops::ArgReduction{1, int32}, {distance}));
  for (const compile::Storage& s : fused_plan(b).storages) EXPECT_LT(s.bytes, kMany * kFewCentres * 4);
  expect_same_meaning(b.program, 0);
}

// Rows that are reduced sixteen at a time: of every length up to eight vectors, whole or not, some rows left over.
TEST(FusedReductions, OfManyShortRows) {
  for (DType dtype : {float32, bfloat16, int32})
    for (std::int64_t columns : {9, 16, 17, 31, 32, 40, 64, 100, 128, 130})
      for (std::int64_t rows : {16, 37, 3000}) {
        Builder b;
        const ValueId x = b.input(Type{dtype, Shape{rows, columns}, false, {}});
        b.output(b.add(ops::reduce_sum, ops::Reduction{{1}}, {x}));
        b.output(b.add(ops::reduce_max, ops::Reduction{{1}}, {b.add(ops::neg, {x})}));
        b.output(b.add(ops::reduce_min, ops::Reduction{{1}}, {x}));
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
        expect_same_meaning(b.program, dtype == bfloat16 ? 4e-3 : 1e-5, -3, 5);
      }
}

// The same bits as rows that stand alone: the tree of a row depends on its length only.
TEST(FusedReductions, ShortRowsAddUpAsSingleOnes) {
  constexpr std::int64_t kRows = 40, kColumns = 75;
  auto sums = [](std::int64_t rows, const std::vector<BufferPtr>& in) {
    Builder b;
    b.output(b.add(ops::reduce_sum, ops::Reduction{{1}}, {b.input(f32({rows, kColumns}))}));
    return backend("cpu").compile(on_one_device(b.program))->run(in)[0];
  };
  std::mt19937 random(5);
  const BufferPtr all = random_buffer(f32({kRows, kColumns}), -1, 1, random);
  const BufferPtr together = sums(kRows, {all});
  for (std::int64_t r = 0; r < kRows; ++r) {
    const HostPtr one = allocate_buffer(kColumns * 4);
    std::memcpy(one->data(), reinterpret_cast<const float*>(on_host(all).data()) + r * kColumns, kColumns * 4);
    EXPECT_EQ(reinterpret_cast<const float*>(on_host(sums(1, {one})).data())[0],
              reinterpret_cast<const float*>(on_host(together).data())[r]);
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
