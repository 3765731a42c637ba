// What stands in the function of a whole loop: small products, and places of extrema.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "backend/cpu/loop_products.hpp"
#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/reduction/argmax.hpp"
#include "ops/reduction/reduce.hpp"
#include "regions/loops.hpp"

namespace tutti::test {
namespace {

// Steps of the bodies of a program's loops: products, others that are no loop nests.
struct BodySteps {
  int products = 0, others = 0;
};
BodySteps steps_of_bodies(const Program& p) {
  BodySteps out;
  for (const compile::Step& step : compile::compile(on_one_device(p), {}).steps)
    if (const auto* r = std::get_if<compile::Repeat>(&step.what))
      for (const compile::Step& inner : r->body->steps) {
        out.products += std::holds_alternative<compile::Dot>(inner.what);
        out.others += !cpu::nest_of(inner).has_value();
      }
  return out;
}

std::vector<BufferPtr> inputs_of_loops(const Program& p, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BufferPtr> in;
  for (const Type& t : p.input_types()) in.push_back(random_buffer(t, -2, 2, random));
  return in;
}
void loops_agree(const Program& p, const std::vector<BufferPtr>& in, double ulps, double tolerance) {
  const auto want = backend("reference").compile(on_one_device(p))->run(in),
             got = backend("cpu").compile(on_one_device(p))->run(in);
  for (std::size_t r = 0; r < got.size(); ++r)
    EXPECT_EQ(
        difference(p.type(p.outputs[r]), on_host(got[r]).data(), on_host(want[r]).data(), ulps, tolerance, tolerance),
        "");
}

// c = tanh(c) + x y in each of three steps, `batch` products at a time, each operand as it is or transposed.
Program products_in_steps(DType dtype, lax::Dims mnk, std::int64_t batch, int order) {
  const std::int64_t m = mnk[0], n = mnk[1], k = mnk[2];
  const bool turn_x = order & 1, turn_y = order & 2;
  auto shape = [&](std::int64_t a, std::int64_t b, bool stack) {
    std::vector<std::int64_t> dims;
    if (stack) dims.push_back(3);
    if (batch > 1) dims.push_back(batch);
    dims.insert(dims.end(), {a, b});
    return Type{dtype, Shape(dims), false, {}};
  };
  auto x = [&](bool stack) { return turn_x ? shape(k, m, stack) : shape(m, k, stack); };
  auto y = [&](bool stack) { return turn_y ? shape(n, k, stack) : shape(k, n, stack); };
  const int first = batch > 1;
  ops::DotGeneral d;
  d.dims.lhs_contract = {first + !turn_x};
  d.dims.rhs_contract = {first + turn_y};
  if (first) d.dims.lhs_batch = d.dims.rhs_batch = {0};
  Builder body;
  const ValueId c = body.input(shape(m, n, false)), left = body.input(x(false)), right = body.input(y(false));
  body.output(body.add(ops::add, {body.add(ops::tanh, {c}), body.add(ops::dot_general, Params(d), {left, right})}));
  Builder b;
  const Atom start = b.input(shape(m, n, false)), xs = b.input(x(true)), ys = b.input(y(true));
  b.output(b.adds(ops::scan, ops::Scan{.length = 3, .carries = 1}, {start, xs, ys},
                  {std::make_shared<Program>(body.program)})[0]);
  return b.program;
}

}  // namespace

TEST(LoopBodies, HoldSmallProducts) {
  const bool before = x64_enabled();
  enable_x64(true);
  int products = 0;  // some are elementwise loops from the start
  for (const lax::Dims& mnk : {lax::Dims{4, 4, 4}, {1, 6, 3}, {5, 1, 7}, {3, 17, 2}, {1, 1, 9}, {2, 3, 1}, {2, 3, 2}})
    for (std::int64_t batch : {1, 3, 100})
      for (int order = 0; order < 4; ++order)
        for (DType dtype : {float32, float64}) {
          const Program p = products_in_steps(dtype, mnk, batch, order);
          SCOPED_TRACE(str(p));
          const BodySteps steps = steps_of_bodies(p);
          products += steps.products;
          EXPECT_EQ(steps.others, 0);
          loops_agree(p, inputs_of_loops(p, 7), 4, 1e-5);
        }
  EXPECT_GT(products, 100);
  enable_x64(before);
}

TEST(LoopBodies, LeaveLargeProductsToTheirKernels) {
  const Program p = products_in_steps(float32, {16, 16, 16}, 1, 0);
  EXPECT_EQ(steps_of_bodies(p).others, 1);
  loops_agree(p, inputs_of_loops(p, 7), 4, 1e-5);
}

// The best way to each of some states, and where it comes from: of equal ones the first, of NaNs the first NaN.
TEST(LoopBodies, HoldPlacesOfExtrema) {
  constexpr std::int64_t kStates = 8, kLength = 6;
  for (const Op* place : {static_cast<const Op*>(&static_cast<const Op&>(ops::argmax)),
                          static_cast<const Op*>(&static_cast<const Op&>(ops::argmin))}) {
    Builder body;
    const ValueId s = body.input(f32({kStates})), x = body.input(f32({kStates, kStates})),
                  all =
                      body.add(ops::add,
                               {body.add(ops::broadcast_in_dim, ops::BroadcastInDim{{kStates, kStates}, {0}}, {s}), x});
    body.output(body.add(ops::reduce_max, ops::Reduction{{0}}, {all}));
    body.output(body.add(*place, ops::ArgReduction{0, int32}, {all}));
    Builder b;
    const Atom start = b.input(f32({kStates})), xs = b.input(f32({kLength, kStates, kStates}));
    for (ValueId v : b.adds(ops::scan, ops::Scan{.length = kLength, .carries = 1}, {start, xs},
                            {std::make_shared<Program>(body.program)}))
      b.output(v);
    EXPECT_EQ(steps_of_bodies(b.program).others, 0);
    const std::vector<BufferPtr> in = inputs_of_loops(b.program, 8);
    auto* const values = static_cast<float*>(on_host(in[1]).data());
    loops_agree(b.program, in, 0, 0);
    for (std::int64_t i = 0; i < kStates * kStates; ++i) values[i] = static_cast<float>(i % 3);
    for (std::int64_t i = 0; i < kStates; ++i) static_cast<float*>(on_host(in[0]).data())[i] = i % 2 ? 0.0f : -0.0f;
    loops_agree(b.program, in, 0, 0);
    for (std::int64_t i : {19, 35, 40}) values[kStates * kStates * 4 + i] = std::numeric_limits<float>::quiet_NaN();
    loops_agree(b.program, in, 0, 0);
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
