#include "ops/movement/derivative_where.hpp"

#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_derivative_where(const Call& c) {
  const Type &x = c.operands[0], &condition = c.operands[1];
  if (!condition.dtype.is_bool() || (condition.ndim() > 0 && condition.shape != x.shape))
    throw InternalError("derivative_where: the condition is " + condition.str() + ", the value " + x.str());
  return {type(x.dtype, x.shape, x.weak)};
}

Factors factors_of_derivative_where(const Call& c, const std::vector<Type>& results) {
  FactorBuilder b(c, results);
  for (int d = 0; d < results[0].ndim(); ++d) {
    int factor = b.share(0, d, d, results[0].shape[d]);
    if (c.operands[1].ndim() > 0) b.f.operands[1][static_cast<std::size_t>(d)] = {factor};
  }
  return b.f;
}

Batched batch_derivative_where(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                               const BatchAxis& axis) {
  Array x = batched(operands[0], mapped[0], axis.size), condition = operands[1];
  if (condition.ndim() > 0 && condition.ndim() < x.ndim())
    condition =
        lax::broadcast_in_dim(condition, x.shape(), mapped[1] ? range(0, condition.ndim()) : range(1, x.ndim()));
  return {{bind1(c.op, {}, {x, condition})}, {true}};
}

}  // namespace

constinit const Home derivative_where = [] {
  Op op;
  op.name = "derivative_where";
  op.infer = infer_derivative_where;
  op.eval = [](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
    move_elements(in[0], out[0], [at = std::int64_t(0)](const Dims&) mutable { return at++; });
  };
  op.factors = factors_of_derivative_where;
  op.own_weak = true;
  op.jvp = [](const Call&, const std::vector<Array>& x, const std::vector<Array>&,
              const std::vector<Array>& t) -> std::vector<Array> {
    if (!t[0].has_value()) return {Array()};
    return {lax::select(x[1], t[0], zeros(t[0].type()))};
  };
  op.batch = batch_derivative_where;
  op.view = [](const Call&, const Type& result) { return std::optional(View{0, row_major_strides(result.shape)}); };
  auto sample = [&](Shape x, Shape condition) {
    op.samples.push_back(
        {.params = {}, .operands = {type(float32, x), type(bool_, condition)}, .differentiable = false});
  };
  sample({2, 3}, {});
  sample({2, 3}, {2, 3});
  sample({}, {});
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
