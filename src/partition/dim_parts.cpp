#include "partition/dim_parts.hpp"

#include <algorithm>
#include <numeric>

#include "ir/loop_form.hpp"
#include "ops/contraction/dot_general.hpp"

namespace tutti {
namespace {

// A joined dim is cut where its pieces are no more than this many.
constexpr std::int64_t most_pieces = 64;

Call call_of(const Eqn& e, const Program& p) {
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p.type(a));
  return {*e.op, e.params, std::move(types), e.subs};
}

std::vector<std::int64_t> strides(const Shape& shape) {
  std::vector<std::int64_t> out(shape.size(), 1);
  for (int d = shape.ndim() - 1; d > 0; --d) out[d - 1] = out[d] * shape[d];
  return out;
}

// Whether a strided reading keeps every element in its place.
bool keeps_order(const View& view, const Shape& shape) {
  const std::vector<std::int64_t> row_major = strides(shape);
  if (view.offset != 0) return false;
  for (int d = 0; d < shape.ndim(); ++d)
    if (shape[d] > 1 && view.strides[d] != row_major[d]) return false;
  return true;
}

DimForm form_of(const Eqn& e, const Program& p, const Views& views) {
  if (loop_form(e)) return DimForm::loop;
  if (e.op->role == Role::constraint) return DimForm::same;
  if (e.op->role != Role::compute || !e.subs.empty() || e.results.size() != 1) return DimForm::fixed;
  const Type& result = p.types[e.results[0]];
  if (result.dtype.is_key() || result.num_elements() == 0) return DimForm::fixed;
  if (e.op->pointwise) return DimForm::same;
  if (views.along(e.results[0]).dim >= 0) return DimForm::joined;
  if (e.op->reduce != Op::Reduce::none) return DimForm::reduced;
  if (e.op == &ops::dot_general) return DimForm::product;
  if (!e.op->view || e.operands[0].is_literal() || p.type(e.operands[0]).num_elements() == 0) return DimForm::fixed;
  const std::optional<View> view = e.op->view(call_of(e, p), result);
  if (view && p.type(e.operands[0]).num_elements() == result.num_elements() && keeps_order(*view, result.shape))
    return DimForm::regroup;
  return strided_dims(e, p) ? DimForm::strided : DimForm::fixed;
}

}  // namespace

std::optional<std::vector<AxisRefs>> on_parts(const AxisRefs& refs, const Parts& parts) {
  std::vector<AxisRefs> out(parts.size());
  std::size_t at = 0;
  std::int64_t rest = parts[0];
  for (const AxisRef& ref : refs) {
    if (rest == 1 && at + 1 < parts.size()) rest = parts[++at];
    if (rest % ref.size != 0) return std::nullopt;
    rest /= ref.size;
    out[at].push_back(ref);
  }
  return out;
}

std::optional<std::vector<int>> strided_dims(const Eqn& e, const Program& p) {
  const Type from = p.type(e.operands[0]);
  const Type& result = p.types[e.results[0]];
  const std::optional<View> view = e.op->view(call_of(e, p), result);
  if (!view || view->offset != 0) return std::nullopt;
  const std::vector<std::int64_t> strides = tutti::strides(from.shape);
  std::vector<char> used(from.shape.size(), 0);
  std::vector<int> out;
  for (int d = 0; d < result.ndim(); ++d) {
    out.push_back(-1);
    if (result.shape[d] == 1 || view->strides[d] == 0) continue;
    for (int o = 0; o < from.ndim() && out.back() < 0; ++o)
      if (!used[o] && from.shape[o] == result.shape[d] && strides[o] == view->strides[d]) out.back() = o;
    if (out.back() < 0) return std::nullopt;
    used[out.back()] = 1;
  }
  for (int o = 0; o < from.ndim(); ++o)
    if (!used[o] && from.shape[o] > 1) return std::nullopt;
  return out;
}

DimParts::DimParts(const ShardedProgram& sharded, std::int64_t devices) : devices_(devices) {
  enter(sharded);
  const Program& p = *sharded.program;
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    note_placed(0, p.inputs[i], sharded.layouts[p.inputs[i]]);
    if (sharded.places) note_placed(0, p.inputs[i], sharded.inputs[i]);
  }
  for (std::size_t k = 0; k < p.outputs.size(); ++k)
    if (!p.outputs[k].is_literal()) note_placed(0, p.outputs[k].id, sharded.outputs[k]);
  if (!groups_.empty() || !joins_.empty()) search();
}

