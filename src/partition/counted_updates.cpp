#include "partition/counted_updates.hpp"

#include <algorithm>
#include <optional>

#include "ir/index.hpp"
#include "ir/op.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/affine_values.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/scatter.hpp"
#include "ops/movement/transpose.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

// The places along one dim of the operand: start, start + step ..., one for each element of a dim of the updates.
struct Counted {
  int dim_of_updates = -1;  // none: there is one place
  std::int64_t start = 0, step = 1, count = 1;
};

bool is_update(const Eqn& e) {
  const Op::Window w = e.op->window;
  return (w == Op::Window::write || w == Op::Window::add || w == Op::Window::other) && e.operands.size() == 3;
}

class CountedUpdates : Rewriting {
 public:
  explicit CountedUpdates(const ShardedProgram& sharded) : Rewriting(sharded), index_(p_), counts_(p_) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_counted_updates);
      const std::optional<std::vector<Counted>> places = places_of(e);
      changed_ = changed_ || places;
      if (places)
        write(e, *places);
      else
        push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  // By dim of the operand. Nothing where they are not known, may meet or lie outside, or where no dim with steps is cut
  // so that blocks are whole steps.
  std::optional<std::vector<Counted>> places_of(const Eqn& e) {
    if (!is_update(e) || e.operands[0].is_literal() || e.operands[1].is_literal() || e.operands[2].is_literal())
      return std::nullopt;
    const lax::ScatterDims& d = e.params.get<ops::Scatter>().dims;
    const Type &x = p_.types[e.operands[0].id], &u = p_.types[e.operands[2].id];
    const bool adds = e.op->window != Op::Window::write;
    if (!d.operand_batching_dims.empty() || d.inserted_window_dims != d.scatter_dims_to_operand_dims ||
        x.dtype.is_key() || (adds && (x.dtype.is_bool() || arithmetic_dtype(x.dtype) != x.dtype)) ||
        x.num_elements() == 0 || u.num_elements() == 0)
      return std::nullopt;
    std::vector<Counted> out(x.shape.size());
    lax::Dims batch;  // dims of the updates that are no windows
    for (int k = 0; k < u.ndim(); ++k)
      if (std::find(d.update_window_dims.begin(), d.update_window_dims.end(), k) == d.update_window_dims.end())
        batch.push_back(k);
    std::vector<char> counted(batch.size(), 0);
    bool any = false;
    std::size_t window = 0;
    for (int k = 0; k < x.ndim(); ++k) {
      Counted& at = out[static_cast<std::size_t>(k)];
      const auto column = std::find(d.inserted_window_dims.begin(), d.inserted_window_dims.end(), k);
      if (column == d.inserted_window_dims.end()) {
        at.dim_of_updates = static_cast<int>(d.update_window_dims[window++]);
        at.count = u.shape[at.dim_of_updates];
        if (at.count != x.shape[k]) return std::nullopt;
        continue;
      }
      const std::optional<ops::Affine> affine =
          column_of(e.operands[1], static_cast<std::size_t>(column - d.inserted_window_dims.begin()),
                    d.inserted_window_dims.size());
      if (!affine || affine->modulo != 0 || affine->steps.size() != batch.size() + 1) return std::nullopt;
      at.start = affine->offset;
      for (std::size_t b = 0; b < batch.size(); ++b) {
        const std::int64_t n = u.shape[static_cast<int>(batch[b])];
        if (n == 1 || affine->steps[b] == 0) continue;
        if (counted[b] || at.dim_of_updates >= 0 || affine->steps[b] < 0) return std::nullopt;
        counted[b] = 1;
        at = {static_cast<int>(batch[b]), affine->offset, affine->steps[b], n};
      }
      const std::int64_t last = at.start + (at.count - 1) * at.step;
      if (at.start < 0 || last >= x.shape[k]) return std::nullopt;
      const Layout& layout = in_.layouts[e.results[0]];
      if (at.step == 1 || layout.ways(k) == 1) continue;
      if (x.shape[k] % (layout.ways(k) * at.step) != 0) return std::nullopt;
      any = true;
    }
    for (std::size_t b = 0; b < batch.size(); ++b)
      if (!counted[b] && u.shape[static_cast<int>(batch[b])] != 1) return std::nullopt;
    return any ? std::optional(out) : std::nullopt;
  }

  std::optional<ops::Affine> column_of(const Atom& indices, std::size_t column, std::size_t columns) {
    if (columns == 1) return counts_.of(indices);
    const int producer = index_.producer(indices.id);
    if (producer < 0) return std::nullopt;
    const Eqn& e = p_.eqns[static_cast<std::size_t>(producer)];
    if (e.op != &ops::concatenate || e.operands.size() != columns ||
        e.params.get<ops::Concatenate>().dim + 1 != p_.types[indices.id].ndim())
      return std::nullopt;
    return counts_.of(e.operands[column]);
  }

  Atom number(std::int64_t n) const { return {Scalar(n).to(int32), false}; }

  // Whether an element of `shape` lies at one of the places along dim `d`.
  Atom is_place(const Shape& shape, int d, const Counted& at, Loc loc) {
    const Atom i = make(ops::iota, ops::Iota{int32, Shape{shape[d]}, 0}, {}, loc);
    Atom out = make(ops::bitwise_and, {},
                    {make(ops::ge, {}, {i, number(at.start)}, loc),
                     make(ops::le, {}, {i, number(at.start + (at.count - 1) * at.step)}, loc)},
                    loc);
    if (at.step > 1) {
      const Atom rest = make(ops::rem, {}, {i, number(at.step)}, loc);
      out = make(ops::bitwise_and, {}, {out, make(ops::eq, {}, {rest, number(at.start % at.step)}, loc)}, loc);
    }
    return make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, {d}}, {out}, loc);
  }

  void write(const Eqn& e, const std::vector<Counted>& places) {
    const Type x = type(e.operands[0]);
    const Layout& layout = in_.layouts[e.results[0]];
    // The updates with the dims of the operand, in order.
    ops::Transpose turn;
    Shape shape;
    for (const Counted& at : places) {
      if (at.dim_of_updates >= 0) turn.permutation.push_back(at.dim_of_updates);
      shape.push_back(at.count);
    }
    for (int k = 0; k < type(e.operands[2]).ndim(); ++k)
      if (std::find(turn.permutation.begin(), turn.permutation.end(), k) == turn.permutation.end())
        turn.permutation.push_back(k);
    Atom u = e.operands[2];
    if (!std::is_sorted(turn.permutation.begin(), turn.permutation.end())) u = make(ops::transpose, turn, {u}, e.loc);
    if (!(type(u).shape == shape)) u = make(ops::reshape, ops::Reshape{shape}, {u}, e.loc);
    ops::Pad gaps;
    Atom mask{Scalar(true), false};
    for (int d = 0; d < x.ndim(); ++d) {
      const Counted& at = places[static_cast<std::size_t>(d)];
      const std::int64_t last = at.start + (at.count - 1) * at.step;
      gaps.config.push_back({at.start, x.shape[d] - last - 1, at.count > 1 ? at.step - 1 : 0});
      if (at.start == 0 && at.step == 1 && at.count == x.shape[d]) continue;
      const Atom here = is_place(x.shape, d, at, e.loc);
      mask = mask.is_literal() ? here : make(ops::bitwise_and, {}, {mask, here}, e.loc);
    }
    const Scalar none = x.dtype.is_bool() ? Scalar(false) : Scalar(0.0).to(x.dtype);
    Atom wide = make(ops::pad, gaps, {u, Atom(none, false)}, e.loc);
    out_.layouts[wide.id] = layout;
    const lax::ScatterKind kind = ops::scatter_kind(*e.op);
    if (kind == lax::ScatterKind::add) {
      make(ops::add, {}, {e.operands[0], wide}, e.loc, e.results[0]);
      return;
    }
    if (kind != lax::ScatterKind::set) {
      const Home& op = kind == lax::ScatterKind::mul ? ops::mul : kind == lax::ScatterKind::min ? ops::min : ops::max;
      wide = make(op, {}, {e.operands[0], wide}, e.loc);
      out_.layouts[wide.id] = layout;
    }
    make(ops::select, {}, {mask, wide, e.operands[0]}, e.loc, e.results[0]);
  }

  const ProgramIndex index_;
  ops::AffineValues counts_;
};

bool updates(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return is_update(e) || std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return updates(*s); });
  });
}

}  // namespace

ShardedProgram with_counted_updates(const ShardedProgram& sharded) {
  return updates(*sharded.program) ? CountedUpdates(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
