#include "partition/rolls.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "ir/op.hpp"
#include "ir/views.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"

namespace tutti {
namespace {

// Every segment of a cut dim is a choice between whole values.
constexpr std::size_t most_segments = 8;

class Rolling {
 public:
  explicit Rolling(const ShardedProgram& sharded) : in_(sharded), out_(sharded), p_(*sharded.program), views_(p_) {}

  ShardedProgram run() {
    out_.bodies.clear();
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      Eqn e = p_.eqns[i];
      std::vector<ShardedProgram> bodies;
      if (i < in_.bodies.size())
        for (std::size_t s = 0; s < in_.bodies[i].size(); ++s) {
          bodies.push_back(with_rolls(in_.bodies[i][s]));
          e.subs[s] = bodies.back().program;
        }
      views_.note(e);
      if (e.results.size() == 1 && is_cut(views_.along(e.results[0]), e))
        define(e, whole(views_.along(e.results[0]), p_.types[e.results[0]], e.loc));
      else if (e.results.size() == 1 && is_cut(views_.window(e.results[0]), e))
        define(e, whole(*views_.window(e.results[0]), e.results[0], e.loc));
      else
        add(std::move(e), std::move(bodies));
    }
    if (eqns_.size() == p_.eqns.size() && out_.layouts.size() == in_.layouts.size() && !any_body_) return in_;
    Program program = p_;
    for (Atom& a : program.outputs) put(a);
    program.eqns = std::move(eqns_);
    program.types = std::move(types_);
    out_.program = std::make_shared<Program>(std::move(program));
    return std::move(out_);
  }

 private:
  void put(Atom& a) const {
    if (const auto at = same_.find(a.id); !a.is_literal() && at != same_.end()) a.id = at->second;
  }

  // One that is there already stands for its equals; but what is made of nothing is made wherever it is wanted.
  void add(Eqn e, std::vector<ShardedProgram> bodies = {}) {
    std::size_t h = hash_combine(reinterpret_cast<std::size_t>(e.op), e.params.hash());
    bool from_values = false;
    for (Atom& a : e.operands) {
      put(a);
      from_values = from_values || !a.is_literal();
      h = hash_combine(h, a.is_literal() ? field::hash(a.literal) : static_cast<std::size_t>(a.id));
    }
    if (from_values && !e.op->effect && !e.op->host && e.subs.empty()) {
      const auto [from, to] = known_.equal_range(h);
      for (auto at = from; at != to; ++at) {
        const Eqn& o = eqns_[at->second];
        if (o.op != e.op || !(o.params == e.params) || o.operands != e.operands || !same_types(o, e)) continue;
        for (std::size_t k = 0; k < e.results.size(); ++k) same_[e.results[k]] = o.results[k];
        return;
      }
      known_.emplace(h, eqns_.size());
    }
    any_body_ = any_body_ || !bodies.empty();
    eqns_.push_back(std::move(e));
    out_.bodies.push_back(std::move(bodies));
  }
  bool same_types(const Eqn& a, const Eqn& b) const {
    for (std::size_t k = 0; k < a.results.size(); ++k)
      if (!(types_[a.results[k]] == types_[b.results[k]])) return false;
    return true;
  }

  const Type& type(const Atom& a) const { return types_[a.id]; }
  bool turns(const Segment& s, const Type& result, int dim) const {
    return !s.source.is_literal() && type(s.source).ndim() > 0 && type(s.source).shape[dim] == result.shape[dim];
  }

  // Whether a dim of equal blocks is cut here, and some source is as long.
  bool is_cut(const Along& along, const Eqn& e) const {
    const ValueId v = e.results[0];
    if (along.dim < 0 || along.segments.size() > most_segments || p_.types[v].dtype.is_key()) return false;
    std::int64_t ways = in_.layouts[v].ways(along.dim);
    bool any = false, moved = along.segments.size() > 1;
    for (const Segment& s : along.segments) {
      if (!turns(s, p_.types[v], along.dim)) continue;
      any = true;
      ways = std::max(ways, in_.layouts[s.source.id].ways(along.dim));
      moved = moved || s.at != s.from || std::find(e.operands.begin(), e.operands.end(), s.source) == e.operands.end();
    }
    return any && moved && ways > 1 && p_.types[v].shape[along.dim] % ways == 0;
  }

  // Whether the window moves along such a dim, or is the way back of one that changed its extent.
  bool is_cut(const std::optional<Window>& window, const Eqn& e) const {
    const ValueId v = e.results[0];
    if (!window || p_.types[v].dtype.is_key() || e.operands[0].is_literal()) return false;
    const Shape &to = p_.types[v].shape, &operand = p_.type(e.operands[0]).shape;
    for (int d = 0; d < to.ndim(); ++d)
      if (is_cut(*window, v, d) && (moves(*window, d) || operand[d] != to[d])) return true;
    return false;
  }
  bool is_cut(const Window& w, ValueId v, int d) const {
    const std::int64_t n = p_.types[v].shape[d];
    const std::int64_t ways = std::max(in_.layouts[v].ways(d), in_.layouts[w.source].ways(d));
    return ways > 1 && p_.types[w.source].shape[d] == n && n % ways == 0;
  }

  // Whether a dim is not that of the source from end to end.
  bool moves(const Window& w, int d) const {
    const std::int64_t n = p_.types[w.source].shape[d];
    return w.spans[d].start != 0 || w.spans[d].low > 0 || w.spans[d].high < n;
  }

