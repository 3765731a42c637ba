#include "partition/strides.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ir/index.hpp"
#include "ir/op.hpp"
#include "ir/views.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "partition/stepped_boxes.hpp"

namespace tutti {
namespace {

// A dim that a reshape takes apart, in `count` times `step` elements.
struct Split {
  int dim;  // where there is one; the two are `dim` and the one behind it, moved by what was split before
  std::int64_t count, step;
};
// What a reshape from `one` to `two` splits; nothing where it does anything else.
std::optional<std::vector<Split>> splits_of(const Shape& one, const Shape& two) {
  std::vector<Split> out;
  int at = 0;
  for (int d = 0; d < one.ndim(); ++d) {
    if (at < two.ndim() && two[at] == one[d]) {
      ++at;
      continue;
    }
    if (at + 1 >= two.ndim() || two[at] * two[at + 1] != one[d] || two[at + 1] < 2) return std::nullopt;
    out.push_back({d, two[at], two[at + 1]});
    at += 2;
  }
  return at == two.ndim() ? std::optional(out) : std::nullopt;
}

// Whether what a window of `length` elements sees of a dim of `extent` is all there is at those places.
bool sees(const Window::Span& span, std::int64_t extent, std::int64_t length) {
  return (span.low <= 0 && span.high >= extent) || (span.low <= span.start && span.start + length <= span.high);
}

class Stepping : SteppedBoxes {
 public:
  explicit Stepping(const ShardedProgram& sharded) : SteppedBoxes(sharded), index_(p_), views_(p_) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_steps_as_dims);
      views_.note(p_.eqns[static_cast<std::size_t>(i)]);
      const bool written = add(e);
      changed_ = changed_ || written;
      if (!written) push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  bool add(const Eqn& e) {
    if (e.operands.empty() || e.operands[0].is_literal() || type(e.operands[0]).dtype.is_key()) return false;
    if (e.op == &ops::reshape) return add_split(e);
    if (e.op == &ops::slice) {
      if (const auto seen = seen_.find(e.operands[0].id); seen != seen_.end()) return add_seen(e, seen->second);
      return add_slice(e) || add_window(e);
    }
    return e.op == &ops::pad && (add_pad(e) || add_window(e));
  }

  // Whether the dim of `extent` elements is sharded in one of the values, in blocks of whole steps.
  bool cut(ValueId v, int d, ValueId w, int dw, std::int64_t extent, std::int64_t step) const {
    const std::int64_t ways = std::max(out_.layouts[v].ways(d), out_.layouts[w].ways(dw));
    return ways > 1 && extent > 0 && extent % (ways * step) == 0;
  }

  // The last Eqn makes the result.
  void finish(const Atom& out, ValueId result, Loc loc) {
    if (!eqns_.empty() && eqns_.back().results.size() == 1 && eqns_.back().results[0] == out.id &&
        out.id >= static_cast<ValueId>(p_.types.size()))
      eqns_.back().results[0] = result;
    else
      make(ops::reshape, ops::Reshape{type(out).shape}, {out}, loc, result);
  }

  // Where a value is a window, its source and that; else the value and all of it.
  Window window_of(const Atom& x) const {
    if (views_.window(x.id)) return *views_.window(x.id);
    Window out{x.id, std::nullopt, {}};
    for (std::int64_t n : p_.type(x).shape) out.spans.push_back({0, 0, n});
    return out;
  }

  // The value with `dims` (and steps) as two each, as its window sees its source. Nothing where no such dim is cut into
  // whole steps there; dims that are not stay as they are in the value.
  std::optional<Seen> seen_as(const Atom& x, const std::vector<Split>& dims, Loc loc) {
    const Window w = window_of(x);
    if (seen_.contains(w.source)) return std::nullopt;  // it is not there
    const Shape from = p_.types[w.source].shape, to = p_.type(x).shape;
    std::vector<Split> cut_dims;
    for (const Split& s : dims) {
      const Window::Span& span = w.spans[static_cast<std::size_t>(s.dim)];
      if (sees(span, from[s.dim], to[s.dim]) && cut(w.source, s.dim, x.id, s.dim, from[s.dim], s.step))
        cut_dims.push_back(s);
    }
    if (cut_dims.empty()) return std::nullopt;
    std::vector<Range> ranges = all_of(w.source);
    for (int d = 0; d < to.ndim(); ++d) {
      const auto k = static_cast<std::size_t>(d);
      const Window::Span& span = w.spans[k];
      if (std::any_of(cut_dims.begin(), cut_dims.end(), [&](const Split& s) { return s.dim == d; })) continue;
      ranges[k] = {span.start, span.start + to[d]};
      if (!sees(span, from[d], to[d])) return std::nullopt;
    }
    Seen out{box(w.source, ranges, w.fill, loc), {}, w.fill};
    Layout layout = out_.layouts[w.source];
    if (layout.ways(cut_dims[0].dim) == 1) layout = out_.layouts[x.id];
    int more = 0;
    for (const Split& s : cut_dims) {
      out.source = with_steps(out.source, s.dim + more, s.step, layout, loc);
      layout = out_.layouts[out.source.id];
      out.dims.push_back({s.dim + more, s.step, w.spans[static_cast<std::size_t>(s.dim)].start});
      ++more;
    }
    return out;
  }

