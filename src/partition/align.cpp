#include "partition/align.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/dynamic_slice.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"
#include "partition/alignment.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

Scalar zero_of(DType d) { return d.is_bool() ? Scalar(false) : Scalar(0.0).to(d); }

// What a reduction may take any number of.
Scalar identity(Op::Reduce kind, DType d) {
  using Reduce = Op::Reduce;
  const bool least = kind == Reduce::max;
  if (kind == Reduce::all || (d.is_bool() && (kind == Reduce::min || kind == Reduce::prod))) return Scalar(true).to(d);
  if (kind == Reduce::prod) return Scalar(1.0).to(d);
  if (d.is_bool() || (kind != Reduce::max && kind != Reduce::min)) return zero_of(d);
  const double limit = std::numeric_limits<double>::infinity();
  if (d.is_inexact()) return Scalar(least ? -limit : limit).to(d);
  const int bits = 8 * static_cast<int>(d.size());
  Scalar out = Scalar(std::int64_t{0}).to(d);
  if (d.is_unsigned())
    out.integer = least ? 0 : bits == 64 ? -1 : (std::int64_t{1} << bits) - 1;
  else
    out.integer = least ? std::numeric_limits<std::int64_t>::min() >> (64 - bits)
                        : std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  return out;
}

class Aligning : Rewriting {
 public:
  Aligning(const ShardedProgram& sharded, Alignment base) : Rewriting(sharded), base_(std::move(base)) {
    changed_ = true;
    for (ValueId v : p_.inputs) made_.emplace(v, v);
  }

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) add(i);
    std::vector<Atom> outputs = p_.outputs;
    for (Atom& a : outputs) a = as_it_was(a, {});
    return done(std::move(outputs));
  }

 private:
  using Form = AlignedForm;

  const Alignment::Place* place(const Atom& a) const {
    if (a.is_literal()) return nullptr;
    const auto at = base_.places.find(a.id);
    return at == base_.places.end() ? nullptr : &at->second;
  }
  // Where it is on the base of `v`.
  const Alignment::Place* beside(ValueId v, const Atom& a) const { return base_.on(base_.places.at(v).base, a); }
  const Alignment::Base& base_of(ValueId v) const {
    return base_.bases[static_cast<std::size_t>(base_.places.at(v).base)];
  }
  std::int64_t extent(ValueId v) const { return base_of(v).extent; }
  std::int64_t length(ValueId v) const { return p_.types[v].shape[base_.places.at(v).dim]; }
  bool is_base(ValueId v) const { return length(v) == extent(v); }
  // Elements of a value that lie before the base.
  std::int64_t before(ValueId v) const { return std::max<std::int64_t>(0, -base_.places.at(v).at); }
  std::int64_t behind(ValueId v) const {
    return std::max<std::int64_t>(0, base_.places.at(v).at + length(v) - extent(v));
  }

  // ---- what stands for a value
  // Its elements from..to-1 of the dim.
  Atom elements(const Atom& a, std::int64_t from, std::int64_t to, Loc loc) {
    const Alignment::Place here = *place(a);
    if (const auto made = made_.find(a.id); made != made_.end()) return cut(made->second, here.dim, from, to, loc);
    const Whole& all = wholes_.at(a.id);
    std::vector<Atom> parts;
    auto take = [&](const Atom& x, std::int64_t first, std::int64_t n, std::int64_t at) {
      const std::int64_t low = std::max(from, first), high = std::min(to, first + n);
      if (low < high) parts.push_back(cut(x, here.dim, low - first + at, high - first + at, loc));
    };
    const std::int64_t rim = before(a.id), inside = length(a.id) - rim - behind(a.id);
    take(all.before, 0, rim, 0);
    take(all.base, rim, inside, std::max<std::int64_t>(0, here.at));
    take(all.behind, rim + inside, behind(a.id), 0);
    return joined(parts, here.dim, loc);
  }

  // On the base, element 0 at `at`; elements that would lie beyond are left out, and what is at other places is
  // anything.
  Atom on_base(const Atom& a, std::int64_t at, Loc loc) {
    if (!place(a)) return a;
    if (base_.constants.contains(a.id)) return whole(a, loc).base;
    auto [moved, fresh] = moved_.try_emplace({a.id, at});
    if (!fresh) return moved->second;
    const auto [d, base, here] = *place(a);
    const std::int64_t n = extent(a.id), shift = ((at - here) % n + n) % n;
    const Whole all = whole(a, loc);
    Atom out = all.base;
    if (shift != 0) {
      out = make(ops::roll, ops::Roll{d, shift}, {out}, loc);
      layout_as(out, a.id);
    }
    const std::int64_t first = at + before(a.id), last = first + n;  // of what was on the base, where it is now
    if (before(a.id) > 0 && first > 0) {
      const std::int64_t hidden = std::max<std::int64_t>(0, -at);
      const Atom rim = cut(all.before, d, hidden, before(a.id), loc);
      out = chosen(out, padded(rim, d, at + hidden, n - first, loc), d, first, n, loc);
    }
    if (behind(a.id) > 0 && last < n) {
      const std::int64_t seen = std::min(behind(a.id), n - last);
      const Atom rim = cut(all.behind, d, 0, seen, loc);
      out = chosen(out, padded(rim, d, last, n - last - seen, loc), d, 0, last, loc);
    }
    return moved_[{a.id, at}] = out;
  }

  // With the elements that it has in the program as it came.
  Atom as_it_was(const Atom& a, Loc loc) {
    if (a.is_literal()) return a;
    auto made = made_.find(a.id);
    if (made != made_.end()) return made->second;
    const int d = base_.places.at(a.id).dim;
    const Atom x = length(a.id) < extent(a.id) ? cut(on_base(a, 0, loc), d, 0, length(a.id), loc)
                                               : elements(a, 0, length(a.id), loc);
    out_.layouts[x.id] = in_.layouts[a.id];
    types_[x.id].weak = p_.types[a.id].weak;
    made_.emplace(a.id, x);
    return x;
  }

  // What lies on the base, from its own place on, and what does not.
  struct Whole {
    Atom base, before, behind;
  };
  Whole whole(const Atom& a, Loc loc) {
    if (const auto found = wholes_.find(a.id); found != wholes_.end()) return found->second;
    const Atom x = made_.at(a.id);
    const auto [d, base, at] = *place(a);
    const std::int64_t n = length(a.id), rim = before(a.id), inside = n - rim - behind(a.id);
    Whole out{x, {}, {}};
    if (n < extent(a.id) && base_.constants.contains(a.id)) {
      Shape shape = type(x).shape;
      lax::Dims dims;
      for (int k = 0; k < shape.ndim(); ++k) dims.push_back(k);
      shape[d] = extent(a.id);
      out.base = make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, dims}, {cut(x, d, 0, 1, loc)}, loc);
    } else if (n < extent(a.id))
      out.base = padded(x, d, at, extent(a.id) - at - n, loc);
    else if (n > extent(a.id))
      out = {cut(x, d, rim, rim + inside, loc), cut(x, d, 0, rim, loc), cut(x, d, rim + inside, n, loc)};
    if (n != extent(a.id)) layout_as(out.base, a.id);
    wholes_.emplace(a.id, out);
    return out;
  }
  void define(ValueId v, const Whole& all) {
    const bool fresh = all.base.id >= static_cast<ValueId>(p_.types.size());
    if (is_base(v)) {
      made_[v] = all.base;
      if (fresh) out_.layouts[all.base.id] = in_.layouts[v];
      return;
    }
    wholes_[v] = all;
    if (fresh) layout_as(all.base, v);
  }
  // The value of which f(from, to) makes elements from..to-1 where these do not lie on the base.
  template <class F> void define(ValueId v, const Atom& on_base, F f) {
    const std::int64_t n = length(v);
    Whole all{on_base, {}, {}};
    if (before(v) > 0) all.before = f(0, before(v));
    if (behind(v) > 0) all.behind = f(n - behind(v), n);
    define(v, all);
  }

  void layout_as(const Atom& wide, ValueId v) {
    Layout layout = in_.layouts[v];
    const int d = base_.places.at(v).dim;
    if (layout.dims[d].empty()) {
      for (const AxisRef& ref : base_of(v).axes) {
        const auto same = [&](const AxisRef& r) { return r.axis == ref.axis; };
        for (const AxisRefs& refs : layout.dims)
          if (std::any_of(refs.begin(), refs.end(), same)) return;
      }
      layout.dims[d] = base_of(v).axes;
    }
    out_.layouts[wide.id] = layout;
    types_[wide.id].weak = p_.types[v].weak;
  }

  // ---- pieces
  Atom cut(const Atom& x, int d, std::int64_t from, std::int64_t to, Loc loc) {
    const Shape shape = type(x).shape;
    if (from == 0 && to == shape[d]) return x;
    ops::SliceParams s{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
    s.start[d] = from;
    s.limit[d] = to;
    return make(ops::slice, s, {x}, loc);
  }
  Atom joined(const std::vector<Atom>& parts, int d, Loc loc) {
    return parts.size() == 1 ? parts[0] : make(ops::concatenate, ops::Concatenate{d}, parts, loc);
  }
  Atom padded(const Atom& x, int d, std::int64_t low, std::int64_t high, Loc loc) {
    ops::Pad pad{std::vector<lax::PadDim>(type(x).shape.size())};
    pad.config[static_cast<std::size_t>(d)] = {low, high, 0};
    return make(ops::pad, pad, {x, Atom(zero_of(type(x).dtype), false)}, loc);
  }
  Atom filled(const Atom& scalar, const Shape& shape, Loc loc) {
    return make(ops::broadcast_in_dim, ops::BroadcastInDim{shape, {}}, {scalar}, loc);
  }
  Atom number(std::int64_t n) const { return {Scalar(n).to(int32), false}; }

  // Whether an element's place along `d` is in from..to-1; a literal where all are.
  Atom within(const Shape& shape, int d, std::int64_t from, std::int64_t to, Loc loc) {
    const bool low = from > 0, high = to < shape[d];
    if (!low && !high) return {Scalar(true), false};
    auto [mask, fresh] = masks_.try_emplace({shape.dims(), d, from, to});
    if (!fresh) return mask->second;
    const Atom at = make(ops::iota, ops::Iota{int32, shape, d}, {}, loc);
    Atom out;
    if (low) out = make(ops::ge, {}, {at, number(from)}, loc);
    if (high) {
      const Atom below = make(ops::lt, {}, {at, number(to)}, loc);
      out = low ? make(ops::bitwise_and, {}, {out, below}, loc) : below;
    }
    return mask->second = out;
  }
  // x where an element's place is in from..to-1, else `other`.
  Atom chosen(const Atom& x, const Atom& other, int d, std::int64_t from, std::int64_t to, Loc loc) {
    const Shape shape = type(x).shape;
    const Atom mask = within(shape, d, from, to, loc);
    if (mask.is_literal()) return x;
    const Atom rest = other.is_literal() || type(other).ndim() < shape.ndim() ? filled(other, shape, loc) : other;
    return make(ops::select, {}, {mask, x, rest}, loc);
  }

  // ---- Eqns
  void add(int i) {
    const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
    switch (base_.forms[static_cast<std::size_t>(i)]) {
      case Form::slice: return add_slice(e);
      case Form::pad: return add_pad(i);
      case Form::joined: return add_joined(e);
      case Form::update: return add_update(i);
      case Form::index: return add_index(e);
      case Form::each: return add_each(i);
      case Form::reduced:
      case Form::product: return add_reduced(i);
      case Form::other: return keep(i);
    }
  }

  // The Eqn as it came.
  void keep(int i) {
    const Eqn& was = p_.eqns[static_cast<std::size_t>(i)];
    Eqn e = was;
    if (e.op == &ops::slice && cut_from_base(e)) return;
    for (Atom& a : e.operands) a = as_it_was(a, e.loc);
    for (ValueId r : e.results) made_.emplace(r, r);
    push(std::move(e), i < static_cast<int>(in_.bodies.size()) ? in_.bodies[static_cast<std::size_t>(i)]
                                                               : std::vector<ShardedProgram>{});
  }

  // A slice that is no part of the base is taken where the elements lie.
  bool cut_from_base(const Eqn& e) {
    const Alignment::Place* at = place(e.operands[0]);
    if (!at || made_.contains(e.operands[0].id) || length(e.operands[0].id) > extent(e.operands[0].id)) return false;
    auto s = e.params.get<ops::SliceParams>();
    s.start[at->dim] += at->at;
    s.limit[at->dim] += at->at;
    make(ops::slice, s, {on_base(e.operands[0], at->at, e.loc)}, e.loc, e.results[0]);
    made_.emplace(e.results[0], e.results[0]);
    return true;
  }

  void add_slice(const Eqn& e) {
    const ValueId r = e.results[0];
    const auto [d, base, at] = base_.places.at(r);
    const auto& params = e.params.get<ops::SliceParams>();
    const std::int64_t start = params.start[d];
    // In the other dims.
    auto sliced = [&, d = d](const Atom& x) {
      auto s = params;
      s.start[d] = 0;
      s.limit[d] = type(x).shape[d];
      bool whole = true;
      for (int k = 0; k < type(x).ndim(); ++k)
        whole = whole && s.start[k] == 0 && s.strides[k] == 1 && s.limit[k] == type(x).shape[k];
      return whole ? x : make(ops::slice, s, {x}, e.loc);
    };
    define(r, sliced(on_base(e.operands[0], at - start, e.loc)), [&](std::int64_t from, std::int64_t to) {
      return sliced(elements(e.operands[0], start + from, start + to, e.loc));
    });
  }

  void add_pad(int i) {
    const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
    const ValueId r = e.results[0];
    const auto [d, base, at] = base_.places.at(r);
    const auto& params = e.params.get<ops::Pad>();
    const Atom& source = e.operands[0];
    const std::int64_t low = params.config[static_cast<std::size_t>(d)].low, n = p_.type(source).shape[d];
    const bool member = beside(r, source) != nullptr;
    if (!member && (at + low < 0 || at + low + n > extent(r))) return keep(i);
    const Atom fill = as_it_was(e.operands[1], e.loc);
    auto padded = [&, d = d](const Atom& x, std::int64_t below, std::int64_t above) {
      auto pad = params;
      pad.config[static_cast<std::size_t>(d)] = {below, above, 0};
      const bool any = std::any_of(pad.config.begin(), pad.config.end(),
                                   [](const lax::PadDim& p) { return p.low != 0 || p.high != 0 || p.interior != 0; });
      return any ? make(ops::pad, pad, {x, fill}, e.loc) : x;
    };
    const Atom inside =
        member ? chosen(padded(on_base(source, at + low, e.loc), 0, 0), fill, d, at + low, at + low + n, e.loc)
               : padded(as_it_was(source, e.loc), at + low, extent(r) - at - low - n);
    define(r, inside, [&, d = d](std::int64_t from, std::int64_t to) {
      const std::int64_t first = std::clamp<std::int64_t>(from - low, 0, n),
                         last = std::clamp<std::int64_t>(to - low, 0, n);
      if (first < last)
        return padded(
            member ? elements(source, first, last, e.loc) : cut(as_it_was(source, e.loc), d, first, last, e.loc),
            first + low - from, to - last - low);
      Shape shape = p_.types[r].shape;
      shape[d] = to - from;
      return filled(fill, shape, e.loc);
    });
  }

  void add_joined(const Eqn& e) {
    const ValueId r = e.results[0];
    const auto [d, base, at] = base_.places.at(r);
    std::vector<std::pair<std::int64_t, Atom>> pieces;  // by their ends on the base
    std::int64_t start = 0;
    for (const Atom& a : e.operands) {
      const std::int64_t n = p_.type(a).shape[d];
      const std::int64_t first = std::max<std::int64_t>(0, at + start), last = std::min(extent(r), at + start + n);
      if (first < last) {
        const Atom x = beside(r, a) ? on_base(a, at + start, e.loc)
                                    : padded(cut(as_it_was(a, e.loc), d, first - at - start, last - at - start, e.loc),
                                             d, first, extent(r) - last, e.loc);
        if (!pieces.empty() && pieces.back().second == x)
          pieces.back().first = last;
        else
          pieces.emplace_back(last, x);
      }
      start += n;
    }
    Atom out = pieces.back().second;
    for (std::size_t k = pieces.size() - 1; k-- > 0;) out = chosen(pieces[k].second, out, d, 0, pieces[k].first, e.loc);
    define(r, out, [&, d = d](std::int64_t from, std::int64_t to) {
      std::vector<Atom> parts;
      std::int64_t begin = 0;
      for (const Atom& a : e.operands) {
        const std::int64_t n = p_.type(a).shape[d];
        const std::int64_t first = std::max(from, begin) - begin, last = std::min(to, begin + n) - begin;
        if (first < last)
          parts.push_back(beside(r, a) ? elements(a, first, last, e.loc)
                                       : cut(as_it_was(a, e.loc), d, first, last, e.loc));
        begin += n;
      }
      return joined(parts, d, e.loc);
    });
  }

  void add_update(int i) {
    const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
    const ValueId r = e.results[0];
    const auto [d, base, at] = base_.places.at(r);
    std::vector<Atom> operands = e.operands;
    Atom& start = operands[static_cast<std::size_t>(d) + 2];
    const std::int64_t from = at + start.literal.integer, n = p_.type(e.operands[1]).shape[d];
    if (from < 0 || from + n > extent(r)) return keep(i);
    const bool member = beside(r, e.operands[1]) != nullptr;
    start = {Scalar(member ? std::int64_t{0} : from).to(start.literal.dtype), start.weak};
    const Atom x = operands[0] = on_base(e.operands[0], at, e.loc);
    operands[1] = member ? on_base(e.operands[1], from, e.loc) : as_it_was(e.operands[1], e.loc);
    Atom out = operands[1];
    if (!(type(out).shape == type(x).shape)) out = make(ops::dynamic_update_slice, {}, operands, e.loc);
    if (member) out = chosen(out, x, d, from, from + n, e.loc);
    define(r, out, [&](std::int64_t a, std::int64_t b) { return elements(e.operands[0], a, b, e.loc); });
  }

  void add_index(const Eqn& e) {
    const ValueId r = e.results[0];
    const auto [d, base, at] = base_.places.at(r);
    const DType dtype = p_.types[r].dtype;
    auto numbers = [&, d = d](std::int64_t n, std::int64_t first) {
      Shape shape = p_.types[r].shape;
      shape[d] = n;
      const Atom x = make(ops::iota, ops::Iota{dtype, shape, d}, {}, e.loc);
      if (first == 0) return x;
      return make(first < 0 ? ops::sub : ops::add, {}, {x, Atom(Scalar(std::abs(first)).to(dtype), false)}, e.loc);
    };
    define(r, numbers(extent(r), -at), [&](std::int64_t from, std::int64_t to) { return numbers(to - from, from); });
  }

  // Element by element, at the places of the first result.
  void add_each(int i) {
    const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
    const std::int64_t at = base_.places.at(e.results[0]).at;
    for (ValueId r : e.results) base_.places.at(r).at = at;
    const ValueId first = e.results[0];
    std::vector<Whole> results(e.results.size());
    auto each = [&](Atom Whole::*part, std::int64_t from, std::int64_t n) {
      const std::vector<ValueId> made = applied(e, n, part == &Whole::base && is_base(first), [&](const Atom& a) {
        return part == &Whole::base ? on_base(a, at, e.loc) : elements(a, from, from + n, e.loc);
      });
      for (std::size_t k = 0; k < made.size(); ++k) results[k].*part = made[k];
    };
    each(&Whole::base, 0, extent(first));
    if (before(first) > 0) each(&Whole::before, 0, before(first));
    if (behind(first) > 0) each(&Whole::behind, length(first) - behind(first), behind(first));
    for (std::size_t k = 0; k < results.size(); ++k) define(e.results[k], results[k]);
  }

  // The Eqn on n elements of the dim: of members what `operand` says. Its results, those of the Eqn where it `is` that.
  template <class F> std::vector<ValueId> applied(const Eqn& was, std::int64_t n, bool is, F operand) {
    Eqn e = was;
    LocalTypes types;
    for (Atom& a : e.operands) {
      types.global.push_back(p_.type(a));
      a = beside(was.results[0], a) ? operand(a) : as_it_was(a, e.loc);
      types.local.push_back(a.is_literal() ? types.global.back() : type(a));
    }
    for (ValueId r : was.results) {
      types.results.push_back(p_.types[r].shape);
      types.results.back()[base_.places.at(r).dim] = n;
    }
    if (e.op->localize) e.params = e.op->localize(e.params, types);
    if (!is) {
      const std::vector<Type> results = infer_types(*e.op, e.params, types.local, e.subs);
      for (std::size_t k = 0; k < results.size(); ++k) e.results[k] = value(results[k]);
    }
    std::vector<ValueId> made = e.results;
    push(std::move(e));
    return made;
  }

  // Over the dim: what does not count is replaced.
  void add_reduced(int i) {
    Eqn e = p_.eqns[static_cast<std::size_t>(i)];
    const ValueId of = e.operands[0].id;
    const std::int64_t at = base_.places.at(of).at;
    for (const Atom& a : e.operands)
      if (beside(of, a) && length(a.id) > extent(of)) return keep(i);
    for (Atom& a : e.operands) {
      const Alignment::Place* here = beside(of, a);
      if (!here) {
        a = as_it_was(a, e.loc);
        continue;
      }
      const Scalar rest = identity(e.op->reduce, p_.types[a.id].dtype);
      a = chosen(on_base(a, at, e.loc), Atom(rest, false), here->dim, at, at + length(a.id), e.loc);
    }
    for (ValueId r : e.results) made_.emplace(r, r);
    push(std::move(e));
  }

  Alignment base_;
  std::map<ValueId, Atom> made_;     // with the elements that it has
  std::map<ValueId, Whole> wholes_;  // of those that are no base
  std::map<std::pair<ValueId, std::int64_t>, Atom> moved_;
  std::map<std::tuple<std::vector<std::int64_t>, int, std::int64_t, std::int64_t>, Atom> masks_;
};

// The bodies first.
class Entering : Rewriting {
 public:
  explicit Entering(const ShardedProgram& sharded) : Rewriting(sharded) {}
  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_aligned_dims);
      push(std::move(e), std::move(bodies));
    }
    return done();
  }
};

}  // namespace

ShardedProgram with_aligned_dims(const ShardedProgram& sharded) {
  ShardedProgram out = Entering(sharded).run();
  std::set<std::pair<ValueId, int>> seen;
  while (const std::optional<Alignment> base = next_alignment(out, seen)) out = Aligning(out, *base).run();
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