  Atom make(const Home& op, Params params, std::vector<Atom> operands, Loc loc) {
    Eqn e{&static_cast<const Op&>(op), std::move(params), std::move(operands), {}, {}, loc};
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(a.is_literal() ? p_.type(a) : types_[a.id]);
    types_.push_back(infer_types(*e.op, e.params, types, {})[0]);
    out_.layouts.push_back(Layout::replicated(types_.back().ndim()));
    e.results = {static_cast<ValueId>(types_.size()) - 1};
    Atom out(e.results[0]);
    add(std::move(e));
    put(out);
    return out;
  }

  Atom slice(const Atom& x, int dim, std::int64_t from, std::int64_t to, Loc loc) {
    const Shape shape = type(x).shape;
    ops::SliceParams cut{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
    if (dim >= 0) {
      cut.start[dim] = from;
      cut.limit[dim] = to;
    }
    return make(ops::slice, cut, {x}, loc);
  }
  Atom pad(const Atom& x, const Atom& value, int dim, std::int64_t low, std::int64_t high, Loc loc) {
    ops::Pad pad{std::vector<lax::PadDim>(type(x).shape.size())};
    pad.config[dim].low = low;
    pad.config[dim].high = high;
    return make(ops::pad, pad, {x, value}, loc);
  }

  // The whole result, of which one segment counts.
  Atom spread(const Segment& s, const Type& result, int dim, Loc loc) {
    const std::int64_t n = result.shape[dim];
    if (s.source.is_literal() || type(s.source).ndim() == 0)
      return make(ops::broadcast_in_dim, ops::BroadcastInDim{result.shape, {}}, {s.source}, loc);
    if (turns(s, result, dim)) {
      const std::int64_t shift = ((s.at - s.from) % n + n) % n;
      if (shift == 0) return s.source;
      return make(ops::roll, ops::Roll{dim, shift}, {s.source}, loc);
    }
    Atom part = s.source;
    if (s.length != type(part).shape[dim]) part = slice(part, dim, s.from, s.from + s.length, loc);
    const Scalar zero = result.dtype.is_bool() ? Scalar(false) : Scalar(0.0).to(result.dtype);
    return pad(part, Atom(zero, false), dim, s.at, n - s.at - s.length, loc);
  }

  // As rolls and choices between them.
  Atom whole(const Along& along, const Type& result, Loc loc) {
    const std::int64_t n = result.shape[along.dim];
    std::vector<Segment> merged;  // those of one turn count as one
    for (const Segment& s : along.segments) {
      const bool same = !merged.empty() && turns(s, result, along.dim) && merged.back().source == s.source &&
                        (merged.back().at - merged.back().from - s.at + s.from) % n == 0;
      if (same)
        merged.back().length += s.length;
      else
        merged.push_back(s);
    }
    Atom out = spread(merged.back(), result, along.dim, loc), place;
    for (std::size_t i = merged.size() - 1; i-- > 0;) {
      if (place.is_literal()) place = make(ops::iota, ops::Iota{int32, result.shape, along.dim}, {}, loc);
      const Scalar end = Scalar(static_cast<std::int64_t>(merged[i].at + merged[i].length)).to(int32);
      const Atom before = make(ops::lt, {}, {place, Atom(end, false)}, loc);
      out = make(ops::select, {}, {before, spread(merged[i], result, along.dim, loc), out}, loc);
    }
    return out;
  }

  // Dim by dim: first those that are cut, so that windows on one source share their rolls.
  Atom whole(const Window& w, ValueId result, Loc loc) {
    Atom out(w.source);
    const Shape& shape = p_.types[result].shape;
    for (const bool cut : {true, false})
      for (int d = 0; d < shape.ndim(); ++d) {
        const std::int64_t n = shape[d];
        if (is_cut(w, result, d) != cut || (p_.types[w.source].shape[d] == n && !moves(w, d))) continue;
        const Window::Span& s = w.spans[d];
        const std::int64_t first = std::clamp<std::int64_t>(s.low - s.start, 0, n),
                           last = std::clamp<std::int64_t>(s.high - s.start, first, n);
        if (cut) {
          out = turned(out, w.fill, d, first, last, s.start, loc);
        } else {
          out = slice(out, d, first + s.start, last + s.start, loc);
          if (first > 0 || last < n) out = pad(out, *w.fill, d, first, n - last, loc);
        }
      }
    return out;
  }

  // Along dim `d` elements `first` to `last` are those of `x` from first + start on, the others are `fill`.
  Atom turned(const Atom& x, const std::optional<Atom>& fill, int d, std::int64_t first, std::int64_t last,
              std::int64_t start, Loc loc) {
    const Type result = type(x);
    const std::int64_t n = result.shape[d];
    Along along{d, {}};
    if (first > 0) along.segments.push_back({0, first, *fill, 0});
    if (first < last) along.segments.push_back({first, last - first, x, first + start});
    if (last < n) along.segments.push_back({last, n - last, *fill, 0});
    return whole(along, result, loc);
  }

  // The result of the Eqn is this.
  void define(const Eqn& e, Atom what) {
    put(what);
    same_[e.results[0]] = what.id;
  }

  const ShardedProgram& in_;
  ShardedProgram out_;
  const Program& p_;
  Views views_;
  std::vector<Eqn> eqns_;
  std::vector<Type> types_ = in_.program->types;
  std::map<ValueId, ValueId> same_;                          // what stands for a value
  std::unordered_multimap<std::size_t, std::size_t> known_;  // Eqns by their hashes
  bool any_body_ = false;
};

}  // namespace

ShardedProgram with_rolls(const ShardedProgram& sharded) { return Rolling(sharded).run(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
