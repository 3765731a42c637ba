// Repeats an array along new dims and along dims of extent 1. Source: jax.lax.broadcast_in_dim.
#include <algorithm>

#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_broadcast_in_dim(const Call& c) {
  const auto& p = c.get<BroadcastInDim>();
  const Type& x = c.operands[0];
  for (std::int64_t d : p.shape)
    if (d < 0)
      raise<ShapeError>(c.op.name, "the shape " + p.shape.str() + " has a negative extent", "Extents are 0 or more.");
  check_dims(c.op.name, "dims", p.dims, p.shape.ndim());
  if (p.dims.size() != x.shape.size())
    raise<ShapeError>(c.op.name,
                      "dims " + text(p.dims) + " has " + std::to_string(p.dims.size()) + " entries for " + x.str(),
                      "Give one result dim per operand dim.");
  for (std::size_t i = 0; i < p.dims.size(); ++i) {
    if (i && p.dims[i] <= p.dims[i - 1])
      raise<ShapeError>(c.op.name, "dims " + text(p.dims) + " are not increasing", "Transpose the operand first.");
    if (x.shape[i] != 1 && x.shape[i] != p.shape[p.dims[i]])
      raise<ShapeError>(c.op.name,
                        x.str() + " does not broadcast to " + p.shape.str() + ": its dim " + std::to_string(i) +
                            " is " + std::to_string(x.shape[i]) + ", dim " + std::to_string(p.dims[i]) +
                            " of the result is " + std::to_string(p.shape[p.dims[i]]),
                        "Extents must be equal, or 1 in the operand.");
  }
  return {type(x.dtype, p.shape)};
}

View view_of_broadcast_in_dim(const Call& c) {
  const auto& p = c.get<BroadcastInDim>();
  const Shape& from = c.operands[0].shape;
  View v{0, Dims(p.shape.size(), 0)};
  Dims strides = row_major_strides(from);
  for (std::size_t i = 0; i < p.dims.size(); ++i)
    if (from[i] == p.shape[p.dims[i]]) v.strides[p.dims[i]] = strides[i];
  return v;
}

Factors factors_broadcast_in_dim(const Call& c, const std::vector<Type>& results) {
  const auto& p = c.get<BroadcastInDim>();
  FactorBuilder b(c, results);
  for (int d = 0; d < p.shape.ndim(); ++d) b.f.results[0][d] = {b.add(p.shape[d])};
  for (std::size_t i = 0; i < p.dims.size(); ++i)
    if (c.operands[0].shape[i] == p.shape[p.dims[i]]) b.f.operands[0][i] = b.f.results[0][p.dims[i]];
  return b.f;
}

std::vector<Array> transposed_broadcast_in_dim(const Call& c, const std::vector<Array>& cts, const std::vector<Array>&,
                                               const std::vector<bool>&) {
  const auto& p = c.get<BroadcastInDim>();
  const Shape& from = c.operands[0].shape;
  Dims axes;
  for (int d = 0; d < p.shape.ndim(); ++d) {
    auto at = std::find(p.dims.begin(), p.dims.end(), d);
    if (at == p.dims.end() || from[at - p.dims.begin()] != p.shape[d]) axes.push_back(d);
  }
  Array x = axes.empty() ? cts[0] : lax::reduce_sum(cts[0], axes);
  return {x.shape() == from ? x : lax::reshape(x, from)};
}

Batched batch_broadcast_in_dim(const Call& c, const std::vector<Array>& operands, const std::vector<bool>&,
                               const BatchAxis& axis) {
  const auto& p = c.get<BroadcastInDim>();
  return {{lax::broadcast_in_dim(operands[0], with_front(axis.size, p.shape), shifted(p.dims, 1, true))}, {true}};
}

}  // namespace

constinit const Home broadcast_in_dim = [] {
  Op op;
  op.name = "broadcast_in_dim";
  op.infer = infer_broadcast_in_dim;
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    read_view(view_of_broadcast_in_dim(c), in[0], out[0]);
  };
  op.factors = factors_broadcast_in_dim;
  op.linear = {{0}};
  op.transpose = transposed_broadcast_in_dim;
  op.batch = batch_broadcast_in_dim;
  op.view = [](const Call& c, const Type&) { return std::optional(view_of_broadcast_in_dim(c)); };
  op.movement = true;
  op.spread = Spread::last;
  op.localize = [](const Params& p, const LocalTypes& types) {
    return Params(BroadcastInDim{types.results[0], p.get<BroadcastInDim>().dims});
  };
  op.samples = {
      {.params = BroadcastInDim{{3, 4}, {1}}, .operands = {type(float32, {4})}},
      {.params = BroadcastInDim{{3, 4}, {}}, .operands = {type(float32, {})}},
      {.params = BroadcastInDim{{3, 2, 4}, {0, 2}}, .operands = {type(float32, {3, 1})}},
      {.params = BroadcastInDim{{2, 3}, {0, 1}}, .operands = {type(bfloat16, {2, 3})}},
      {.params = BroadcastInDim{{5, 3}, {0, 1}}, .operands = {type(int32, {1, 3})}},
      {.params = BroadcastInDim{{0, 3}, {1}}, .operands = {type(float32, {3})}},
      {.params = BroadcastInDim{{4, 0}, {0, 1}}, .operands = {type(float32, {1, 0})}},
      {.params = BroadcastInDim{{2, 3}, {1}}, .operands = {type(prng_key, {3})}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array broadcast_in_dim(const In& x, const Shape& shape, const Dims& dims) {
  CallScope scope(x.loc);
  return bind1(ops::broadcast_in_dim, ops::BroadcastInDim{shape, dims}, {x.array});
}

Array broadcast(const In& x, const Shape& leading) {
  CallScope scope(x.loc);
  Shape shape = leading;
  for (std::int64_t d : x.array.shape()) shape.push_back(d);
  return broadcast_in_dim(x.array, shape, ops::range(leading.ndim(), shape.ndim()));
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
