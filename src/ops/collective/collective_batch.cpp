// A collective over the axis that is being batched reads the whole batch: psum is a sum, all_gather a transpose,
// ppermute an index map. One over several axes is taken apart into steps of one axis each; the steps over other axes
// stay collectives. A step over `axis` of the batch works on the leading dim; elsewhere a mapped operand only shifts
// the dims.
#include "ops/collective/collective_batch.hpp"

#include <algorithm>

#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

// A value on its way through the steps.
struct Value {
  Array x;
  bool mapped;
};

Array move_dim(const Array& x, int from, int to) {
  if (from == to) return x;
  Dims order = range(0, x.ndim());
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return lax::transpose(x, order);
}
// Dim `dim` taken apart into `sizes` and what is left of it (the last one, dropped when `whole`).
Array split_dim(const Array& x, int dim, const std::vector<std::int64_t>& sizes, bool whole) {
  Shape shape = x.shape();
  std::int64_t rest = shape[dim];
  shape.erase(dim);
  for (std::int64_t s : sizes) rest /= s;
  if (!whole) shape.insert(dim, rest);
  for (std::size_t i = sizes.size(); i-- > 0;) shape.insert(dim, sizes[i]);
  return shape == x.shape() ? x : lax::reshape(x, shape);
}
// `count` dims from `dim` on made one.
Array merge_dims(const Array& x, int dim, int count) {
  Shape shape = x.shape();
  std::int64_t n = 1;
  for (int i = 0; i < count; ++i) {
    n *= shape[dim];
    shape.erase(dim);
  }
  shape.insert(dim, n);
  return shape == x.shape() ? x : lax::reshape(x, shape);
}
Array spread_front(const Array& x, std::int64_t n) { return lax::broadcast(x, Shape{n}); }

struct Steps {
  const std::vector<std::string>& axes;
  const std::vector<std::int64_t>& sizes;
  const BatchAxis& batch;
  bool mine(std::size_t i) const { return axes[i] == batch.name && !batch.name.empty(); }
  bool any() const { return !batch.name.empty() && std::find(axes.begin(), axes.end(), batch.name) != axes.end(); }

  // all_gather along one axis: a new dim at `dim`.
  Value gather(Value v, std::size_t i, int dim) const {
    if (!mine(i)) return {bind1(all_gather, GatherOver{{axes[i]}, {sizes[i]}, dim + v.mapped, false}, {v.x}), v.mapped};
    Array x = v.mapped ? v.x : spread_front(v.x, sizes[i]);
    return {move_dim(x, 0, dim), false};
  }
  // reduce_scatter along one axis: dim `dim`, of the axis' size, goes.
  Value scatter(Value v, std::size_t i, int dim) const {
    if (!mine(i))
      return {bind1(reduce_scatter, GatherOver{{axes[i]}, {sizes[i]}, dim + v.mapped, false}, {v.x}), v.mapped};
    Array x = v.mapped ? lax::reduce_sum(v.x, {0}) : lax::mul(v.x, literal(v.x.dtype(), static_cast<double>(sizes[i])));
    return {move_dim(x, dim, 0), true};
  }
  // Each device has a block per device in dim `dim`; afterwards the blocks that were meant for it.
  Value exchange(Value v, std::size_t i, int dim) const {
    if (!mine(i))
      return {bind1(all_to_all, Exchange{{axes[i]}, {sizes[i]}, dim + v.mapped, dim + v.mapped, false}, {v.x}),
              v.mapped};
    Array x = v.mapped ? v.x : spread_front(v.x, sizes[i]);
    Dims order = range(0, x.ndim());
    std::swap(order[0], order[dim + 1]);
    return {lax::transpose(x, order), true};
  }
};

Batched result(Value v) { return {{v.x}, {v.mapped}}; }

// Rows of `x` by number, or zeros for -1: runs of neighbours are one slice each.
Array pick_rows(const Array& x, const std::vector<int>& rows) {
  std::vector<Array> parts;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t j = i + 1;
    while (j < rows.size() && (rows[i] < 0 ? rows[j] < 0 : rows[j] == rows[i] + static_cast<int>(j - i))) ++j;
    Shape shape = x.shape();
    shape[0] = static_cast<std::int64_t>(j - i);
    if (rows[i] < 0) {
      parts.push_back(zeros(x.dtype(), shape));
    } else {
      Dims start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
      start[0] = rows[i];
      limit[0] = start[0] + shape[0];
      parts.push_back(lax::slice(x, start, limit));
    }
    i = j;
  }
  return parts.size() == 1 ? parts[0] : lax::concatenate(parts, 0);
}

}  // namespace

Batched batch_reduce(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  ReduceOver rest = c.get<ReduceOver>();
  auto at = axis.name.empty() ? rest.axes.end() : std::find(rest.axes.begin(), rest.axes.end(), axis.name);
  Value v{xs[0], mapped[0]};
  if (at != rest.axes.end()) {
    rest.sizes.erase(rest.sizes.begin() + (at - rest.axes.begin()));
    rest.axes.erase(at);
    if (v.mapped)
      v.x = &c.op == &psum   ? lax::reduce_sum(v.x, {0})
            : &c.op == &pmax ? lax::reduce_max(v.x, {0})
                             : lax::reduce_min(v.x, {0});
    else if (&c.op == &psum)
      v.x = lax::mul(v.x, literal(v.x.dtype(), static_cast<double>(axis.size)));
    v.mapped = false;
  }
  if (!rest.axes.empty()) v.x = bind1(c.op, rest, {v.x});
  return result(v);
}

