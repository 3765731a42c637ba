// Where the trues stand. Source: jax.numpy.flatnonzero.
#include "ops/reduction/true_positions.hpp"

#include <algorithm>
#include <limits>

#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_true_positions(const Call& c) {
  const Type& mask = c.operands[0];
  const std::int64_t size = c.get<TruePositions>().size;
  if (!mask.dtype.is_bool() || mask.ndim() == 0)
    raise<TypeError>(c.op.name, "the mask is " + mask.str(), "Give bools with one dim or more.");
  if (mask.shape.dims().back() > std::numeric_limits<std::int32_t>::max())
    raise<ShapeError>(c.op.name, "the mask is " + mask.str() + ", of which no int32 says every place",
                      "Look in parts of it.");
  Shape shape = mask.shape;
  shape[shape.ndim() - 1] = size;
  return {type(int32, shape)};
}

void eval_true_positions(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const std::int64_t size = c.get<TruePositions>().size, n = in[0].type.shape.dims().back();
  for (std::int64_t r = 0; size > 0 && r < out[0].size() / size; ++r) {
    const bool* mask = in[0].as<const bool>() + r * n;
    std::int32_t* to = out[0].as<std::int32_t>() + r * size;
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < n && found < size; ++i)
      if (mask[i]) to[found++] = static_cast<std::int32_t>(i);
    std::fill(to + found, to + size, static_cast<std::int32_t>(n));
  }
}

Factors factors_true_positions(const Call& c, const std::vector<Type>& results) {
  FactorBuilder b(c, results);
  const int last = c.operands[0].ndim() - 1;
  for (int d = 0; d < last; ++d) b.share(0, d, d, results[0].shape[d]);
  b.f.operands[0][last] = {b.add(c.operands[0].shape[last], Factors::Kind::replicated)};
  b.fixed_result(last, results[0].shape[last]);
  return b.f;
}

}  // namespace

constinit const Home true_positions = [] {
  Op op;
  op.name = "true_positions";
  op.infer = infer_true_positions;
  op.eval = eval_true_positions;
  op.factors = factors_true_positions;
  op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  op.batch = [](const Call& c, const std::vector<Array>& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    return {{bind1(c.op, c.params, x)}, {true}};
  };
  op.flops = [](const Call& c, const std::vector<Type>&) { return static_cast<double>(c.operands[0].num_elements()); };
  for (std::int64_t size : {0, 3, 40})
    op.samples.push_back({.params = TruePositions{size}, .operands = {type(bool_, {30})}, .differentiable = false});
  op.samples.push_back({.params = TruePositions{4}, .operands = {type(bool_, {2, 3, 7})}, .differentiable = false});
  op.samples.push_back({.params = TruePositions{2}, .operands = {type(bool_, {0})}, .differentiable = false});
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