int DimParts::enter(const ShardedProgram& sharded) {
  const int scope = static_cast<int>(scopes_.size());
  const Program& p = *sharded.program;
  scopes_.push_back({&sharded, Views(p), {}});
  for (const Type& t : p.types) {
    scopes_[scope].first.push_back(static_cast<int>(above_.size()));
    for (int d = 0; d < t.ndim(); ++d) above_.push_back(static_cast<int>(above_.size()));
  }
  fixed_.resize(above_.size(), 0);
  cuts_.resize(above_.size());
  for (int i = 0; i < static_cast<int>(p.eqns.size()); ++i) {
    scopes_[scope].views.note(p.eqns[i]);
    scopes_[scope].forms.push_back(form_of(p.eqns[i], p, scopes_[scope].views));
    note(scope, i);
  }
  return scope;
}

void DimParts::note(int scope, int eqn) {
  const Program& p = *scopes_[scope].sharded->program;
  const Eqn& e = p.eqns[eqn];
  switch (scopes_[scope].forms[eqn]) {
    case DimForm::fixed:
      for (const Atom& a : e.operands)
        if (!a.is_literal()) fix(scope, a.id);
      for (ValueId r : e.results) fix(scope, r);
      return;
    case DimForm::same:
      for (const Atom& a : e.operands)
        for (int d = 0; !a.is_literal() && d < p.types[a.id].ndim(); ++d)
          unite({scope, a.id, d}, {scope, e.results[0], d});
      if (e.op->role == Role::constraint)
        note_placed(scope, e.results[0], scopes_[scope].sharded->layouts[e.results[0]]);
      return;
    case DimForm::regroup: return note_groups(scope, e);
    case DimForm::strided: {
      const std::vector<int> dims = *strided_dims(e, p);
      for (int d = 0; d < static_cast<int>(dims.size()); ++d)
        if (dims[d] >= 0) unite({scope, e.operands[0].id, dims[d]}, {scope, e.results[0], d});
      return;
    }
    case DimForm::joined: {
      const ValueId v = e.results[0];
      const Along& along = joined(scope, v);
      for (const Segment& s : along.segments)
        for (int d = 0; !s.source.is_literal() && d < p.types[s.source.id].ndim(); ++d)
          if (d != along.dim) unite({scope, s.source.id, d}, {scope, v, d});
      joins_.emplace_back(scope, v);
      return;
    }
    case DimForm::reduced:
    case DimForm::product: return note_shared(scope, e);
    case DimForm::loop: return note_loop(scope, eqn);
  }
}

// Dims of one factor are one.
void DimParts::note_shared(int scope, const Eqn& e) {
  const Program& p = *scopes_[scope].sharded->program;
  const Factors rule = e.op->factors(call_of(e, p), {p.types[e.results[0]]});
  std::map<int, Dim> known;
  auto add = [&](ValueId v, const Factors::Dims& dims) {
    for (int d = 0; d < static_cast<int>(dims.size()); ++d)
      for (int factor : dims[d]) {
        const auto [at, fresh] = known.try_emplace(factor, Dim{scope, v, d});
        if (!fresh) unite(at->second, {scope, v, d});
      }
  };
  for (std::size_t o = 0; o < e.operands.size(); ++o)
    if (!e.operands[o].is_literal()) add(e.operands[o].id, rule.operands[o]);
  add(e.results[0], rule.results[0]);
}

// Shortest runs of dims on either side that have as many elements. Parts behind the first can be cut by devices only
// where the first one is all used up; where that cannot be, it is better to see the parts.
void DimParts::note_groups(int scope, const Eqn& e) {
  const Program& p = *scopes_[scope].sharded->program;
  const ValueId x = e.operands[0].id, y = e.results[0];
  const Shape &from = p.types[x].shape, &to = p.types[y].shape;
  for (int i = 0, j = 0; i < from.ndim() && j < to.ndim();) {
    if (from[i] == to[j]) {
      unite({scope, x, i++}, {scope, y, j++});
      continue;
    }
    if (from[i] == 1 || to[j] == 1) {
      ++(from[i] == 1 ? i : j);
      continue;
    }
    Group group;
    std::int64_t left = 1, right = 1;
    while (left != right || left == 1) {
      if (left <= right) {
        left *= from[i];
        group.from.push_back({scope, x, i++});
      } else {
        right *= to[j];
        group.to.push_back({scope, y, j++});
      }
    }
    auto hides = [&](const std::vector<Dim>& side) { return side.size() > 1 && extent(side[0]) % devices_ != 0; };
    group.seed = hides(group.from) || hides(group.to);
    groups_.push_back(std::move(group));
  }
}

