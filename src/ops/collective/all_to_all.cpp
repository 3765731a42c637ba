// all_to_all: each device has a block for each in one dim; afterwards, in another, the blocks that were meant for it.
// Source: jax.lax.
#include <utility>

#include "ops/collective/family.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_all_to_all(const Call& c) {
  const auto& p = c.get<Exchange>();
  Type t = c.operands[0];
  std::int64_t n = p.group.size();
  check_dim(c, p.split, t.ndim(), "split dim");
  check_dim(c, p.concat, t.ndim(), "concat dim");
  check_blocks(c, p.group, p.split, p.tiled);
  if (p.tiled) {
    t.shape[p.split] /= n;
    t.shape[p.concat] *= n;
  } else {
    t.shape.erase(p.split);
    t.shape.insert(p.concat, n);
  }
  return {t};
}

std::vector<Round> rounds_of_all_to_all(const Call& c, std::int64_t, std::int64_t n) {
  const auto& p = c.get<Exchange>();
  const Type &x = c.operands[0], y = result_type(c);
  const std::int64_t from = rows_before(x.shape, p.split);
  // The blocks lie side by side along `concat`: the dims in front of it have their extents in the result.
  const std::int64_t to = rows_before(y.shape, p.concat);
  return {to_each(
      n, [&](std::int64_t k) { return block_of(x, from, n, k); },
      [&](std::int64_t k) { return block_of(y, to, n, k); })};
}

// One axis: dim `dim` holds a block per device, before and after.
Lanes step(const Call& c, const Steps& steps, Lanes v, int i, int dim) {
  int here = dim + v.mapped;
  if (!steps.mine(i)) return {bind1(c.op, Exchange{steps.one(i), here, here, false}, {v.x}), v.mapped};
  Array x = batched(v.x, v.mapped, steps.batch.size);
  Dims order = range(0, x.ndim());
  std::swap(order[0], order[dim + 1]);
  return {lax::transpose(x, order), true};
}

Batched batch_all_to_all(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                         const BatchAxis& axis) {
  Exchange p = c.get<Exchange>();
  Steps steps{p.group, axis};
  if (!steps.any()) {
    p.split += mapped[0];
    p.concat += mapped[0];
    return {{bind1(c.op, p, {xs[0]})}, {mapped[0]}};
  }
  Lanes v{split_dim(xs[0], p.split + mapped[0], p.group.sizes, !p.tiled), mapped[0]};
  for (int i = 0; i < steps.count(); ++i) v = step(c, steps, v, i, p.split + i);
  // The dims of the senders become one, in front of (tiled) or as (untiled) the concat dim of what is left.
  v.x = merge_dims(v.x, p.split + v.mapped, steps.count());
  v.x = move_dim(v.x, p.split + v.mapped, p.concat + v.mapped);
  if (p.tiled) v.x = merge_dims(v.x, p.concat + v.mapped, 2);
  return result(v);
}

Array transpose_all_to_all(const Call& c, const Array& ct) {
  Exchange p = c.get<Exchange>();
  std::swap(p.split, p.concat);
  return bind1(c.op, p, {ct});
}

}  // namespace

constinit const Home all_to_all = [] {
  Collective says;
  says.kind = "all_to_all";
  says.rounds = rounds_of_all_to_all;
  says.received = received_in_blocks;
  says.variance = Collective::Variance::begins;
  Op op = collective_op<Exchange>("all_to_all", says);
  op.infer = infer_all_to_all;
  op.batch = batch_all_to_all;
  set_linear(op, transpose_all_to_all);
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