Batched batch_pvary(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                    const BatchAxis& axis) {
  ReduceOver rest = c.get<ReduceOver>();
  auto at = axis.name.empty() ? rest.axes.end() : std::find(rest.axes.begin(), rest.axes.end(), axis.name);
  if (at != rest.axes.end()) {
    rest.sizes.erase(rest.sizes.begin() + (at - rest.axes.begin()));
    rest.axes.erase(at);
  }
  return {{rest.axes.empty() ? xs[0] : bind1(pvary, rest, {xs[0]})}, {mapped[0]}};
}

Batched batch_gather(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                     const BatchAxis& axis) {
  GatherOver p = c.get<GatherOver>();
  Steps steps{p.axes, p.sizes, axis};
  if (!steps.any()) {
    p.dim += mapped[0];
    return {{bind1(c.op, p, {xs[0]})}, {mapped[0]}};
  }
  Value v{xs[0], mapped[0]};
  int n = static_cast<int>(p.axes.size());
  for (int i = n; i-- > 0;) v = steps.gather(v, static_cast<std::size_t>(i), p.dim);
  v.x = merge_dims(v.x, p.dim + v.mapped, n + p.tiled);
  return result(v);
}

Batched batch_scatter(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                      const BatchAxis& axis) {
  GatherOver p = c.get<GatherOver>();
  Steps steps{p.axes, p.sizes, axis};
  if (!steps.any()) {
    p.dim += mapped[0];
    return {{bind1(c.op, p, {xs[0]})}, {mapped[0]}};
  }
  Value v{split_dim(xs[0], p.dim + mapped[0], p.sizes, !p.tiled), mapped[0]};
  for (std::size_t i = 0; i < p.axes.size(); ++i) v = steps.scatter(v, i, p.dim);
  return result(v);
}

Batched batch_exchange(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                       const BatchAxis& axis) {
  Exchange p = c.get<Exchange>();
  Steps steps{p.axes, p.sizes, axis};
  if (!steps.any()) {
    p.split += mapped[0];
    p.concat += mapped[0];
    return {{bind1(c.op, p, {xs[0]})}, {mapped[0]}};
  }
  Value v{split_dim(xs[0], p.split + mapped[0], p.sizes, !p.tiled), mapped[0]};
  int n = static_cast<int>(p.axes.size());
  for (int i = 0; i < n; ++i) v = steps.exchange(v, static_cast<std::size_t>(i), p.split + i);
  // The dims of the senders become one, in front of (tiled) or as (untiled) the concat dim of what is left.
  v.x = merge_dims(v.x, p.split + v.mapped, n);
  v.x = move_dim(v.x, p.split + v.mapped, p.concat + v.mapped);
  if (p.tiled) v.x = merge_dims(v.x, p.concat + v.mapped, 2);
  return result(v);
}

Batched batch_permute(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped,
                      const BatchAxis& axis) {
  const Permute& p = c.get<Permute>();
  Steps steps{p.axes, p.sizes, axis};
  if (!steps.any()) return {{bind1(c.op, p, {xs[0]})}, {mapped[0]}};
  Array x = mapped[0] ? xs[0] : spread_front(xs[0], axis.size);
  if (p.axes.size() == 1) {
    std::vector<int> rows(static_cast<std::size_t>(axis.size), -1);
    for (auto [from, to] : p.pairs) rows[to] = from;
    return {{pick_rows(x, rows)}, {true}};
  }
  // A pair of group positions is a pair of lanes here and a pair of positions along the other axes: one ppermute over
  // those per pair of lanes.
  Permute rest;
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    if (!steps.mine(i)) {
      rest.axes.push_back(p.axes[i]);
      rest.sizes.push_back(p.sizes[i]);
    }
  std::int64_t minor = 1;  // positions of the group per lane
  for (std::size_t i = p.axes.size(); i-- > 0 && !steps.mine(i);) minor *= p.sizes[i];
  auto lane = [&](int at) { return static_cast<int>(at / minor % axis.size); };
  auto other = [&](int at) { return static_cast<int>(at / (minor * axis.size) * minor + at % minor); };
  std::vector<Array> lanes;
  Shape one = x.shape();
  one[0] = 1;
  for (int to = 0; to < axis.size; ++to) {
    Array sum;
    for (int from = 0; from < axis.size; ++from) {
      rest.pairs.clear();
      for (auto [source, destination] : p.pairs)
        if (lane(source) == from && lane(destination) == to) rest.pairs.emplace_back(other(source), other(destination));
      if (rest.pairs.empty()) continue;
      Array got = bind1(ppermute, rest, {pick_rows(x, {from})});
      sum = !sum.has_value()     ? got
            : x.dtype() == bool_ ? lax::bitwise_or(sum, got)
                                 : lax::add(sum, got);  // at most one of them is not zero
    }
    lanes.push_back(sum.has_value() ? sum : zeros(x.dtype(), one));
  }
  return {{lanes.size() == 1 ? lanes[0] : lax::concatenate(lanes, 0)}, {true}};
}

Batched batch_index(const Call& c, const std::vector<Array>&, const std::vector<bool>&, const BatchAxis& axis) {
  const auto& p = c.get<ReduceOver>();
  Steps steps{p.axes, p.sizes, axis};
  if (!steps.any()) return {{bind1(c.op, p, {})}, {false}};
  Array sum;
  std::int64_t stride = 1;
  for (std::size_t i = p.axes.size(); i-- > 0;) {
    Array one = steps.mine(i)
                    ? lax::iota(int32, {axis.size}, 0)
                    : lax::broadcast(bind1(axis_index, ReduceOver{{p.axes[i]}, {p.sizes[i]}}, {}), Shape{axis.size});
    if (stride > 1) one = lax::mul(one, literal(int32, static_cast<double>(stride)));
    sum = sum.has_value() ? lax::add(sum, one) : one;
    stride *= p.sizes[i];
  }
  return {{sum}, {true}};
}

}  // namespace tutti::ops
