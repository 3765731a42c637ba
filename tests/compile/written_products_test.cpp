// Products that write parts of an array, and products of which a mask throws elements away.
#include <gtest/gtest.h>

#include <limits>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/small_product.hpp"
#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/transpose.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::test {
namespace {

constexpr std::int64_t kExamples = 2, kHeads = 3, kHeadSize = 32;

std::vector<BufferPtr> inputs_of_products(const Builder& b) {
  std::mt19937 random(5);
  std::vector<BufferPtr> in;
  for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -2, 2, random));
  return in;
}
void computes_as_reference(const Builder& b, const std::vector<BufferPtr>& in) {
  const auto want = backend("reference").compile(on_one_device(b.program))->run(in),
             got = backend("cpu").compile(on_one_device(b.program))->run(in);
  for (std::size_t r = 0; r < got.size(); ++r)
    EXPECT_EQ(difference(b.program.type(b.program.outputs[r]), on_host(got[r]).data(), on_host(want[r]).data(), 2, 1e-5,
                         1e-5),
              "");
}
std::string text_of_plan(const Builder& b) { return compile::compile(on_one_device(b.program), {}).str(); }

// max over keys of where(mask, queries keys / 2, -1); inputs: queries, keys, mask [size, size] or one for each example.
Builder masked_logits(std::int64_t size, bool per_example, bool turned, bool swapped) {
  Builder b;
  const ValueId q = b.input(f32({kExamples, kHeads, size, kHeadSize})),
                k = b.input(f32(turned ? Shape{kExamples, kHeads, size, kHeadSize}
                                       : Shape{kExamples, kHeads, kHeadSize, size})),
                mask = b.input(Type{bool_, per_example ? Shape{kExamples, size, size} : Shape{size, size}, false, {}});
  const ValueId logits =
      b.add(ops::mul, {b.add(ops::dot_general, ops::DotGeneral{{{3}, {turned ? 3 : 2}, {0, 1}, {0, 1}}, {}}, {q, k}),
                       Atom(Scalar(.5f), false)});
  const ValueId wide =
      b.add(ops::broadcast_in_dim,
            ops::BroadcastInDim{b.shape(logits).dims(), per_example ? lax::Dims{0, 2, 3} : lax::Dims{2, 3}}, {mask});
  const Atom other(Scalar(-1.f), false);
  const ValueId seen = swapped ? b.add(ops::select, {wide, other, logits}) : b.add(ops::select, {wide, logits, other});
  b.output(b.add(ops::reduce_max, ops::Reduction{{3}}, {seen}));
  return b;
}

}  // namespace

TEST(MaskedProducts, KnowTheirMask) {
  using Pattern = bool (*)(std::int64_t, std::int64_t);
  const Pattern patterns[] = {[](std::int64_t i, std::int64_t j) { return j <= i; },
                              [](std::int64_t i, std::int64_t j) { return j > i + 40; },
                              [](std::int64_t i, std::int64_t j) { return i > 20 && j >= 17 && j < 60; },
                              [](std::int64_t i, std::int64_t j) { return (i * 7 + j * 13) % 5 == 0; },
                              [](std::int64_t, std::int64_t) { return false; }};
  for (std::int64_t size : {64, 70, 144})
    for (int way = 0; way < 8; ++way)
      for (Pattern pattern : patterns) {
        SCOPED_TRACE(std::to_string(size) + " way " + std::to_string(way));
        const bool per_example = way & 1, turned = way & 2, swapped = way & 4;
        const Builder b = masked_logits(size, per_example, turned, swapped);
        EXPECT_NE(text_of_plan(b).find(swapped ? " where not m" : " where m"), std::string::npos) << text_of_plan(b);
        std::vector<BufferPtr> in = inputs_of_products(b);
        auto* mask = static_cast<bool*>(on_host(in[2]).data());
        for (std::int64_t e = 0; e < (per_example ? kExamples : 1); ++e)
          for (std::int64_t i = 0; i < size; ++i)
            for (std::int64_t j = 0; j < size; ++j) mask[(e * size + i) * size + j] = pattern(i + 16 * e, j) != swapped;
        computes_as_reference(b, in);
        static_cast<float*>(on_host(in[1]).data())[60] = std::numeric_limits<float>::quiet_NaN();
        computes_as_reference(b, in);
      }
}

TEST(MaskedProducts, AreWholeWhereSomebodyElseLooks) {
  Builder b = masked_logits(64, false, true, false);
  b.output(b.program.eqns[0].results[0]);
  EXPECT_EQ(text_of_plan(b).find(" where "), std::string::npos) << text_of_plan(b);
  computes_as_reference(b, inputs_of_products(b));

  Builder sum;  // what the mask hides is added elsewhere
  const ValueId x = sum.input(f32({64, 64})), mask = sum.input(Type{bool_, {64, 64}, false, {}}),
                z = sum.add(ops::dot_general, ops::DotGeneral{{{1}, {0}, {}, {}}, {}}, {x, x});
  sum.output(sum.add(ops::add, {sum.add(ops::select, {mask, z, x}), z}));
  EXPECT_EQ(text_of_plan(sum).find(" where "), std::string::npos) << text_of_plan(sum);
  computes_as_reference(sum, inputs_of_products(sum));
}

