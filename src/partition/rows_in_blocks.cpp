#include "partition/rows_in_blocks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/cut_out.hpp"
#include "ir/index.hpp"
#include "ir/op.hpp"
#include "ir/views.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/dynamic_slice.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"
#include "ops/movement/transpose.hpp"
#include "partition/rewriting.hpp"
#include "transform/transform.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostEqns = 100;  // from rows that are read to those that are written

bool is_sharded(const Layout& l) {
  return std::any_of(l.dims.begin(), l.dims.end(), [](const AxisRefs& refs) { return !refs.empty(); });
}

// Rows `from` to `from + length` of one block of dim `dim` of a value, and of its other dims what `box` says.
struct Reading {
  ValueId source;
  int dim;
  ops::SliceParams box;
};
// Where rows are written: `rows` of dim `dim` from `at` on.
struct Writing {
  int dim;
  std::int64_t at, rows, extent;
  AxisRefs axes;
  std::int64_t blocks() const { return ways(axes); }
  std::int64_t block() const { return extent / blocks(); }
  std::int64_t number() const { return at / block(); }
};

class RowsInBlocks : Rewriting {
 public:
  explicit RowsInBlocks(const ShardedProgram& sharded)
      : Rewriting(sharded), index_(p_), views_(p_), layouts_(sharded.layouts) {
    spread_layouts();
  }

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_rows_in_blocks);
      views_.note(e);
      if (written(e)) {
        changed_ = true;
        continue;
      }
      push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  // Where other passes left no layout: that of a value of the same shape beside it.
  void spread_layouts() {
    auto spread = [&](const Eqn& e, bool back) {
      if (e.results.size() != 1 || !(e.op->pointwise || e.op->movement)) return;
      const ValueId r = e.results[0];
      for (const Atom& a : e.operands) {
        if (a.is_literal() || !(p_.types[a.id].shape == p_.types[r].shape)) continue;
        Layout &from = layouts_[back ? r : a.id], &to = layouts_[back ? a.id : r];
        if (is_sharded(from) && !is_sharded(to)) to = from;
      }
    };
    for (const Eqn& e : p_.eqns) spread(e, false);
    for (std::size_t i = p_.eqns.size(); i-- > 0;) spread(p_.eqns[i], true);
  }

  // Whether the Eqn writes rows that are read of blocks, and now does so block by block.
  bool written(const Eqn& e) {
    const std::optional<Writing> to = writing(e);
    if (!to) return false;
    const Atom rows = e.op == &ops::pad ? e.operands[0] : e.operands[1];
    const std::optional<Atom> blocks = in_blocks(rows.id, *to, e.loc);
    if (!blocks) return false;
    const int d = to->dim;
    const Shape shape = p_.types[e.results[0]].shape;
    const std::int64_t from = to->at % to->block();
    // The blocks' dim stands before that of the rows.
    lax::Dims order;
    for (int k = 0; k < shape.ndim(); ++k) {
      if (k == d) order.push_back(0);
      order.push_back(k + 1);
    }
    const Atom there = make(ops::transpose, ops::Transpose{order}, {*blocks}, e.loc);
    const Shape of_rows = type(there).shape;
    Atom other, out;
    if (e.op == &ops::pad) {
      other = make(ops::broadcast_in_dim, ops::BroadcastInDim{of_rows, {}}, {e.operands[1]}, e.loc);
      ops::Pad pad{std::vector<lax::PadDim>(of_rows.size())};
      pad.config[static_cast<std::size_t>(d) + 1] = {from, to->block() - from - to->rows, 0};
      out = make(ops::pad, pad, {one_block(there, other, d, to->number(), e.loc), e.operands[1]}, e.loc);
    } else {
      const Atom all = split(e.operands[0], d, to->blocks(), e.loc);
      ops::SliceParams box{lax::Dims(of_rows.size(), 0), type(all).shape.dims(), lax::Dims(of_rows.size(), 1)};
      box.start[d + 1] = from;
      box.limit[d + 1] = from + to->rows;
      other = make(ops::slice, box, {all}, e.loc);
      std::vector<Atom> operands{all, one_block(there, other, d, to->number(), e.loc)};
      for (int k = 0; k < of_rows.ndim(); ++k)
        operands.emplace_back(Scalar(k == d + 1 ? from : std::int64_t{0}).to(int32), false);
      out = make(ops::dynamic_update_slice, {}, operands, e.loc);
    }
    make(ops::reshape, ops::Reshape{shape}, {out}, e.loc, e.results[0]);
    return true;
  }

  // Along one dim, where it lies within one block.
  std::optional<Writing> writing(const Eqn& e) const {
    const bool pads = e.op == &ops::pad, updates = e.op == &ops::dynamic_update_slice;
    if ((!pads && !updates) || e.operands[pads ? 0 : 1].is_literal()) return std::nullopt;
    const Type &whole = p_.types[e.results[0]], &part = p_.types[e.operands[pads ? 0 : 1].id];
    if (whole.dtype.is_key() || (updates && e.operands[0].is_literal())) return std::nullopt;
    std::optional<Writing> out;
    for (int d = 0; d < whole.ndim(); ++d) {
      const auto k = static_cast<std::size_t>(d);
      if (part.shape[d] == whole.shape[d]) continue;
      if (out || part.shape[d] == 0) return std::nullopt;
      std::int64_t at = 0;
      if (pads) {
        const lax::PadDim& config = e.params.get<ops::Pad>().config[k];
        if (config.interior != 0 || config.low < 0 || config.high < 0) return std::nullopt;
        at = config.low;
      } else {
        if (!e.operands[k + 2].is_literal()) return std::nullopt;
        at = e.operands[k + 2].literal.integer;
      }
      out = Writing{d, at, part.shape[d], whole.shape[d], layouts_[e.results[0]].dims[k]};
    }
    if (!out || out->blocks() < 2 || out->extent % out->blocks() != 0 || !within_block(*out)) return std::nullopt;
    return out;
  }
  static bool within_block(const Writing& w) {
    return w.at >= 0 && w.at + w.rows <= w.extent && w.at / w.block() == (w.at + w.rows - 1) / w.block();
  }

  // ---- rows
  // Rows of one block, of a value sharded as the place is to which they go.
  std::optional<Reading> reading(ValueId v, const Writing& to) const {
    Reading out{-1, -1, {}};
    const int i = index_.producer(v);
    const Along& along = views_.along(v);
    if (along.dim >= 0 && along.segments.size() == 1 && !along.segments[0].source.is_literal() &&
        p_.types[along.segments[0].source.id].ndim() == p_.types[v].ndim()) {
      const Segment& s = along.segments[0];
      out.source = s.source.id;
      const Shape& shape = p_.types[out.source].shape;
      out.box = {lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
      out.box.start[static_cast<std::size_t>(along.dim)] = s.from;
      out.box.limit[static_cast<std::size_t>(along.dim)] = s.from + s.length;
    } else if (i >= 0 && p_.eqns[i].op == &ops::slice && !p_.eqns[i].operands[0].is_literal()) {
      out.source = p_.eqns[i].operands[0].id;
      out.box = p_.eqns[i].params.get<ops::SliceParams>();
    } else {
      return std::nullopt;
    }
    const Shape& shape = p_.types[out.source].shape;
    for (int d = 0; d < shape.ndim(); ++d) {
      const auto k = static_cast<std::size_t>(d);
      if (!(layouts_[out.source].dims[k] == to.axes) || shape[d] % to.blocks() != 0 || out.box.strides[k] != 1 ||
          out.box.limit[k] == out.box.start[k])
        continue;
      const std::int64_t block = shape[d] / to.blocks();
      if (out.box.start[k] / block != (out.box.limit[k] - 1) / block) continue;
      out.dim = d;
      return out;
    }
    return std::nullopt;
  }

  // The value as every device would make it of its own block, with a dim for these in front; so that it is right in the
  // block where it is written. Nothing where no such rows are read for it.
  std::optional<Atom> in_blocks(ValueId v, const Writing& to, Loc loc) {
    std::map<ValueId, Reading> read;
    std::set<int> eqns;
    std::map<ValueId, bool> made;
    if (!made_of_rows(v, to, read, eqns, made)) return std::nullopt;
    std::vector<ValueId> inputs;
    std::vector<bool> mapped;
    std::vector<Atom> arguments;
    for (const auto& [r, reading] : read) {
      inputs.push_back(r);
      mapped.push_back(true);
      arguments.push_back(rows_of_blocks(reading, to, loc));
    }
    if (eqns.empty()) return arguments[0];
    for (int i : eqns)
      for (const Atom& a : p_.eqns[static_cast<std::size_t>(i)].operands)
        if (!a.is_literal() && !made.at(a.id) && std::find(inputs.begin(), inputs.end(), a.id) == inputs.end()) {
          inputs.push_back(a.id);
          mapped.push_back(false);
          arguments.emplace_back(a.id);
        }
    const Program one = cut_out(p_, {eqns.begin(), eqns.end()}, inputs, v);
    return inlined(*batch(one, mapped, {to.blocks(), ""}).program, arguments);
  }

  // Whether it is made of such rows, by few operations on no more than a block.
  bool made_of_rows(ValueId v, const Writing& to, std::map<ValueId, Reading>& read, std::set<int>& eqns,
                    std::map<ValueId, bool>& made) const {
    if (const auto known = made.find(v); known != made.end()) return known->second;
    made[v] = false;
    if (const std::optional<Reading> rows = reading(v, to)) {
      read.emplace(v, *rows);
      return made[v] = true;
    }
    const int i = index_.producer(v);
    if (i < 0 || eqns.size() >= kMostEqns) return false;
    const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
    const bool simple = e.op->pointwise || e.op->movement || e.op->reduce != Op::Reduce::none;
    if (!simple || !e.op->batch || e.op->role != Role::compute || !e.subs.empty() || e.op->effect || e.op->host ||
        e.op->collective || e.results.size() != 1)
      return false;
    bool any = false;
    for (const Atom& a : e.operands) {
      if (a.is_literal()) continue;
      const bool large = p_.types[a.id].num_elements() > p_.types[v].num_elements() * to.block();
      if (large) made.emplace(a.id, false);
      any = made_of_rows(a.id, to, read, eqns, made) || any;
    }
    if (any) eqns.insert(i);
    return made[v] = any;
  }

  // What every device reads of its own block; from one block to another it goes to the device that writes.
  Atom rows_of_blocks(const Reading& r, const Writing& to, Loc loc) {
    const std::int64_t n = to.blocks(), block = p_.types[r.source].shape[r.dim] / n;
    const auto d = static_cast<std::size_t>(r.dim);
    const std::int64_t number = r.box.start[d] / block;
    ops::SliceParams box = r.box;
    box.start[d] -= number * block;
    box.limit[d] -= number * block;
    const auto at = static_cast<std::ptrdiff_t>(d);
    box.start.insert(box.start.begin() + at, 0);
    box.limit.insert(box.limit.begin() + at, n);
    box.strides.insert(box.strides.begin() + at, 1);
    const Atom rows = make(ops::slice, box, {split(r.source, r.dim, n, loc)}, loc);
    lax::Dims order{r.dim};
    for (int k = 0; k < type(rows).ndim(); ++k)
      if (k != r.dim) order.push_back(k);
    Atom out = make(ops::transpose, ops::Transpose{order}, {rows}, loc);
    const std::int64_t by = ((to.number() - number) % n + n) % n;
    return by == 0 ? out : make(ops::roll, ops::Roll{0, by}, {out}, loc);
  }

  // Dim d as two: of blocks and of the rows in one.
  Atom split(const Atom& x, int d, std::int64_t blocks, Loc loc) {
    Shape shape = type(x).shape;
    shape[d] /= blocks;
    shape.insert(d, blocks);
    return make(ops::reshape, ops::Reshape{shape}, {x}, loc);
  }

  // `x` in one block of dim d, `other` in the others.
  Atom one_block(const Atom& x, const Atom& other, int d, std::int64_t number, Loc loc) {
    const Atom place = make(ops::iota, ops::Iota{int32, type(x).shape, d}, {}, loc);
    const Atom here = make(ops::eq, {}, {place, Atom(Scalar(number).to(int32), false)}, loc);
    return make(ops::select, {}, {here, x, other}, loc);
  }

  const ProgramIndex index_;
  Views views_;
  std::vector<Layout> layouts_;  // by value
};

}  // namespace

ShardedProgram with_rows_in_blocks(const ShardedProgram& sharded) { return RowsInBlocks(sharded).run(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
