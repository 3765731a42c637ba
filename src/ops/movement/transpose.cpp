// Dims in another order. Source: jax.lax.transpose.
#include "ops/movement/transpose.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_transpose(const Call& c) {
  const auto& p = c.get<Transpose>();
  const Type& x = c.operands[0];
  check_dims(c.op.name, "permutation", p.permutation, x.ndim());
  if (p.permutation.size() != x.shape.size())
    raise<ShapeError>(c.op.name,
                      "permutation " + text(p.permutation) + " has " + std::to_string(p.permutation.size()) +
                          " entries for " + x.str(),
                      "Name every dim once.");
  Shape shape;
  for (std::int64_t d : p.permutation) shape.push_back(x.shape[d]);
  return {type(x.dtype, shape)};
}

View view_of_transpose(const Call& c) {
  Dims strides = row_major_strides(c.operands[0].shape);
  View v;
  for (std::int64_t d : c.get<Transpose>().permutation) v.strides.push_back(strides[d]);
  return v;
}

Factors factors_transpose(const Call& c, const std::vector<Type>& results) {
  const auto& p = c.get<Transpose>();
  FactorBuilder b(c, results);
  for (std::size_t i = 0; i < p.permutation.size(); ++i)
    b.share(0, static_cast<int>(p.permutation[i]), static_cast<int>(i), results[0].shape[i]);
  return b.f;
}

}  // namespace

constinit const Home transpose = [] {
  Op op;
  op.name = "transpose";
  op.infer = infer_transpose;
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    read_view(view_of_transpose(c), in[0], out[0]);
  };
  op.factors = factors_transpose;
  op.linear = {{0}};
  op.transpose = [](const Call& c, const std::vector<Array>& cts, const std::vector<Array>&, const std::vector<bool>&) {
    const auto& p = c.get<Transpose>();
    Dims inverse(p.permutation.size());
    for (std::size_t i = 0; i < inverse.size(); ++i) inverse[p.permutation[i]] = static_cast<std::int64_t>(i);
    return std::vector{lax::transpose(cts[0], inverse)};
  };
  op.batch = [](const Call& c, const std::vector<Array>& operands, const std::vector<bool>&, const BatchAxis&) {
    return Batched{{lax::transpose(operands[0], shifted(c.get<Transpose>().permutation, 1, true))}, {true}};
  };
  op.view = [](const Call& c, const Type&) { return std::optional(view_of_transpose(c)); };
  op.movement = true;
  op.samples = {
      {.params = Transpose{{1, 0}}, .operands = {type(float32, {3, 4})}},
      {.params = Transpose{{2, 0, 1}}, .operands = {type(float32, {2, 3, 4})}},
      {.params = Transpose{{}}, .operands = {type(float32, {})}},
      {.params = Transpose{{1, 0}}, .operands = {type(bfloat16, {1, 5})}},
      {.params = Transpose{{1, 0}}, .operands = {type(int32, {5, 2})}},
      {.params = Transpose{{1, 2, 0}}, .operands = {type(float32, {0, 3, 2})}},
      {.params = Transpose{{1, 0}}, .operands = {type(prng_key, {2, 3})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array transpose(const In& x, const Dims& permutation) {
  CallScope scope(x.loc);
  return bind1(ops::transpose, ops::Transpose{permutation}, {x.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
