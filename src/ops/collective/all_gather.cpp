// all_gather: the blocks of all devices, on each. reduce_scatter: their sum, a block on each; one is the other's
// transpose. Source: jax.lax.
#include "ops/collective/family.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

std::vector<Type> infer_gather(const Call& c) {
  const auto& p = c.get<GatherOver>();
  Type t = c.operands[0];
  check_dim(c, p.dim, t.ndim() + !p.tiled, "dim");
  if (p.tiled)
    t.shape[p.dim] *= p.group.size();
  else
    t.shape.insert(p.dim, p.group.size());
  return {t};
}
std::vector<Type> infer_scatter(const Call& c) {
  const auto& p = c.get<GatherOver>();
  Type t = c.operands[0];
  check_dim(c, p.dim, t.ndim(), "dim");
  check_blocks(c, p.group, p.dim, p.tiled);
  if (p.tiled)
    t.shape[p.dim] /= p.group.size();
  else
    t.shape.erase(p.dim);
  return {t};
}

// Everybody sends all that it has to all.
std::vector<Round> gather_rounds(const Call& c, std::int64_t, std::int64_t n) {
  const Type& x = c.operands[0];
  const std::int64_t rows = rows_before(x.shape, c.get<GatherOver>().dim);
  const Type y = result_type(c);
  return {to_each(
      n, [&](std::int64_t) { return all_of(x); }, [&](std::int64_t k) { return block_of(y, rows, n, k); })};
}
std::vector<Round> scatter_rounds(const Call& c, std::int64_t, std::int64_t n) {
  const Type& x = c.operands[0];
  const std::int64_t rows = rows_before(x.shape, c.get<GatherOver>().dim);
  const Type y = result_type(c);
  Round out = to_each(
      n, [&](std::int64_t k) { return block_of(x, rows, n, k); }, [&](std::int64_t) { return all_of(y); });
  out.combined = true;
  return {out};
}

// One axis: a new dim at `dim`.
Lanes gather_step(const Call& c, const Steps& steps, Lanes v, int i, int dim) {
  if (!steps.mine(i)) return {bind1(c.op, GatherOver{steps.one(i), dim + v.mapped, false}, {v.x}), v.mapped};
  return {move_dim(batched(v.x, v.mapped, steps.batch.size), 0, dim), false};
}
// One axis: dim `dim`, of the axis' size, goes.
Lanes scatter_step(const Call& c, const Steps& steps, Lanes v, int i, int dim) {
  if (!steps.mine(i)) return {bind1(c.op, GatherOver{steps.one(i), dim + v.mapped, false}, {v.x}), v.mapped};
  double n = static_cast<double>(steps.batch.size);
  Array x = v.mapped ? lax::reduce_sum(v.x, {0}) : lax::mul(v.x, literal(v.x.dtype(), n));
  return {move_dim(x, dim, 0), true};
}

Batched elsewhere(const Call& c, const Arrays& xs, const Flags& mapped) {
  GatherOver p = c.get<GatherOver>();
  p.dim += mapped[0];
  return {{bind1(c.op, p, {xs[0]})}, {mapped[0]}};
}
Batched batch_gather(const Call& c, const Arrays& xs, const Flags& mapped, const BatchAxis& axis) {
  const auto& p = c.get<GatherOver>();
  Steps steps{p.group, axis};
  if (!steps.any()) return elsewhere(c, xs, mapped);
  Lanes v{xs[0], mapped[0]};
  for (int i = steps.count(); i-- > 0;) v = gather_step(c, steps, v, i, p.dim);
  v.x = merge_dims(v.x, p.dim + v.mapped, steps.count() + p.tiled);
  return result(v);
}
Batched batch_scatter(const Call& c, const Arrays& xs, const Flags& mapped, const BatchAxis& axis) {
  const auto& p = c.get<GatherOver>();
  Steps steps{p.group, axis};
  if (!steps.any()) return elsewhere(c, xs, mapped);
  Lanes v{split_dim(xs[0], p.dim + mapped[0], p.group.sizes, !p.tiled), mapped[0]};
  for (int i = 0; i < steps.count(); ++i) v = scatter_step(c, steps, v, i, p.dim);
  return result(v);
}

}  // namespace

constinit const Home all_gather = [] {
  Collective says;
  says.kind = "all_gather";
  says.rounds = gather_rounds;
  says.received = [](double bytes, double n) { return Received{(n - 1) * bytes, static_cast<std::int64_t>(n) - 1}; };
  says.variance = Collective::Variance::ends;
  Op op = collective_op<GatherOver>("all_gather", says);
  op.infer = infer_gather;
  op.batch = batch_gather;
  set_linear(op, [](const Call& c, const Array& ct) { return bind1(reduce_scatter, c.params, {ct}); });
  return op;
};

constinit const Home reduce_scatter = [] {
  Collective says;
  says.kind = "reduce_scatter";
  says.rounds = scatter_rounds;
  says.combine = combined_by<takes_number>([](auto x, auto y) { return x + y; });
  says.received = received_in_blocks;
  says.variance = Collective::Variance::begins;
  Op op = collective_op<GatherOver>("reduce_scatter", says);
  op.infer = infer_scatter;
  op.batch = batch_scatter;
  set_linear(op, [](const Call& c, const Array& ct) { return bind1(all_gather, c.params, {ct}); });
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
