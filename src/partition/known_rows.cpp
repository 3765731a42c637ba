#include "partition/known_rows.hpp"

#include <algorithm>
#include <optional>

#include "array/known_values.hpp"
#include "ir/op.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/movement/affine_values.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/scatter.hpp"
#include "ops/movement/slice.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

// Of numbers that are worked out, and of runs of rows one behind the other.
constexpr std::int64_t most_numbers = 1 << 20;
constexpr std::size_t most_runs = 8;

struct Run {
  std::int64_t from, length;
};

// Windows of dim `dim` of operand 0, each `hop` elements behind the one before and longer than that: dims `dim` and
// `dim` + 1 of what is read or added are `count` windows of `length`. The dim is `steps` times as long as a hop.
struct Frames {
  int dim;
  std::int64_t hop, count, length, steps;
  std::int64_t pieces() const { return (length + hop - 1) / hop; }
  std::int64_t width(std::int64_t piece) const { return std::min(hop, length - piece * hop); }
};

bool is_exact(DType d) { return d.is_integer() || d == float32 || d == float64 || d.is_complex(); }

class KnownRows : Rewriting {
 public:
  explicit KnownRows(const ShardedProgram& sharded) : Rewriting(sharded), counts_(p_), known_(p_, most_numbers) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_known_rows);
      const std::optional<int> dim = rows_of(e);
      const std::vector<Run> runs = dim ? runs_of(e, *dim) : std::vector<Run>{};
      const std::optional<Frames> frames = runs.empty() ? frames_of(e) : std::nullopt;
      changed_ = changed_ || !runs.empty() || frames;
      if (frames)
        e.op->window == Op::Window::read ? read_frames(e, *frames) : add_frames(e, *frames);
      else if (runs.empty())
        push(std::move(e), std::move(bodies));
      else
        put_together(e, *dim, runs);
    }
    return done();
  }

 private:
  // The dim of which the Eqn reads rows into the same dim of its result.
  std::optional<int> rows_of(const Eqn& e) const {
    if (e.op->window != Op::Window::read || e.operands[0].is_literal() || e.operands[1].is_literal())
      return std::nullopt;
    const auto& gather = e.params.get<ops::Gather>();
    const Shape &from = p_.types[e.operands[0].id].shape, &to = p_.types[e.results[0]].shape;
    if (gather.dims.start_index_map.size() != 1 || gather.dims.collapsed_slice_dims != gather.dims.start_index_map ||
        !gather.dims.operand_batching_dims.empty() || from.ndim() != to.ndim() || to.num_elements() == 0)
      return std::nullopt;
    const auto d = static_cast<int>(gather.dims.start_index_map[0]);
    for (int k = 0; k < from.ndim(); ++k)
      if (k != d && gather.sizes[k] != from[k]) return std::nullopt;
    for (int k = 0, window = 0; k < to.ndim(); ++k)
      if (k != d && gather.dims.offset_dims[window++] != k) return std::nullopt;
    return d;
  }

  std::vector<Run> runs_of(const Eqn& e, int dim) {
    const ValueId numbers = e.operands[1].id;
    const Type& type = p_.types[numbers];
    if (type.num_elements() > most_numbers || !type.dtype.is_integer() || !known_.knows(numbers)) return {};
    const std::int64_t rows = p_.types[e.operands[0].id].shape[dim];
    std::vector<Run> out;
    for (const std::int64_t at : known_.integers(numbers)) {
      if (at < 0 || at >= rows) return {};
      if (!out.empty() && out.back().from + out.back().length == at)
        ++out.back().length;
      else
        out.push_back({at, 1});
      if (out.size() > most_runs) return {};
    }
    return out;
  }

  void put_together(const Eqn& e, int dim, const std::vector<Run>& runs) {
    const Type source = types_[e.operands[0].id];
    std::vector<Atom> pieces;
    for (const Run& run : runs) {
      if (run.length == source.shape[dim]) {
        pieces.push_back(e.operands[0]);
        continue;
      }
      ops::SliceParams cut{lax::Dims(source.shape.size(), 0), source.shape.dims(), lax::Dims(source.shape.size(), 1)};
      cut.start[dim] = run.from;
      cut.limit[dim] = run.from + run.length;
      pieces.push_back(make(ops::slice, cut, {e.operands[0]}, e.loc));
    }
    make(ops::concatenate, ops::Concatenate{dim}, pieces, e.loc, e.results[0]);
  }

  // Where the dim is cut; all windows lie inside, or go round at its end.
  std::optional<Frames> frames_of(const Eqn& e) {
    const bool reads = e.op->window == Op::Window::read, adds = e.op->window == Op::Window::add;
    if ((!reads && !adds) || e.operands[0].is_literal() || e.operands[1].is_literal() || e.operands.back().is_literal())
      return std::nullopt;
    lax::GatherDims g;
    if (reads) {
      g = e.params.get<ops::Gather>().dims;
    } else {
      const lax::ScatterDims& d = e.params.get<ops::Scatter>().dims;
      g = {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims, {}};
    }
    const ValueId windows = reads ? e.results[0] : e.operands[2].id;
    const Type &x = p_.types[e.operands[0].id], &y = p_.types[windows], &indices = p_.types[e.operands[1].id];
    if (g.start_index_map.size() != 1 || g.collapsed_slice_dims != g.start_index_map || indices.ndim() != 3 ||
        !g.operand_batching_dims.empty() || x.dtype.is_key() || (adds && !is_exact(x.dtype)))
      return std::nullopt;
    const auto d = static_cast<int>(g.start_index_map[0]);
    for (int k = 0, window = 0; k < y.ndim(); ++k) {
      if (k == d || k == d + 1) continue;
      if (g.offset_dims[window++] != k || y.shape[k] != x.shape[k < d ? k : k - 1]) return std::nullopt;
    }
    const std::int64_t n = x.shape[d];
    const std::int64_t ways = std::max(in_.layouts[e.operands[0].id].ways(d), in_.layouts[windows].ways(d));
    if (ways < 2) return std::nullopt;
    const std::optional<ops::Affine> at = counts_.of(e.operands[1]);
    if (!at || at->offset != 0 || at->steps[1] != 1 || at->steps[0] < 1 || n % at->steps[0] != 0) return std::nullopt;
    const Frames f{d, at->steps[0], indices.shape[0], indices.shape[1], n / at->steps[0]};
    const bool inside = at->modulo == 0 && (f.count - 1) * f.hop + f.length <= n;
    const bool round = at->modulo == n && f.count == f.steps && f.length <= n;
    if (f.steps % ways != 0 || !(inside || round) || f.length <= f.hop ||
        f.pieces() > static_cast<std::int64_t>(most_runs))
      return std::nullopt;
    return f;
  }

  Atom part_of(const Atom& x, int dim, std::int64_t from, std::int64_t to, Loc loc, ValueId as = -1) {
    const Shape shape = type(x).shape;
    if (from == 0 && to == shape[dim] && as < 0) return x;
    ops::SliceParams cut{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
    cut.start[dim] = from;
    cut.limit[dim] = to;
    return make(ops::slice, cut, {x}, loc, as);
  }

  Atom padded(const Atom& x, int dim, std::int64_t to, Loc loc) {
    const std::int64_t n = type(x).shape[dim];
    if (n == to) return x;
    ops::Pad pad;
    pad.config.resize(type(x).shape.size());
    pad.config[dim].high = to - n;
    return make(ops::pad, pad, {x, Atom(Scalar(0.0).to(type(x).dtype), false)}, loc);
  }

  Atom turned(const Atom& x, const Frames& f, std::int64_t by, Loc loc) {
    by = (by % f.steps + f.steps) % f.steps;
    return by == 0 ? x : make(ops::roll, ops::Roll{f.dim, by}, {x}, loc);
  }

  // A row of hops; piece k of each window is row k behind its own.
  void read_frames(const Eqn& e, const Frames& f) {
    Shape rows = type(e.operands[0]).shape;
    rows[f.dim] = f.hop;
    rows.insert(f.dim, f.steps);
    const Atom x = make(ops::reshape, ops::Reshape{rows}, {e.operands[0]}, e.loc);
    const Layout &from = in_.layouts[e.operands[0].id], &to = in_.layouts[e.results[0]];
    out_.layouts[x.id].dims[f.dim] = from.ways(f.dim) > 1 ? from.dims[f.dim] : to.dims[f.dim];
    std::vector<Atom> pieces;
    for (std::int64_t k = 0; k < f.pieces(); ++k)
      pieces.push_back(turned(part_of(x, f.dim + 1, 0, f.width(k), e.loc), f, -k, e.loc));
    const bool all = f.count == f.steps;
    const Atom joined =
        make(ops::concatenate, ops::Concatenate{f.dim + 1}, pieces, e.loc, all ? e.results[0] : ValueId{-1});
    if (!all) part_of(joined, f.dim, 0, f.count, e.loc, e.results[0]);
  }

  void add_frames(const Eqn& e, const Frames& f) {
    const Atom windows = padded(e.operands[2], f.dim, f.steps, e.loc);
    Atom sum;
    for (std::int64_t k = 0; k < f.pieces(); ++k) {
      const Atom piece = part_of(windows, f.dim + 1, k * f.hop, k * f.hop + f.width(k), e.loc);
      const Atom there = turned(padded(piece, f.dim + 1, f.hop, e.loc), f, k, e.loc);
      sum = k == 0 ? there : make(ops::add, {}, {sum, there}, e.loc);
    }
    const Atom flat = make(ops::reshape, ops::Reshape{type(e.operands[0]).shape}, {sum}, e.loc);
    make(ops::add, {}, {e.operands[0], flat}, e.loc, e.results[0]);
  }

  ops::AffineValues counts_;
  KnownValues known_;
};

bool names_rows(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return e.op->window == Op::Window::read || e.op->window == Op::Window::add ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& s) { return names_rows(*s); });
  });
}

}  // namespace

ShardedProgram with_known_rows(const ShardedProgram& sharded) {
  return names_rows(*sharded.program) ? KnownRows(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
