#include "partition/moves.hpp"

#include <algorithm>
#include <limits>

#include "ops/collective/collective.hpp"
#include "partition/axis_parts.hpp"
#include "partition/permutation.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

using Dims = lax::Dims;
using extent::ceil_div;

Array scalar(const Scalar& s) { return array_from_scalar(s, false); }
Array zero(DType dtype) { return scalar(Scalar(0.0).to(dtype)); }
Array index(std::int64_t v) { return scalar(Scalar(static_cast<std::int32_t>(v))); }

// Extents of nested blocks: the first is `extent`, each next one the ceil of a division by one axis.
std::vector<std::int64_t> levels(std::int64_t extent, const AxisRefs& axes) {
  std::vector<std::int64_t> out{extent};
  for (const AxisRef& a : axes) out.push_back(ceil_div(out.back(), a.size));
  return out;
}

Array pad_end(const Array& x, int d, std::int64_t by) {
  if (by == 0) return x;
  std::vector<lax::PadDim> config(static_cast<std::size_t>(x.ndim()));
  config[d].high = by;
  return lax::pad(x, zero(x.dtype()), config);
}

Array take_first(const Array& x, int d, std::int64_t n) {
  if (x.shape()[d] == n) return x;
  Dims start(static_cast<std::size_t>(x.ndim()), 0), limit(x.shape().begin(), x.shape().end());
  limit[d] = n;
  return lax::slice(x, start, limit);
}

// dim d as two dims (rows, x.shape[d] / rows), and back.
Array split_dim(const Array& x, int d, std::int64_t rows) {
  Shape shape = x.shape();
  shape[d] /= rows;
  shape.insert(d, rows);
  return lax::reshape(x, shape);
}
Array merge_dim(const Array& x, int d) {
  Shape shape = x.shape();
  shape[d] *= shape[d + 1];
  shape.erase(d + 1);
  return lax::reshape(x, shape);
}

// Dim d, one block, as a row of ways(axes) blocks of equal size: each level is padded at its end.
Array pad_blocks(Array x, int d, const AxisRefs& axes) {
  std::vector<std::int64_t> size = levels(x.shape()[d], axes);
  std::int64_t rows = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t by = axes[i].size * size[i + 1] - size[i];
    if (by > 0) x = rows == 1 ? pad_end(x, d, by) : merge_dim(pad_end(split_dim(x, d, rows), d + 1, by), d);
    rows *= axes[i].size;
  }
  return x;
}

// The inverse: dim d holds ways(axes) blocks of equal size; the result has extent `size`.
Array join_blocks(Array x, int d, const AxisRefs& axes, std::int64_t size) {
  std::vector<std::int64_t> level = levels(size, axes);
  std::int64_t rows = ways(axes);
  for (std::size_t i = axes.size(); i-- > 0;) {
    rows /= axes[i].size;
    if (axes[i].size * level[i + 1] == level[i]) continue;
    x = rows == 1 ? take_first(x, d, level[i]) : merge_dim(take_first(split_dim(x, d, rows), d + 1, level[i]), d);
  }
  return x;
}

}  // namespace

bool is_uneven(const Layout& layout, const Shape& global, int d) {
  std::vector<std::int64_t> size = levels(global[d], layout.dims[d]);
  for (std::size_t i = 0; i < layout.dims[d].size(); ++i)
    if (layout.dims[d][i].size * size[i + 1] != size[i]) return true;
  return false;
}

Scalar identity_of(Reduce kind, DType dtype) {
  if (kind == Reduce::sum) return Scalar(0.0).to(dtype);
  bool max = kind == Reduce::max;
  if (dtype.is_bool()) return Scalar(!max);
  if (dtype.is_inexact())
    return Scalar(max ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity()).to(dtype);
  Scalar out;
  out.dtype = dtype;
  int bits = static_cast<int>(dtype.size()) * 8;
  std::uint64_t ones = ~std::uint64_t{0} >> (64 - bits);
  if (dtype.is_unsigned())
    out.integer = max ? 0 : static_cast<std::int64_t>(ones);
  else
    out.integer = max ? -static_cast<std::int64_t>(ones >> 1) - 1 : static_cast<std::int64_t>(ones >> 1);
  return out;
}

Array Emitter::coordinate(const AxisRef& axis) {
  Array& known = coordinates_[axis];
  if (!known.has_value()) known = bind1(ops::axis_index, group_of({axis}), {});
  return known;
}

Array Emitter::block_start(const Layout& layout, const Shape& global, int d) {
  std::vector<std::int64_t> size = levels(global[d], layout.dims[d]);
  Array out;
  for (std::size_t i = 0; i < layout.dims[d].size(); ++i) {
    Array part = lax::mul(coordinate(layout.dims[d][i]), index(size[i + 1]));
    out = out.has_value() ? lax::add(out, part) : part;
  }
  return out.has_value() ? out : index(0);
}