  // A slice with steps.
  bool add_slice(const Eqn& e) {
    const auto s = e.params.get<ops::SliceParams>();
    std::vector<Split> dims;
    for (int d = 0; d < p_.type(e.operands[0]).ndim(); ++d)
      if (s.strides[d] > 1 && s.limit[d] > s.start[d]) dims.push_back({d, 0, s.strides[d]});
    if (dims.empty()) return false;
    std::optional<Seen> seen = seen_as(e.operands[0], dims, e.loc);
    if (!seen) return false;
    std::vector<Range> ranges;
    ops::SliceParams rest{{}, {}, {}};  // of dims that are not cut
    for (int d = 0; d < p_.type(e.operands[0]).ndim(); ++d) {
      const auto at = static_cast<int>(ranges.size());
      const auto stepped =
          std::find_if(seen->dims.begin(), seen->dims.end(), [&](const Stepped& t) { return t.dim == at; });
      const std::int64_t n = p_.types[e.results[0]].shape[d];
      rest.start.push_back(0);
      rest.limit.push_back(n);
      rest.strides.push_back(1);
      if (stepped == seen->dims.end()) {
        ranges.push_back({s.start[d], s.limit[d]});
        rest.limit.back() = s.limit[d] - s.start[d];
        rest.strides.back() = s.strides[d];
        continue;
      }
      stepped->offset += s.start[d];
      ranges.insert(ranges.end(), {{0, n}, {0, 1}});
    }
    Atom out = taken(*seen, ranges, e.loc);
    for (std::size_t k = seen->dims.size(); k-- > 0;) out = without_steps(out, seen->dims[k].dim, e.loc);
    make(ops::slice, rest, {out}, e.loc, e.results[0]);
    return true;
  }

