// 0, 1, 2, ... along a dim. Source: jax.lax.broadcasted_iota.
#include "ops/movement/iota.hpp"
#include "base/half.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

void eval_iota(const Call& c, std::span<const HostView>, std::span<const HostView> out) {
  int dim = c.get<Iota>().dim;
  visit_arithmetic_dtype(out[0].type.dtype, [&]<class T>(Stored<T>) {
    for_each_index(out[0].type.shape, [&](const Dims& index, std::int64_t flat) {
      if constexpr (std::is_arithmetic_v<T>)
        out[0].as<T>()[flat] = static_cast<T>(index[dim]);
      else
        out[0].as<T>()[flat] = T(static_cast<float>(index[dim]));
    });
  });
}

}  // namespace

constinit const Home iota = [] {
  Op op;
  op.name = "iota";
  op.role = Role::generator;
  op.index = [](const Params& p) { return p.get<Iota>().dim; };
  op.localize = [](const Params& p, const LocalTypes& types) {
    const auto& whole = p.get<Iota>();
    return Params(Iota{whole.dtype, types.results[0], whole.dim});
  };
  op.infer = [](const Call& c) {
    const auto& p = c.get<Iota>();
    check_dims(c.op.name, "dim", {p.dim}, p.shape.ndim());
    if (p.dtype.is_key() || p.dtype.is_bool())
      raise<TypeError>(c.op.name, "dtype " + std::string(p.dtype.name()) + " cannot count", "Use a number type.");
    for (std::int64_t d : p.shape)
      if (d < 0)
        raise<ShapeError>(c.op.name, "the shape " + p.shape.str() + " has a negative extent", "Extents are 0 or more.");
    return std::vector{type(p.dtype, p.shape)};
  };
  op.eval = eval_iota;
  op.factors = [](const Call& c, const std::vector<Type>& results) {
    FactorBuilder b(c, results);
    for (int d = 0; d < results[0].ndim(); ++d) b.f.results[0][d] = {b.add(results[0].shape[d])};
    b.f.factors[b.f.results[0][c.get<Iota>().dim][0]].kind = Factors::Kind::replicated;
    return b.f;
  };
  op.not_differentiable = "it has no operands";
  op.without = {{"batch", "it has no operands"}};
  op.own_weak = true;
  op.samples = {
      {.params = Iota{int32, {5}, 0}, .operands = {}},        {.params = Iota{float32, {3, 4}, 1}, .operands = {}},
      {.params = Iota{uint32, {2, 3, 2}, 1}, .operands = {}}, {.params = Iota{bfloat16, {1, 4}, 0}, .operands = {}},
      {.params = Iota{int32, {0, 2}, 0}, .operands = {}},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

Array iota(DType dtype, const Shape& shape, int dim) {
  if (arithmetic_dtype(dtype) != dtype)
    return lax::convert_element_type(iota(arithmetic_dtype(dtype), shape, dim), dtype);
  return bind1(ops::iota, ops::Iota{canonical(dtype), shape, dim}, {});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