// A program may make the mask behind the product: then it is made before.
TEST(MaskedProducts, KnowAMaskThatIsMadeLater) {
  Builder b;
  const ValueId x = b.input(f32({2, 64, 32})), positions = b.input(f32({64})),
                z = b.add(ops::dot_general, ops::DotGeneral{{{2}, {2}, {0}, {0}}, {}}, {x, x}),
                rows = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{64, 64}, {0}}, {positions}),
                columns = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{64, 64}, {1}}, {positions}),
                mask = b.add(ops::ge, {rows, columns}),
                wide = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{2, 64, 64}, {1, 2}}, {mask}),
                seen = b.add(ops::select, {wide, z, Atom(Scalar(-1.f), false)});
  b.output(b.add(ops::reduce_max, ops::Reduction{{2}}, {seen}));
  b.output(mask);
  EXPECT_NE(text_of_plan(b).find(" where m"), std::string::npos) << text_of_plan(b);
  computes_as_reference(b, inputs_of_products(b));
}

TEST(MaskedProducts, LeaveBlocksAsTheyAre) {
  if (cpu::isa() != cpu::Isa::avx512) GTEST_SKIP() << "without 512-bit instructions everything is computed";
  constexpr std::int64_t size = 128;
  std::vector<float> x(size * kHeadSize, 1), c(size * size, -7);
  std::vector<std::uint8_t> mask(size * size);
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j) mask[static_cast<std::size_t>(i * size + j)] = j <= i;
  const cpu::Seen seen{mask.data(), size, true};
  ASSERT_TRUE(cpu::small_product(size, size, kHeadSize, {x.data(), kHeadSize, 1}, {x.data(), 1, kHeadSize}, c.data(),
                                 size, cpu::Sums::plain, &seen));
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j) {
      const float value = c[static_cast<std::size_t>(i * size + j)];
      if (j <= i) {
        EXPECT_EQ(value, kHeadSize);
      }
      if (j > i + 24) {
        EXPECT_EQ(value, -7);
      }
    }
}

// The gradient of what was split: each part is a product, with zeros added where the other parts are.
TEST(ProductsOfParts, AreWrittenWhereTheyBelong) {
  Builder b;
  ValueId sum = -1;
  for (std::int64_t part = 0; part < 3; ++part) {
    const ValueId x = b.input(f32({40, 24})), y = b.input(f32({24, 32})),
                  z = b.add(ops::dot_general, ops::DotGeneral{{{1}, {0}, {}, {}}, {}}, {x, y}),
                  wide = b.add(ops::pad, ops::Pad{{{}, {32 * part, 64 - 32 * part, 0}}}, {z, Atom(Scalar(0.f), false)});
    sum = part ? b.add(ops::add, {sum, wide}) : wide;
  }
  b.output(sum);
  const compile::Plan plan = compile::compile(on_one_device(b.program), {});
  EXPECT_EQ(plan.steps.size(), 3u) << plan.str();
  std::vector<BufferPtr> in = inputs_of_products(b);
  computes_as_reference(b, in);
  // Products that vanish below 0 leave +0, as sums with 0 do.
  for (std::size_t k = 0; k < in.size(); ++k)
    for (std::int64_t i = 0; i < b.program.types[b.program.inputs[k]].num_elements(); ++i)
      static_cast<float*>(on_host(in[k]).data())[i] = k % 2 ? 1e-30f : -1e-30f;
  const auto got = backend("cpu").compile(on_one_device(b.program))->run(in);
  for (std::int64_t i = 0; i < 40 * 96; ++i) EXPECT_FALSE(std::signbit(static_cast<float*>(on_host(got[0]).data())[i]));
}

// A copy of the whole array is not one of the part that a product makes.
TEST(ProductsOfParts, StayWhereTheWholeIsCopied) {
  Builder b;
  const ValueId x = b.input(f32({40, 24})), y = b.input(f32({24, 32})), other = b.input(f32({40, 32}));
  const ValueId z = b.add(ops::dot_general, ops::DotGeneral{{{1}, {0}, {}, {}}, {}}, {x, y});
  const Atom zero(Scalar(0.f), false);
  const ValueId both = b.add(ops::add, {b.add(ops::pad, ops::Pad{{{}, {0, 32, 0}}}, {z, zero}),
                                        b.add(ops::pad, ops::Pad{{{}, {32, 0, 0}}}, {other, zero})});
  b.output(b.add(ops::transpose, ops::Transpose{{1, 0, 2}}, {b.add(ops::reshape, ops::Reshape{{40, 4, 16}}, {both})}));
  computes_as_reference(b, inputs_of_products(b));
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
