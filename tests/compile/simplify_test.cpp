// What the passes before fusion make of programs, and that they mean the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/transpose.hpp"
#include "ops/reduction/reduce.hpp"
#include "ops/reduction/sort.hpp"

namespace tutti::test {
namespace {

int count_of(const Program& p, const Op& op) {
  return static_cast<int>(std::count_if(p.eqns.begin(), p.eqns.end(), [&](const Eqn& e) { return e.op == &op; }));
}
Program simplified(const Program& p) {
  return compile::share_equal(compile::order_products(compile::simplify(without_dead_code(p))));
}

void means_the_same(const Builder& b) {
  std::mt19937 random(1);
  std::vector<BufferPtr> in;
  for (ValueId v : b.program.inputs) in.push_back(random_buffer(b.program.types[v], -2, 2, random));
  auto want = backend("reference").compile(on_one_device(b.program))->run(in),
       got = backend("cpu").compile(on_one_device(b.program))->run(in);
  for (std::size_t r = 0; r < got.size(); ++r)
    EXPECT_EQ(difference(b.program.type(b.program.outputs[r]), on_host(got[r]).data(), on_host(want[r]).data(), 2, 1e-5,
                         1e-5),
              "");
}

Atom greatest(Builder& b, const Atom& x, std::vector<int> axes) {
  return b.add(ops::reduce_max, Params(ops::Reduction{std::move(axes)}), {x});
}
Atom sum(Builder& b, const Atom& x, std::vector<int> axes) {
  return b.add(ops::reduce_sum, Params(ops::Reduction{std::move(axes)}), {x});
}

}  // namespace

TEST(simplify, counting_row_by_row_is_counting_flat) {
  Builder b;
  auto index = [&](int dim) { return Atom(b.add(ops::iota, ops::Iota{int32, {30, 1, 2, 4}, dim}, {})); };
  auto times = [&](const Atom& x, int n) { return Atom(b.add(ops::mul, {x, Atom(Scalar(n).to(int32), false)})); };
  const Atom rows = b.add(ops::add, {times(index(0), 2), index(2)});
  b.output(b.add(ops::add, {times(rows, 4), index(3)}));
  b.output(b.add(ops::add, {times(rows, 3), index(3)}));  // another order
  const Program p = simplified(b.program);
  EXPECT_EQ(
      std::count_if(p.eqns.begin(), p.eqns.end(),
                    [](const Eqn& e) { return e.op == &ops::iota && e.params.get<ops::Iota>().shape.ndim() == 1; }),
      1);
  means_the_same(b);
}

TEST(simplify, short_rows_are_summed_side_by_side) {
  for (const Shape& shape : {Shape{4096, 2}, Shape{3, 200, 5}, Shape{67, 3}, Shape{5000, 8}}) {
    Builder b;
    const Atom x = b.input(f32(shape));
    b.output(sum(b, x, {shape.ndim() - 1}));
    b.output(greatest(b, x, {shape.ndim() - 1}));
    b.output(
        sum(b, b.add(ops::convert_element_type, ops::ConvertElementType{bfloat16, false}, {x}), {shape.ndim() - 1}));
    const compile::Plan plan = compile::compile(on_one_device(b.program), {false});
    for (const compile::Step& step : plan.steps)
      if (const auto* l = std::get_if<compile::Loop>(&step.what); l && l->reduced >= 0) {
        EXPECT_LT(l->reduced + 1, static_cast<int>(l->extents.size())) << plan.str();
      }
    means_the_same(b);
  }
}

TEST(simplify, two_reductions_over_neighbours_become_one) {
  Builder b;
  const Atom x = b.input(f32({3, 4, 5, 6}));
  b.output(greatest(b, greatest(b, x, {1}), {0}));        // dims 0 and 1
  b.output(greatest(b, greatest(b, x, {2}), {0, 1, 2}));  // everything
  const Atom n = b.input(Type{int32, {3, 4, 5}, false, {}});
  b.output(sum(b, sum(b, n, {1}), {0}));
  const Program p = simplified(b.program);
  EXPECT_EQ(count_of(p, ops::reduce_max), 2);
  EXPECT_EQ(count_of(p, ops::reduce_sum), 1);
  means_the_same(b);
}

// Another order of adding would be another result.
TEST(simplify, sums_of_sums_of_floats_stay) {
  for (DType d : {float32, bfloat16, float64}) {
    Builder b;
    const Atom x = b.input(Type{d, {3, 4, 5}, false, {}});
    b.output(sum(b, sum(b, x, {1}), {0}));
    EXPECT_EQ(count_of(simplified(b.program), ops::reduce_sum), 2) << d.name();
    means_the_same(b);
  }
}

// A sum over devices is in any order: over two axes of a mesh it is one pass over what all of them have.
TEST(simplify, sums_in_any_order_become_one) {
  for (bool inner : {false, true})
    for (bool outer : {false, true}) {
      Builder b;
      const Atom x = b.input(f32({3, 4, 5}));
      const Atom y = b.add(ops::reduce_sum, Params(ops::Reduction{{1}, inner}), {x});
      b.output(b.add(ops::reduce_sum, Params(ops::Reduction{{0}, outer}), {y}));
      EXPECT_EQ(count_of(simplified(b.program), ops::reduce_sum), inner && outer ? 1 : 2);
    }
}

TEST(simplify, reductions_stay_when_dims_are_apart_or_others_read_them) {
  Builder b;
  const Atom x = b.input(f32({3, 4, 5}));
  b.output(sum(b, sum(b, x, {0}), {1}));
  const Atom y = sum(b, x, {1});
  b.output(y);
  b.output(sum(b, y, {0}));
  b.output(b.add(ops::reduce_max, Params(ops::Reduction{{0}}), {sum(b, x, {1, 2})}));
  EXPECT_EQ(count_of(simplified(b.program), ops::reduce_sum), 5);
  means_the_same(b);
}

TEST(simplify, a_reduction_over_single_elements_is_a_reshape) {
  Builder b;
  const Atom x = b.input(f32({1, 7, 1}));
  b.output(sum(b, x, {0, 2}));
  b.output(b.add(ops::reduce_max, Params(ops::Reduction{{0}}), {x}));
  const Program p = simplified(b.program);
  EXPECT_EQ(count_of(p, ops::reduce_sum) + count_of(p, ops::reduce_max), 0);
  means_the_same(b);
}

TEST(simplify, the_transpose_of_a_product_is_a_product) {
  for (bool batched : {false, true}) {
    Builder b;
    const Atom x = b.input(f32(batched ? Shape{2, 30, 40} : Shape{30, 40})),
               y = b.input(f32(batched ? Shape{2, 40, 50} : Shape{40, 50}));
    ops::DotGeneral d;
    if (batched) d.dims.lhs_batch = d.dims.rhs_batch = {0};
    d.dims.lhs_contract = {batched ? 2 : 1};
    d.dims.rhs_contract = {batched ? 1 : 0};
    const Atom z = b.add(ops::dot_general, Params(d), {x, y});
    b.output(b.add(ops::transpose, Params(batched ? ops::Transpose{{0, 2, 1}} : ops::Transpose{{1, 0}}), {z}));
    const Program p = simplified(b.program);
    EXPECT_EQ(count_of(p, ops::dot_general), 1);
    const Eqn& last = p.eqns.back();
    EXPECT_EQ(last.op, &ops::dot_general) << "operands may be turned, the result is not";
    means_the_same(b);
  }
}

// A transposition that ends with a dim of the left operand leaves rows whole when operands change places.
TEST(simplify, what_is_left_of_a_products_transposition_moves_rows) {
  Builder b;
  const Atom x = b.input(f32({2, 3, 30, 40})), y = b.input(f32({2, 3, 40, 50}));
  ops::DotGeneral d;
  d.dims.lhs_batch = d.dims.rhs_batch = {0, 1};
  d.dims.lhs_contract = {3};
  d.dims.rhs_contract = {2};
  const Atom z = b.add(ops::dot_general, Params(d), {x, y});
  b.output(b.add(ops::transpose, Params(ops::Transpose{{0, 3, 1, 2}}), {z}));
  const Program p = simplified(b.program);
  EXPECT_EQ(std::count_if(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) { return e.op == &ops::dot_general; }), 1);
  EXPECT_EQ(p.eqns.back().op, &ops::transpose);
  EXPECT_EQ(p.eqns.back().params.get<ops::Transpose>(), (ops::Transpose{{0, 2, 1, 3}}));
  means_the_same(b);
}

