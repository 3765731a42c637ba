// Moves of dims that have homes: of their parts, as dims of their own.
#include <algorithm>

#include "ops/collective/collective.hpp"
#include "partition/moves.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

using Dims = lax::Dims;

// Dims in parts: where several axes with places side by side move together, their places are one part.
class InParts {
 public:
  InParts(const Shape& shape, const Homes& homes, const AxisRefs& moving) : homes_(homes) {
    for (int d = 0; d < shape.ndim(); ++d) {
      first_.push_back(global_.ndim());
      parts_.emplace_back();
      if (homes[d].empty()) {
        parts_.back().emplace_back();
        global_.push_back(shape[d]);
        continue;
      }
      bool before = false;
      for (const AxisRef& a : homes[d]) {
        const bool moves = std::find(moving.begin(), moving.end(), a) != moving.end();
        if (!(moves && before)) parts_.back().emplace_back();
        parts_.back().back().push_back(a);
        before = moves;
      }
      for (const AxisRefs& part : parts_.back()) global_.push_back(ways(part));
      global_.push_back(shape[d] / ways(homes[d]));
    }
  }

  const Shape& global() const { return global_; }
  Layout layout(const Layout& l) const {
    Layout out = l;
    out.dims.clear();
    for (int d = 0; d < l.ndim(); ++d) {
      if (homes_[d].empty()) {
        out.dims.push_back(l.dims[d]);
        continue;
      }
      for (const AxisRefs& part : parts_[d]) {
        const bool cut = std::find(l.dims[d].begin(), l.dims[d].end(), part[0]) != l.dims[d].end();
        out.dims.push_back(cut ? part : AxisRefs{});
      }
      out.dims.emplace_back();
    }
    return out;
  }
  // The dim that these axes cut, in this order; -1: there is none.
  int dim_of(int dim, const AxisRefs& axes) const {
    if (dim < 0 || homes_[dim].empty()) return dim < 0 ? -1 : first_[dim];
    const auto at = std::find(parts_[dim].begin(), parts_[dim].end(), axes);
    return at == parts_[dim].end() ? -1 : first_[dim] + static_cast<int>(at - parts_[dim].begin());
  }

 private:
  const Homes& homes_;
  std::vector<std::vector<AxisRefs>> parts_;  // by dim; the rest comes behind
  std::vector<int> first_;
  Shape global_;
};

bool stays_together(int d, const Layout& before, const Layout& after, const Homes& homes) {
  return d < 0 || homes[d].empty() ||
         (lies_together(at_home(before.dims[d], homes[d]), homes[d]) &&
          lies_together(at_home(after.dims[d], homes[d]), homes[d]));
}

}  // namespace

Array Emitter::apply(const Move& move, const Layout& before, const Array& x, const Shape& global, const Homes& homes) {
  const int from = move.from_dim, to = move.to_dim;
  auto has_home = [&](int d) { return d >= 0 && !homes.empty() && !homes[d].empty(); };
  if (!has_home(from) && !has_home(to)) return apply(move, before, x, global);
  Move named = move;
  named.axes = at_home(move.axes, homes[has_home(from) ? from : to]);
  const bool one_order = !(has_home(from) && has_home(to)) || at_home(named.axes, homes[to]) == named.axes;
  if (one_order && stays_together(from, before, move.after, homes) && stays_together(to, before, move.after, homes))
    return apply(named, before, x, global);
  meant_ = &move;
  const Array out = apply_in_parts(std::move(named), before, x, global, homes);
  meant_ = nullptr;
  return out;
}

// `move` with axes in the order of a home.
Array Emitter::apply_in_parts(Move move, const Layout& before, const Array& x, const Shape& global,
                              const Homes& homes) {
  const int from = move.from_dim, to = move.to_dim;
  const Layout after = move.after;
  const InParts parts(global, homes, move.axes);
  const Layout whole_before = parts.layout(before);
  const int from_part = parts.dim_of(from, move.axes), to_part = parts.dim_of(to, move.axes);
  if ((from < 0 || from_part >= 0) && (to < 0 || to_part >= 0)) {
    move.after = parts.layout(after);
    move.from_dim = from_part;
    move.to_dim = to_part;
    const Array y = lax::reshape(x, block_shape(whole_before, parts.global()));
    return lax::reshape(apply(move, whole_before, y, parts.global()), block_shape(after, global));
  }
  return exchange_parts(move, before, x, global, homes);
}

// Axes whose places are apart: where they cut is brought to the front, exchanged there, and laid where it belongs.
Array Emitter::exchange_parts(Move move, const Layout& before, const Array& x, const Shape& global,
                              const Homes& homes) {
  const int from = move.from_dim, to = move.to_dim;
  const auto n = static_cast<std::int64_t>(move.axes.size());
  // Extents with every axis of a home apart, and where each axis that moves cuts.
  Homes all = homes;
  for (int d : {from, to})
    if (d >= 0 && all[d].empty())
      throw InternalError("partition: several axes move between a dim with a home and one without");
  auto block_in_parts = [&](const Layout& l, int dim, std::vector<int>& places) {
    Shape out;
    for (int d = 0; d < l.ndim(); ++d) {
      const std::int64_t block = block_shape(l, global)[d];
      if (d != from && d != to) {
        out.push_back(block);
        continue;
      }
      for (const AxisRef& a : all[d]) {
        const bool cut = std::find(l.dims[d].begin(), l.dims[d].end(), a) != l.dims[d].end();
        const auto moving = std::find(move.axes.begin(), move.axes.end(), a);
        if (d == dim && moving != move.axes.end()) places[moving - move.axes.begin()] = static_cast<int>(out.ndim());
        out.push_back(cut ? 1 : a.size);
      }
      out.push_back(global[d] / ways(all[d]));
    }
    return out;
  };
  std::vector<int> leaves(move.axes.size()), arrives(move.axes.size());
  Array y = lax::reshape(x, block_in_parts(before, to, leaves));
  auto order_of = [](const std::vector<int>& front, int rank) {
    Dims order(front.begin(), front.end());
    for (int d = 0; d < rank; ++d)
      if (std::find(front.begin(), front.end(), d) == front.end()) order.push_back(d);
    return order;
  };
  Shape rows{1};
  if (to >= 0) {
    y = lax::transpose(y, order_of(leaves, static_cast<int>(y.ndim())));
    rows[0] = ways(move.axes);
    for (int d = static_cast<int>(n); d < y.ndim(); ++d) rows.push_back(y.shape()[d]);
  } else {
    for (int d = 0; d < y.ndim(); ++d) rows.push_back(y.shape()[d]);
  }
  y = lax::reshape(y, rows);
  const Group group = group_of(move.axes);
  move.from_dim = from >= 0 ? 0 : -1;
  move.to_dim = to >= 0 ? 0 : -1;
  if (move.kind == Move::Kind::all_gather)
    y = collective(move, ops::all_gather, ops::GatherOver{group, 0, true}, y);
  else if (move.kind == Move::Kind::reduce_scatter)
    y = scattered(move, before.pending_kind, y, 0);
  else
    y = collective(move, ops::all_to_all, ops::Exchange{group, 0, 0, true}, y);
  if (from >= 0) {
    const Shape last = block_in_parts(move.after, from, arrives);
    const Dims order = order_of(arrives, static_cast<int>(last.ndim()));
    Shape front;
    for (const auto d : order) front.push_back(last[d]);
    Dims back(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) back[order[k]] = static_cast<std::int64_t>(k);
    y = lax::transpose(lax::reshape(y, front), back);
  }
  return lax::reshape(y, block_shape(move.after, global));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