  // A reshape that takes a dim apart: slices take what they see of it.
  bool add_split(const Eqn& e) {
    const auto dims = splits_of(type(e.operands[0]).shape, p_.types[e.results[0]].shape);
    if (!dims || dims->empty()) return false;
    const Window w = window_of(e.operands[0]);
    auto moves = [&](const Split& s) {
      return w.spans[static_cast<std::size_t>(s.dim)].start != 0 ||
             p_.types[w.source].shape[s.dim] != type(e.operands[0]).shape[s.dim];
    };
    std::vector<Split> moving;
    std::copy_if(dims->begin(), dims->end(), std::back_inserter(moving), moves);
    std::optional<Seen> seen = moving.empty() ? std::nullopt : seen_as(e.operands[0], moving, e.loc);
    if (!seen) return false;
    // The others are taken apart, too.
    for (const Split& s : *dims) {
      int at = s.dim;
      for (const Split& before : *dims) at += before.dim < s.dim ? 1 : 0;
      if (std::any_of(seen->dims.begin(), seen->dims.end(), [&](const Stepped& t) { return t.dim == at; })) continue;
      // Those behind that are two by now stand where they will, if all before are two.
      for (Stepped& t : seen->dims)
        if (t.dim >= at) ++t.dim;
      const Layout layout = out_.layouts[seen->source.id];
      seen->source = with_steps(seen->source, at, s.step, layout, e.loc);
    }
    const auto uses = index_.uses(e.results[0]);
    const bool sliced = !index_.is_output(e.results[0]) && std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
      const Eqn& user = p_.eqns[static_cast<std::size_t>(use.eqn)];
      return user.op == &ops::slice && has_unit_strides(user);
    });
    if (sliced) {
      seen_.emplace(e.results[0], *seen);
      return true;
    }
    std::vector<Range> all;
    for (std::int64_t n : p_.types[e.results[0]].shape) all.push_back({0, n});
    finish(taken(*seen, all, e.loc), e.results[0], e.loc);
    return true;
  }
  static bool has_unit_strides(const Eqn& slice) {
    const lax::Dims& strides = slice.params.get<ops::SliceParams>().strides;
    return std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s == 1; });
  }

  bool add_seen(const Eqn& e, const Seen& seen) {
    const auto& s = e.params.get<ops::SliceParams>();
    std::vector<Range> ranges;
    for (std::size_t d = 0; d < s.start.size(); ++d) ranges.push_back({s.start[d], s.limit[d]});
    finish(taken(seen, ranges, e.loc), e.results[0], e.loc);
    return true;
  }

  // A part of what a reshape puts together of steps: that part of the steps, put together.
  bool add_window(const Eqn& e) {
    const std::optional<Window>& w = views_.window(e.results[0]);
    if (!w || index_.producer(w->source) < 0) return false;
    const Eqn& made = p_.eqns[static_cast<std::size_t>(index_.producer(w->source))];
    if (made.op != &ops::reshape || made.operands[0].is_literal()) return false;
    const Shape one = p_.types[w->source].shape, to = p_.types[e.results[0]].shape;
    const auto dims = splits_of(one, p_.type(made.operands[0]).shape);
    if (!dims) return false;
    Seen seen{made.operands[0], {}, w->fill};
    std::vector<Range> ranges;
    std::vector<int> merged;  // dims that are one with the next
    for (int d = 0; d < one.ndim(); ++d) {
      const Window::Span& span = w->spans[static_cast<std::size_t>(d)];
      if (!sees(span, one[d], to[d])) return false;
      const auto at = static_cast<int>(ranges.size());
      const auto s = std::find_if(dims->begin(), dims->end(), [&](const Split& s) { return s.dim == d; });
      const bool moves = span.start != 0 || to[d] != one[d];
      if (s != dims->end() && moves && cut(e.results[0], d, w->source, d, to[d], s->step)) {
        seen.dims.push_back({at, s->step, span.start});
        ranges.insert(ranges.end(), {{0, to[d] / s->step}, {0, s->step}});
        continue;
      }
      if (s != dims->end()) merged.push_back(at);
      ranges.push_back({span.start, span.start + to[d]});
    }
    if (seen.dims.empty()) return false;
    for (int at : merged) seen.source = without_steps(seen.source, at, e.loc);
    Atom out = taken(seen, ranges, e.loc);
    for (std::size_t k = seen.dims.size(); k-- > 0;) out = without_steps(out, seen.dims[k].dim, e.loc);
    finish(out, e.results[0], e.loc);
    return true;
  }

  // Elements of dim d are number m of steps, whose others are `fill`.
  Atom among(const Atom& x, const Atom& fill, int d, std::int64_t m, std::int64_t step, Loc loc) {
    const Layout layout = out_.layouts[x.id];
    Layout apart = layout;
    apart.dims.insert(apart.dims.begin() + d + 1, AxisRefs{});
    Shape shape = type(x).shape;
    Shape all = shape;
    all[d] *= step;
    shape.insert(d + 1, 1);
    ops::Pad pad{std::vector<lax::PadDim>(shape.size())};
    pad.config[static_cast<std::size_t>(d) + 1] = {m, step - 1 - m, 0};
    const Atom steps = make(ops::pad, pad, {reshaped(x, shape, apart, loc), fill}, loc);
    out_.layouts[steps.id] = apart;
    return reshaped(steps, all, layout, loc);
  }

  bool add_pad(const Eqn& e) {
    auto pad = e.params.get<ops::Pad>();
    const ValueId r = e.results[0];
    std::vector<std::pair<int, std::int64_t>> dims;  // and where in a step the elements are
    const Layout layout = out_.layouts[r];
    for (int d = 0; d < p_.types[r].ndim(); ++d) {
      lax::PadDim& config = pad.config[static_cast<std::size_t>(d)];
      const std::int64_t step = config.interior + 1, n = p_.types[r].shape[d], of = p_.type(e.operands[0]).shape[d];
      if (step == 1 || config.low < 0 || config.high < 0 || of == 0 || !cut(r, d, r, d, n, step)) continue;
      const std::int64_t low = config.low / step;
      dims.emplace_back(d, config.low % step);
      config = {low, n / step - low - of, 0};
    }
    if (dims.empty()) return false;
    Atom x = make(ops::pad, pad, {e.operands[0], e.operands[1]}, e.loc);
    out_.layouts[x.id] = layout;
    for (const auto& [d, m] : dims) {
      const std::int64_t step = e.params.get<ops::Pad>().config[static_cast<std::size_t>(d)].interior + 1;
      x = among(x, e.operands[1], d, m, step, e.loc);
    }
    finish(x, r, e.loc);
    return true;
  }

  const ProgramIndex index_;
  Views views_;
  std::map<ValueId, Seen> seen_;  // reshapes that only slices read
};

}  // namespace

ShardedProgram with_steps_as_dims(const ShardedProgram& sharded) { return Stepping(sharded).run(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