void DimParts::note_loop(int scope, int eqn) {
  const ShardedProgram& sharded = *scopes_[scope].sharded;
  const Eqn& e = sharded.program->eqns[eqn];
  const LoopForm form = *loop_form(e);
  for (int s = 0; s < static_cast<int>(e.subs.size()); ++s) {
    const int inner = enter(sharded.bodies[eqn][s]);
    scopes_[scope].bodies[{eqn, s}] = inner;
    const Program& body = *sharded.bodies[eqn][s].program;
    auto tie = [&](ValueId in, ValueId out, bool stacked) {
      if (stacked) fix({scope, out, 0});
      for (int d = 0; d < body.types[in].ndim(); ++d) unite({inner, in, d}, {scope, out, d + (stacked ? 1 : 0)});
    };
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
      const LoopForm::Input& in = form.bodies[s].inputs[i];
      const Atom& operand = e.operands[in.operand];
      if (!operand.is_literal()) tie(body.inputs[i], operand.id, in.way == LoopForm::Way::slice);
      if (in.result >= 0) tie(body.inputs[i], e.results[in.result], false);
    }
    for (std::size_t k = 0; k < body.outputs.size(); ++k) {
      const LoopForm::Output& to = form.bodies[s].outputs[k];
      if (to.result >= 0 && !body.outputs[k].is_literal()) tie(body.outputs[k].id, e.results[to.result], to.stacked);
    }
  }
}

void DimParts::note_placed(int scope, ValueId v, const Layout& layout) {
  for (int d = 0; d < layout.ndim(); ++d)
    if (!layout.dims[d].empty()) placed_.push_back({{scope, v, d}, layout.dims[d]});
}

void DimParts::fix(int scope, ValueId v) {
  for (int d = 0; d < scopes_[scope].sharded->program->types[v].ndim(); ++d) fix({scope, v, d});
}

// ---- classes of dims
std::int64_t DimParts::extent(const Dim& dim) const {
  return scopes_[dim.scope].sharded->program->types[dim.value].shape[dim.dim];
}

int DimParts::find(int number) const {
  while (above_[number] != number) number = above_[number] = above_[above_[number]];
  return number;
}

void DimParts::unite(const Dim& a, const Dim& b) {
  const int x = find(a), y = find(b);
  if (x == y) return;
  above_[y] = x;
  fixed_[x] = fixed_[x] || fixed_[y];
}

// ---- cuts
// From the seeds to whatever is connected. Where a dim cannot be cut as it should be its class stays whole, and the
// search begins again.
void DimParts::search() {
  do {
    for (Cuts& c : cuts_) c.clear();
    any_ = false;
    while (spread()) any_ = true;
  } while (fix_misplaced());
}

bool DimParts::spread() {
  bool more = false;
  for (const Group& group : groups_) more = spread(group) || more;
  for (const auto& [scope, v] : joins_) more = spread(scope, v) || more;
  return more;
}

// All cuts of a group are cuts of all its dims, unless they do not divide one another.
bool DimParts::spread(const Group& group) {
  Cuts all;
  bool cut = group.seed;
  for (const std::vector<Dim>* side : {&group.from, &group.to}) {
    std::int64_t stride = 1;
    for (std::size_t k = side->size(); k-- > 0;) {
      for (std::int64_t c : cuts_[find((*side)[k])]) {
        all.insert(c * stride);
        cut = true;
      }
      stride *= extent((*side)[k]);
      all.insert(stride);
    }
  }
  if (!cut) return false;
  for (auto at = all.begin(), next = std::next(at); next != all.end(); ++at, ++next)
    if (*next % *at != 0) return false;
  std::vector<std::pair<Dim, Cuts>> wanted;
  for (const std::vector<Dim>* side : {&group.from, &group.to}) {
    std::int64_t stride = 1;
    for (std::size_t k = side->size(); k-- > 0;) {
      const std::int64_t end = stride * extent((*side)[k]);
      Cuts mine;
      for (std::int64_t c : all)
        if (c > stride && c < end) mine.insert(c / stride);
      if (!mine.empty() && fixed_[find((*side)[k])]) return false;
      wanted.emplace_back((*side)[k], std::move(mine));
      stride = end;
    }
  }
  bool more = false;
  for (const auto& [dim, cuts] : wanted) more = add(dim, cuts) || more;
  return more;
}