Array Emitter::mask_padding(const Array& x, const Layout& layout, const Shape& global, int d, const Scalar& fill) {
  if (!is_uneven(layout, global, d)) return x;
  const AxisRefs& axes = layout.dims[d];
  std::vector<std::int64_t> size = levels(global[d], axes);
  Array place = lax::iota(int32, x.shape(), d), valid;
  auto spread = [&](const Array& s) { return lax::broadcast_in_dim(s, x.shape(), {}); };
  for (std::size_t i = axes.size(); i-- > 0;) {
    place = lax::add(spread(lax::mul(coordinate(axes[i]), index(size[i + 1]))), place);
    if (axes[i].size * size[i + 1] == size[i]) continue;
    Array inside = lax::lt(place, spread(index(size[i])));
    valid = valid.has_value() ? lax::bitwise_and(valid, inside) : inside;
  }
  return lax::select(valid, x, spread(scalar(fill)));
}

Array Emitter::collective(const Move& move, const Op& op, Params params, const Array& x) {
  if (on_collective) on_collective(meant_ ? *meant_ : move, op, params, x.type());
  return bind1(op, std::move(params), {x});
}

Line Emitter::line(const AxisRefs& axes, int dim, std::int64_t extent) {
  Line out;
  out.dim = dim;
  out.extent = extent;
  out.blocks = ways(axes);
  out.shifted = [this, axes, n = out.blocks](const Array& x, std::int64_t by) {
    by = (by % n + n) % n;
    if (by == 0) return x;
    ops::Permute round{group_of(axes)};
    round.turn = by;
    return collective({Move::Kind::permute, axes, -1, -1, {}}, ops::ppermute, round, x);
  };
  out.mirrored = [this, axes, n = out.blocks](const Array& x, std::int64_t by) {
    ops::Permute round{group_of(axes)};
    bool moves = false;
    for (std::int64_t to = 0; to < n; ++to) {
      const std::int64_t from = ((by - to) % n + n) % n;
      round.pairs.emplace_back(static_cast<int>(from), static_cast<int>(to));
      moves = moves || from != to;
    }
    if (!moves) return x;
    return collective({Move::Kind::permute, axes, -1, -1, {}}, ops::ppermute, round, x);
  };
  out.gathered = [this, axes](const Array& x) {
    return collective({Move::Kind::all_gather, axes, -1, -1, {}}, ops::all_gather,
                      ops::GatherOver{group_of(axes), 0, false}, x);
  };
  out.summed = [this, axes](const Array& x) {
    return collective({Move::Kind::all_reduce, axes, -1, -1, {}}, ops::psum, group_of(axes), x);
  };
  out.position = [this, axes] {
    Array at = index(0);
    for (const AxisRef& a : axes) at = lax::add(lax::mul(at, index(a.size)), coordinate(a));
    return at;
  };
  return out;
}

Group Emitter::group_of(const AxisRefs& axes) const { return tutti::group_of(axes, mesh_); }

Array Emitter::apply(const Move& move, const Layout& before, const Array& x, const Shape& global) {
  // Truth values are added up as numbers: one device has them, the others zeros.
  if (x.dtype().is_bool() && (move.kind == Move::Kind::all_reduce || move.kind == Move::Kind::reduce_scatter))
    return lax::convert_element_type(apply(move, before, lax::convert_element_type(x, int8), global), bool_);
  const Group group = group_of(move.axes);
  int from = move.from_dim, to = move.to_dim;
  // The dim that was cut until now is there in blocks, each of which may end in padding.
  auto joined = [&](const Array& blocks) {
    return join_blocks(blocks, from, move.axes, block_shape(move.after, global)[from]);
  };
  switch (move.kind) {
    case Move::Kind::slice: return slice(move, x, block_shape(move.after, global));
    case Move::Kind::mask: return mask(move, x);
    case Move::Kind::embed: return embed(move, x);
    case Move::Kind::all_gather:
      return joined(collective(move, ops::all_gather, ops::GatherOver{group, from, true}, x));
    case Move::Kind::all_reduce: {
      const Op& op = before.pending_kind == Reduce::sum   ? ops::psum
                     : before.pending_kind == Reduce::max ? ops::pmax
                                                          : ops::pmin;
      return collective(move, op, group, x);
    }
    case Move::Kind::reduce_scatter: return scattered(move, before.pending_kind, pad_blocks(x, to, move.axes), to);
    case Move::Kind::all_to_all:
      if (move.second_dim >= 0) return exchange_two(move, x);
      return joined(
          collective(move, ops::all_to_all, ops::Exchange{group, to, from, true}, pad_blocks(x, to, move.axes)));
    case Move::Kind::permute: return permute(move, before, x);
  }
  throw InternalError("partition: unknown move");
}

