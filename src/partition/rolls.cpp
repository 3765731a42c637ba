#include "partition/rolls.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_segments = 8;

// Elements `at`, `at + 1` ... of a dim are those of `source` from `from` on; of a scalar all are the same.
struct Segment {
  std::int64_t at, length;
  Atom source;
  std::int64_t from;
};
// What a value is along one dim; in all others it is as its sources are.
struct Along {
  int dim = -1;
  std::vector<Segment> segments;
};

class Rolling {
 public:
  explicit Rolling(const ShardedProgram& sharded) : in_(sharded), out_(sharded), p_(*sharded.program) {}

  ShardedProgram run() {
    along_.resize(p_.types.size());
    out_.bodies.clear();
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      Eqn e = p_.eqns[i];
      std::vector<ShardedProgram> bodies;
      if (i < in_.bodies.size())
        for (std::size_t s = 0; s < in_.bodies[i].size(); ++s) {
          bodies.push_back(with_rolls(in_.bodies[i][s]));
          e.subs[s] = bodies.back().program;
        }
      if (e.results.size() == 1 && e.subs.empty()) note(e);
      if (e.results.size() == 1 && is_cut(along_[e.results[0]], e.results[0]))
        replace(e);
      else
        add(std::move(e), std::move(bodies));
    }
    drop_dead();
    if (eqns_.size() == p_.eqns.size() && out_.layouts.size() == in_.layouts.size() && !any_body_) return in_;
    Program program = p_;
    program.eqns = std::move(eqns_);
    program.types = std::move(types_);
    out_.program = std::make_shared<Program>(std::move(program));
    return std::move(out_);
  }

 private:
  void add(Eqn e, std::vector<ShardedProgram> bodies = {}) {
    any_body_ = any_body_ || !bodies.empty();
    eqns_.push_back(std::move(e));
    out_.bodies.push_back(std::move(bodies));
  }

  // The boxes that an Eqn puts together, where these differ along one dim only.
  void note(const Eqn& e) {
    const Type& result = p_.types[e.results[0]];
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(p_.type(a));
    const Call call{*e.op, e.params, types, e.subs};
    std::vector<Piece> pieces;
    if (e.op->pieces) pieces = e.op->pieces(call, result);
    if (pieces.empty() && e.op->view) pieces = as_piece(e.op->view(call, result), types[0], result);
    std::erase_if(pieces,
                  [](const Piece& b) { return std::find(b.extents.begin(), b.extents.end(), 0) != b.extents.end(); });
    if (pieces.empty() || result.shape.num_elements() == 0) return;
    Along out;
    for (int d = 0; d < result.ndim(); ++d)
      for (const Piece& piece : pieces) {
        const Type& from = types[piece.operand];
        const bool whole =
            piece.extents[d] == result.shape[d] && (from.ndim() == 0 || from.shape[d] == result.shape[d]);
        if (whole) continue;
        if (out.dim >= 0 && out.dim != d) return;
        out.dim = d;
      }
    if (out.dim < 0) return;
    for (const Piece& piece : pieces)
      out.segments.push_back({piece.start[out.dim], piece.extents[out.dim], e.operands[piece.operand],
                              types[piece.operand].ndim() == 0 ? 0 : piece.from[out.dim]});
    std::sort(out.segments.begin(), out.segments.end(), [](const Segment& a, const Segment& b) { return a.at < b.at; });
    along_[e.results[0]] = seen_through(out);
  }

  // A slice is one box of its operand.
  static std::vector<Piece> as_piece(const std::optional<View>& view, const Type& from, const Type& result) {
    if (!view || from.ndim() != result.ndim() || from.ndim() == 0) return {};
    Piece out{0, std::vector<std::int64_t>(result.shape.size(), 0), result.shape.dims(), {}};
    std::int64_t stride = from.shape.num_elements(), rest = view->offset;
    for (int d = 0; d < from.ndim(); ++d) {
      if (from.shape[d] == 0) return {};
      stride /= from.shape[d];
      if (view->strides[d] != stride && result.shape[d] > 1) return {};
      out.from.push_back(rest / stride);
      rest %= stride;
      if (out.from.back() + result.shape[d] > from.shape[d]) return {};
    }
    return {out};
  }

  // Segments of values that are themselves put together so, as segments of what these are made of.
  Along seen_through(const Along& what) const {
    Along out{what.dim, {}};
    for (const Segment& s : what.segments) {
      const Along* inner = s.source.is_literal() ? nullptr : &along_[s.source.id];
      if (!inner || inner->dim != what.dim) {
        out.segments.push_back(s);
        continue;
      }
      for (const Segment& t : inner->segments) {
        const std::int64_t first = std::max(t.at, s.from), last = std::min(t.at + t.length, s.from + s.length);
        if (first < last)
          out.segments.push_back({s.at + first - s.from, last - first, t.source, t.from + first - t.at});
      }
    }
    return out.segments.size() > most_segments ? Along{} : out;
  }

  std::int64_t extent(ValueId v, int dim) const { return p_.types[v].shape[dim]; }
  bool turns(const Segment& s, ValueId result, int dim) const {
    return !s.source.is_literal() && p_.type(s.source).ndim() > 0 && extent(s.source.id, dim) == extent(result, dim);
  }

  // Whether a dim of equal blocks is cut here, and some source is as long.
  bool is_cut(const Along& along, ValueId v) const {
    if (along.dim < 0 || p_.types[v].dtype.is_key()) return false;
    std::int64_t ways = in_.layouts[v].ways(along.dim);
    bool any = false, moved = along.segments.size() > 1;
    for (const Segment& s : along.segments) {
      if (!turns(s, v, along.dim)) continue;
      any = true;
      ways = std::max(ways, in_.layouts[s.source.id].ways(along.dim));
      moved = moved || s.at != s.from;
    }
    return any && moved && ways > 1 && extent(v, along.dim) % ways == 0;
  }

  Atom make(const Home& op, Params params, std::vector<Atom> operands, Loc loc) {
    Eqn e{&static_cast<const Op&>(op), std::move(params), std::move(operands), {}, {}, loc};
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(a.is_literal() ? p_.type(a) : types_[a.id]);
    types_.push_back(infer_types(*e.op, e.params, types, {})[0]);
    out_.layouts.push_back(Layout::replicated(types_.back().ndim()));
    e.results = {static_cast<ValueId>(types_.size()) - 1};
    const Atom out(e.results[0]);
    add(std::move(e));
    return out;
  }

  // The whole result, of which one segment counts.
  Atom spread(const Segment& s, ValueId result, int dim, Loc loc) {
    const Type& type = p_.types[result];
    const std::int64_t n = type.shape[dim];
    if (p_.type(s.source).ndim() == 0)
      return make(ops::broadcast_in_dim, ops::BroadcastInDim{type.shape, {}}, {s.source}, loc);
    if (turns(s, result, dim)) {
      const std::int64_t shift = ((s.at - s.from) % n + n) % n;
      return shift == 0 ? s.source : make(ops::roll, ops::Roll{dim, shift}, {s.source}, loc);
    }
    Atom part = s.source;
    const Shape& shape = p_.types[part.id].shape;
    if (s.length != shape[dim]) {
      ops::SliceParams cut{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
      cut.start[dim] = s.from;
      cut.limit[dim] = s.from + s.length;
      part = make(ops::slice, cut, {part}, loc);
    }
    ops::Pad pad{std::vector<lax::PadDim>(shape.size())};
    pad.config[dim].low = s.at;
    pad.config[dim].high = n - s.at - s.length;
    const Scalar zero = type.dtype.is_bool() ? Scalar(false) : Scalar(0.0).to(type.dtype);
    return make(ops::pad, pad, {part, Atom(zero, false)}, loc);
  }

  // The Eqn as rolls and choices between them.
  void replace(const Eqn& e) {
    const ValueId result = e.results[0];
    const Along& along = along_[result];
    const std::int64_t n = extent(result, along.dim);
    std::vector<Segment> merged;  // those of one turn count as one
    for (const Segment& s : along.segments) {
      const bool same = !merged.empty() && turns(s, result, along.dim) && merged.back().source == s.source &&
                        (merged.back().at - merged.back().from - s.at + s.from) % n == 0;
      if (same)
        merged.back().length += s.length;
      else
        merged.push_back(s);
    }
    Atom whole = spread(merged.back(), result, along.dim, e.loc);
    Atom place;
    for (std::size_t i = merged.size() - 1; i-- > 0;) {
      if (place.is_literal()) place = make(ops::iota, ops::Iota{int32, p_.types[result].shape, along.dim}, {}, e.loc);
      const Scalar end = Scalar(static_cast<std::int64_t>(merged[i].at + merged[i].length)).to(int32);
      const Atom before = make(ops::lt, {}, {place, Atom(end, false)}, e.loc);
      whole = make(ops::select, {}, {before, spread(merged[i], result, along.dim, e.loc), whole}, e.loc);
    }
    if (eqns_.back().results == std::vector<ValueId>{whole.id} && whole.id >= static_cast<ValueId>(p_.types.size())) {
      eqns_.back().results[0] = result;  // the last Eqn makes it
      types_.pop_back();
      out_.layouts.pop_back();
    } else {
      add(Eqn{e});
    }
  }

  // Without what nobody reads any more.
  void drop_dead() {
    std::vector<char> live(types_.size(), 0);
    for (const Atom& a : p_.outputs)
      if (!a.is_literal()) live[a.id] = 1;
    std::vector<Eqn> kept;
    std::vector<std::vector<ShardedProgram>> bodies;
    for (std::size_t i = eqns_.size(); i-- > 0;) {
      Eqn& e = eqns_[i];
      const bool wanted = e.op->effect || !e.subs.empty() || e.results.empty() ||
                          std::any_of(e.results.begin(), e.results.end(), [&](ValueId r) { return live[r] != 0; });
      if (!wanted) continue;
      for (const Atom& a : e.operands)
        if (!a.is_literal()) live[a.id] = 1;
      kept.push_back(std::move(e));
      bodies.push_back(std::move(out_.bodies[i]));
    }
    std::reverse(kept.begin(), kept.end());
    std::reverse(bodies.begin(), bodies.end());
    eqns_ = std::move(kept);
    out_.bodies = std::move(bodies);
  }

  const ShardedProgram& in_;
  ShardedProgram out_;
  const Program& p_;
  std::vector<Along> along_;  // by value
  std::vector<Eqn> eqns_;
  std::vector<Type> types_ = in_.program->types;
  bool any_body_ = false;
};

}  // namespace

ShardedProgram with_rolls(const ShardedProgram& sharded) { return Rolling(sharded).run(); }

}  // namespace tutti