// Pieces are joined along the first part; behind it all have the same parts.
bool DimParts::spread(int scope, ValueId v) {
  const std::vector<Dim> dims = joined_dims(scope, v);
  const std::int64_t unit = largest_unit(scope, v);
  const bool seed = dims.size() > 2 && unit % devices_ == 0 && extent(dims[0]) / unit <= most_pieces;
  Cuts shared;
  bool cut = seed, sound = true;
  for (const Dim& dim : dims)
    for (std::int64_t c : cuts_[find(dim)]) {
      cut = true;
      if (c < unit) shared.insert(c);
      sound = sound && c <= unit && unit % c == 0;
    }
  if (!cut) return false;
  for (const Dim& dim : dims) sound = sound && !(fixed_[find(dim)] && (!shared.empty() || extent(dim) > unit));
  bool more = false;
  for (const Dim& dim : dims) {
    if (!sound) {
      more = more || !fixed_[find(dim)];
      fix(dim);
      continue;
    }
    Cuts mine = shared;
    if (extent(dim) > unit) mine.insert(unit);
    more = add(dim, mine) || more;
  }
  return more;
}

bool DimParts::add(const Dim& dim, const Cuts& cuts) {
  Cuts& mine = cuts_[find(dim)];
  const std::size_t before = mine.size();
  mine.insert(cuts.begin(), cuts.end());
  return mine.size() > before;
}

bool DimParts::fix_misplaced() {
  bool again = false;
  auto fix_class = [&](int c) {
    again = again || !cuts_[c].empty();
    fixed_[c] = 1;
    cuts_[c].clear();
  };
  for (int c = 0; c < static_cast<int>(cuts_.size()); ++c) {
    if (cuts_[c].empty()) continue;
    bool chain = !fixed_[c];
    for (auto at = cuts_[c].begin(), next = std::next(at); next != cuts_[c].end(); ++at, ++next)
      chain = chain && *next % *at == 0;
    if (!chain) fix_class(c);
  }
  for (const auto& [dim, refs] : placed_)
    if (const int c = find(dim); !cuts_[c].empty() && !on_parts(refs, parts(dim.scope, dim.value)[dim.dim]))
      fix_class(c);
  return again;
}

std::int64_t DimParts::unit(int scope, ValueId v) const {
  const std::vector<Dim> dims = joined_dims(scope, v);
  const bool cut = std::any_of(dims.begin(), dims.end(), [&](const Dim& dim) { return !cuts_[find(dim)].empty(); });
  return cut ? largest_unit(scope, v) : 1;
}

// The dim along which a value is joined, of itself and of what it is made of.
std::vector<DimParts::Dim> DimParts::joined_dims(int scope, ValueId v) const {
  const Along& along = joined(scope, v);
  std::vector<Dim> out{{scope, v, along.dim}};
  for (const Segment& s : along.segments)
    if (!s.source.is_literal() && scopes_[scope].sharded->program->types[s.source.id].ndim() > 0)
      out.push_back({scope, s.source.id, along.dim});
  return out;
}

// Of which all pieces, and all places where they begin, are multiples.
std::int64_t DimParts::largest_unit(int scope, ValueId v) const {
  std::int64_t out = 0;
  for (const Dim& dim : joined_dims(scope, v)) out = std::gcd(out, extent(dim));
  for (const Segment& s : joined(scope, v).segments)
    for (std::int64_t n : {s.at, s.length, s.from}) out = std::gcd(out, n);
  return out;
}

std::vector<Parts> DimParts::parts(int scope, ValueId v) const {
  std::vector<Parts> out;
  for (int d = 0; d < scopes_[scope].sharded->program->types[v].ndim(); ++d) {
    const Dim dim{scope, v, d};
    std::int64_t rest = extent(dim);
    out.emplace_back();
    const Cuts& cuts = cuts_[find(dim)];
    for (auto at = cuts.rbegin(); at != cuts.rend(); ++at) {
      out.back().push_back(rest / *at);
      rest = *at;
    }
    out.back().push_back(rest);
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