// Dim d is a row of blocks, one for each device: each has its block of what all of them have together. Only sums have
// a collective of their own; of extrema every device gets the blocks of the others.
Array Emitter::scattered(const Move& move, Reduce kind, const Array& x, int d) {
  const Group group = group_of(move.axes);
  if (kind == Reduce::sum) return collective(move, ops::reduce_scatter, ops::GatherOver{group, d, true}, x);
  const Array blocks =
      collective(move, ops::all_to_all, ops::Exchange{group, d, d, true}, split_dim(x, d, ways(move.axes)));
  return kind == Reduce::max ? lax::reduce_max(blocks, {d}) : lax::reduce_min(blocks, {d});
}

Array Emitter::slice(const Move& move, const Array& x, const Shape& block) {
  Array padded = pad_blocks(x, move.to_dim, move.axes);
  std::vector<Array> starts(static_cast<std::size_t>(x.ndim()), index(0));
  starts[move.to_dim] = lax::mul(coordinate(move.axes[0]), index(block[move.to_dim]));
  return lax::dynamic_slice(padded, starts, block);
}

Array Emitter::mask(const Move& move, const Array& x) {
  Array first = lax::eq(coordinate(move.axes[0]), index(0));
  Array nothing = zero(x.dtype());
  if (x.ndim() > 0) nothing = lax::broadcast_in_dim(nothing, x.shape(), {});
  return lax::select(first, x, nothing);
}

// The block in its place among zeros.
Array Emitter::embed(const Move& move, const Array& x) {
  Shape whole = x.shape();
  whole[move.from_dim] *= move.axes[0].size;
  std::vector<Array> starts(static_cast<std::size_t>(x.ndim()), index(0));
  starts[move.from_dim] = lax::mul(coordinate(move.axes[0]), index(x.shape()[move.from_dim]));
  return lax::dynamic_update_slice(lax::broadcast_in_dim(zero(x.dtype()), whole, {}), x, starts);
}

// Blocks that were cut over axes of two dims: they come one behind the other along the first, and are laid side by
// side.
Array Emitter::exchange_two(const Move& move, const Array& x) {
  const int d = move.from_dim, e = move.second_dim;
  const auto cut = move.axes.begin() + move.second_axes;
  const std::int64_t n1 = ways({move.axes.begin(), cut}), n2 = ways({cut, move.axes.end()});
  const ops::Exchange exchange{group_of(move.axes), move.to_dim, d, true};
  Array y = collective(move, ops::all_to_all, exchange, x);
  // Dim d is (n1, n2, block) now: n2 goes in front of dim e.
  Shape split, joined = y.shape();
  Dims order;
  for (int i = 0; i < y.ndim(); ++i) {
    const int at = static_cast<int>(split.ndim());
    if (i == d) {
      split.insert(at, n1);
      split.insert(at + 1, n2);
      split.insert(at + 2, x.shape()[d]);
    } else {
      split.insert(at, y.shape()[i]);
    }
  }
  for (int i = 0; i < y.ndim(); ++i) {
    const int at = i > d ? i + 2 : i;
    if (i == e) order.push_back(d + 1);
    order.push_back(at);
    if (i == d) order.push_back(d + 2);
  }
  joined[d] = n1 * x.shape()[d];
  joined[e] = n2 * x.shape()[e];
  return lax::reshape(lax::transpose(lax::reshape(y, split), order), joined);
}

// Every device sends its block to one that wants it: the k-th holder of a block serves the k-th device that wants it.
Array Emitter::permute(Move move, const Layout& before, const Array& x) {
  move.axes.clear();
  for (int i = 0; i < mesh_.ndim(); ++i)
    if (mesh_.shape()[i] > 1) move.axes.push_back(whole_axis(mesh_, i));
  if (std::optional<ops::Permute> by_digits = digits_permuted(group_of(move.axes), move.axes, before, move.after))
    return collective(move, ops::ppermute, *by_digits, x);
  auto have = owners(before), want = owners(move.after);
  std::vector<std::pair<int, int>> pairs;
  for (auto& [block, devices] : want)
    for (std::size_t k = 0; k < devices.size(); ++k) pairs.emplace_back(have.at(block).at(k), devices[k]);
  std::sort(pairs.begin(), pairs.end());
  return collective(move, ops::ppermute, ops::Permute{group_of(move.axes), pairs}, x);
}

std::map<std::vector<std::int64_t>, std::vector<int>> Emitter::owners(const Layout& layout) const {
  std::map<std::vector<std::int64_t>, std::vector<int>> out;
  for (int p = 0; p < static_cast<int>(mesh_.size()); ++p) {
    std::vector<std::int64_t> at = coordinates(mesh_, p), block;
    for (const AxisRefs& refs : layout.dims) block.push_back(block_number(refs, mesh_, at));
    for (const AxisRef& a : layout.pending) block.push_back(tutti::coordinate(a, mesh_, at));
    out[block].push_back(p);
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
