// A mean and the squared deviations from it are taken block by block where an array fits no cache.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/powers.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Mean and variance over the first dims; the mean with or without dims of one element.
Builder moments(Shape shape, int reduced, bool kept, bool power) {
  Builder b;
  const ValueId x = b.input(f32(shape));
  std::vector<int> axes;
  lax::Dims dims;
  Shape rest, ones = shape;
  std::int64_t n = 1;
  for (int d = 0; d < shape.ndim(); ++d)
    if (d < reduced) {
      axes.push_back(d);
      n *= shape[d];
      ones[d] = 1;
    } else {
      rest.push_back(shape[d]);
    }
  for (int d = kept ? 0 : reduced; d < shape.ndim(); ++d) dims.push_back(d);
  const Atom count(Scalar(static_cast<float>(n)), false);
  const ValueId sum = b.add(ops::reduce_sum, ops::Reduction{axes}, {x});
  const ValueId mean = b.add(ops::div, {kept ? b.add(ops::reshape, ops::Reshape{ones}, {sum}) : sum, count});
  const ValueId off = b.add(ops::sub, {x, b.add(ops::broadcast_in_dim, ops::BroadcastInDim{shape, dims}, {mean})});
  const ValueId square = power ? b.add(ops::integer_pow, ops::IntegerPow{2}, {off}) : b.add(ops::mul, {off, off});
  b.output(b.add(ops::div, {sum, count}));
  b.output(b.add(ops::div, {b.add(ops::reduce_sum, ops::Reduction{axes}, {square}), count}));
  return b;
}

std::vector<BufferPtr> run(const Builder& b, const BufferPtr& x) {
  const std::vector<BufferPtr> in{x};
  return backend("cpu").compile(on_one_device(b.program))->run(in);
}
float element(const BufferPtr& x, std::int64_t i) { return reinterpret_cast<const float*>(on_host(x).data())[i]; }

// Loops that read the array itself, and stages that they are in.
void expect_one_stage_reads(const Builder& b, bool one) {
  const compile::Plan plan = compile::compile(on_one_device(b.program), {});
  int stages = 0;
  for (const compile::Stage& stage : plan.stages) {
    bool reads = false;
    for (int i : stage.steps)
      if (const auto* l = std::get_if<compile::Loop>(&plan.steps[i].what))
        for (const compile::Access& a : l->accesses) reads |= a.storage == plan.inputs[0];
    stages += reads;
  }
  EXPECT_EQ(stages, one ? 1 : 2) << plan.str();
}

}  // namespace

TEST(Deviations, OneStageReadsTheArray) {
  struct Of {
    Shape shape;
    int reduced;
    bool one;
  };
  for (const Of& of : {Of{{4096, 1040}, 1, true}, Of{{64, 32, 40, 64}, 3, true}, Of{{6'000'000}, 1, true},
                       Of{{1024, 1024}, 1, false}, Of{{4099, 1040}, 1, false}, Of{{2'000'000, 5}, 1, false}})
    for (bool kept : {false, true}) {
      SCOPED_TRACE(of.shape.str());
      const Builder b = moments(of.shape, of.reduced, kept, kept);
      expect_one_stage_reads(b, of.one);
      std::mt19937 random(3);
      const Type t = f32(of.shape);
      const BufferPtr x = random_buffer(t, 999, 1001, random);  // a mean far from zero
      const std::vector<BufferPtr> got = run(b, x);
      const std::int64_t columns = b.program.type(b.program.outputs[0]).num_elements(),
                         rows = t.num_elements() / columns;
      for (std::int64_t c : {std::int64_t{0}, columns / 2, columns - 1}) {
        double mean = 0, squares = 0;
        for (std::int64_t r = 0; r < rows; ++r) mean += element(x, r * columns + c) / static_cast<double>(rows);
        for (std::int64_t r = 0; r < rows; ++r) squares += std::pow(element(x, r * columns + c) - mean, 2);
        EXPECT_NEAR(element(got[0], c), mean, 1e-3);
        EXPECT_NEAR(element(got[1], c), squares / static_cast<double>(rows), 2e-4);
      }
    }
}

// A column with an infinity has no variance; one whose sum overflows has an infinite one.
TEST(Deviations, OfWhatIsNotFinite) {
  const std::int64_t rows = 4096, columns = 1040;
  const Builder b = moments({rows, columns}, 1, true, true);
  std::mt19937 random(3);
  const BufferPtr x = random_buffer(f32({rows, columns}), -1, 1, random);
  auto* const at = reinterpret_cast<float*>(on_host(x).data());
  at[500 * columns] = kInfinity;
  at[500 * columns + 1] = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t r = 0; r < rows; ++r) at[r * columns + 2] = 1e38f;
  const std::vector<BufferPtr> got = run(b, x);
  EXPECT_EQ(element(got[0], 0), kInfinity);
  EXPECT_TRUE(std::isnan(element(got[1], 0)));
  EXPECT_TRUE(std::isnan(element(got[0], 1)) && std::isnan(element(got[1], 1)));
  EXPECT_EQ(element(got[0], 2), kInfinity);
  EXPECT_EQ(element(got[1], 2), kInfinity);
  EXPECT_TRUE(std::isfinite(element(got[1], 3)));
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