// Also one that a batch was given; not those along another dim.
TEST(simplify, indices_that_are_sorted_along_are_positions) {
  Builder b;
  const Atom x = b.input(f32({6, 50}));
  const Atom row = b.add(ops::iota, ops::Iota{int32, {50}, 0}, {});
  const Atom rows = b.add(ops::broadcast_in_dim, ops::BroadcastInDim{{6, 50}, {1}}, {row});
  const Atom columns = b.add(ops::iota, ops::Iota{int32, {6, 50}, 0}, {});
  auto sorted = [&](const Atom& with, std::vector<std::size_t> results) {
    b.program.eqns.push_back({&ops::sort, ops::Sort{1, 1}, {x, with}, {}, {}, {}});
    for (const Type& t : {f32({6, 50}), b.program.type(with)}) {
      b.program.types.push_back(t);
      b.program.eqns.back().results.push_back(static_cast<ValueId>(b.program.types.size()) - 1);
    }
    for (std::size_t r : results) b.output(Atom(b.program.eqns.back().results[r]));
  };
  sorted(rows, {1});
  sorted(rows, {0, 1});
  sorted(columns, {1});
  const Program p = simplified(b.program);
  EXPECT_EQ(count_of(p, ops::iota), 1);
  std::vector<std::size_t> operands, results;
  for (const Eqn& e : p.eqns)
    if (e.op == &ops::sort) {
      operands.push_back(e.operands.size());
      results.push_back(e.results.size());
    }
  EXPECT_EQ(operands, (std::vector<std::size_t>{1, 1, 2}));
  EXPECT_EQ(results, (std::vector<std::size_t>{1, 2, 2}));
  means_the_same(b);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
