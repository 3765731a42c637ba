#include "partition/layout_space.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "ir/collective.hpp"
#include "ops/collective/collective.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// What a device receives of an operand of one byte in a group of `n`.
Received received(const Op& collective, double n) { return collective.collective->received(1.0, n); }
Received operator*(double bytes, Received r) {
  r.bytes *= bytes;
  return r;
}

}  // namespace

const char* name(Move::Kind kind) {
  static constexpr const char* names[] = {"slice",      "mask",           "embed",      "all_gather",
                                          "all_reduce", "reduce_scatter", "all_to_all", "permute"};
  return names[static_cast<int>(kind)];
}

bool is_collective(Move::Kind kind) { return kind >= Move::Kind::all_gather; }

std::vector<std::int64_t> LayoutSpace::extents_of(const Mesh& mesh, const Shape& shape) {
  std::vector<std::int64_t> out;
  for (std::int64_t n : shape) out.push_back(n > 0 && n % mesh.size() == 0 ? 0 : n);
  return out;
}

LayoutSpace::LayoutSpace(const Mesh& mesh, std::shared_ptr<const Prices> prices, std::vector<std::int64_t> extents,
                         bool parts)
    : prices_(std::move(prices)), extents_(std::move(extents)), parts_(parts) {
  std::vector<AxisRefs> atoms;
  for (int a = 0; a < mesh.ndim(); ++a) {
    if (mesh.shape()[a] == 1) continue;
    for (const AxisRef& r : parts ? prime_parts(whole_axis(mesh, a)) : AxisRefs{whole_axis(mesh, a)})
      atoms.push_back({r});
  }
  begin(std::move(atoms));
}

LayoutSpace::LayoutSpace(std::vector<AxisRefs> groups, std::shared_ptr<const Prices> prices,
                         std::vector<std::int64_t> extents)
    : prices_(std::move(prices)), extents_(std::move(extents)), parts_(false) {
  begin(std::move(groups));
}

void LayoutSpace::begin(std::vector<AxisRefs> atoms) {
  for (AxisRefs& refs : atoms) {
    const std::int64_t size = tutti::ways(refs);
    atoms_.push_back({std::move(refs), size});
  }
  for (const Atom& a : atoms_) {
    auto costs = [&](const Atom& x) {
      return std::tuple(x.size, x.refs.size(), prices_->byte(x.refs), prices_->collective(1, x.refs));
    };
    const auto first = std::find_if(atoms_.begin(), atoms_.end(), [&](const Atom& b) { return costs(b) == costs(a); });
    alike_atoms_.push_back(static_cast<int>(first - atoms_.begin()));
  }
  std::string same(std::max(atoms_.size(), extents_.size()), '\0');
  for (std::size_t a = 0; a < same.size(); ++a) same[a] = static_cast<char>(a);
  renaming(same.substr(0, atoms_.size()), same.substr(0, extents_.size()));
}

std::u16string LayoutSpace::code(const State& s) const {
  std::u16string out(atoms_.size() + 1, u'\0');
  int place = 1;
  for (std::size_t d = 0; d < s.dims.size(); ++d) {
    const bool set = is_set(static_cast<int>(d));
    for (std::size_t i = 0; i < s.dims[d].size(); ++i)
      out[s.dims[d][i]] = static_cast<char16_t>(place + (set ? 0 : static_cast<int>(i)));
    place += static_cast<int>(atoms_.size());
  }
  for (char a : s.pending) out[a] = static_cast<char16_t>(place);
  if (!s.pending.empty()) out.back() = static_cast<char16_t>(1 + static_cast<int>(s.kind));
  return out;
}

LayoutSpace::State LayoutSpace::state_of(const Layout& layout) const {
  State out;
  auto add = [&](const AxisRef& whole, std::string& to) {
    if (whole.size == 1) return;
    for (const AxisRef& r : parts_ ? prime_parts(whole) : AxisRefs{whole}) {
      const auto has = [&](const Atom& a) { return std::find(a.refs.begin(), a.refs.end(), r) != a.refs.end(); };
      const auto at = std::find_if(atoms_.begin(), atoms_.end(), has);
      if (at == atoms_.end()) throw InternalError("partition: a layout over parts of axes");
      if (at->refs[0] == r) to += static_cast<char>(at - atoms_.begin());  // the others come with it
    }
  };
  for (const AxisRefs& refs : layout.dims) {
    out.dims.emplace_back();
    for (const AxisRef& r : refs) add(r, out.dims.back());
    if (is_set(static_cast<int>(out.dims.size()) - 1)) std::sort(out.dims.back().begin(), out.dims.back().end());
  }
  for (const AxisRef& r : layout.pending) add(r, out.pending);
  std::sort(out.pending.begin(), out.pending.end());
  out.kind = out.pending.empty() ? Reduce::sum : layout.pending_kind;
  return out;
}

Layout LayoutSpace::layout_of(const State& s) const {
  Layout out = Layout::replicated(static_cast<int>(s.dims.size()));
  auto add = [&](const std::string& atoms, AxisRefs& to) {
    for (char a : atoms) to.insert(to.end(), atoms_[a].refs.begin(), atoms_[a].refs.end());
  };
  for (std::size_t d = 0; d < s.dims.size(); ++d) {
    add(s.dims[d], out.dims[d]);
    if (is_set(static_cast<int>(d))) std::sort(out.dims[d].begin(), out.dims[d].end());
  }
  add(s.pending, out.pending);
  std::sort(out.pending.begin(), out.pending.end());
  out.pending_kind = s.kind;
  return parts_ ? canonical(std::move(out)) : out;
}

int LayoutSpace::id(const Layout& layout) {
  const State s = state_of(layout);
  if (!overcut_)
    for (std::size_t d = 0; d < s.dims.size(); ++d)
      if (!may_cut(static_cast<int>(d), static_cast<double>(ways(s.dims[d])))) {
        overcut_ = true;
        for (auto& steps : steps_) steps.reset();
      }
  return id(s);
}

int LayoutSpace::id(const State& s) {
  auto [at, fresh] = ids_.try_emplace(code(s), static_cast<int>(states_.size()));
  if (fresh) {
    states_.push_back(s);
    layouts_.push_back(layout_of(s));
    held_.push_back(held(s));
    codes_.push_back(&at->first);
    steps_.emplace_back();
    representatives_.push_back({-1, 0});
    std::vector<std::int64_t> blocks;
    for (const std::string& atoms : s.dims) blocks.push_back(ways(atoms));
    const auto kind = s.pending + static_cast<char>(s.kind);
    permuted_alike_.push_back(
        alike_.try_emplace({std::move(blocks), kind}, static_cast<int>(alike_.size())).first->second);
  }
  return at->second;
}

std::int64_t LayoutSpace::ways(const std::string& atoms) const {
  std::int64_t out = 1;
  for (char a : atoms) out *= atoms_[a].size;
  return out;
}

double LayoutSpace::extent_share(int dim, double ways) const {
  const std::int64_t n = extents_[static_cast<std::size_t>(dim)];
  return n <= 0 ? 1 / ways : std::ceil(static_cast<double>(n) / ways) / static_cast<double>(n);
}

double LayoutSpace::held(const State& s) const {
  double out = 1;
  for (std::size_t d = 0; d < s.dims.size(); ++d)
    out *= extent_share(static_cast<int>(d), static_cast<double>(ways(s.dims[d])));
  return out;
}

bool LayoutSpace::divides(const State& s) const {
  for (std::size_t d = 0; d < s.dims.size(); ++d)
    if (extents_[d] > 0 && extents_[d] % ways(s.dims[d]) != 0) return false;
  return true;
}

// More blocks than elements only where somebody asked for that.
bool LayoutSpace::may_cut(int dim, double ways) const {
  const std::int64_t n = extents_[static_cast<std::size_t>(dim)];
  return n <= 0 || (!parts_ && (overcut_ || ways <= static_cast<double>(n)));
}

class LayoutSpace::Expansion {
 public:
  using Visit = std::function<void(Move, const State&, Received)>;
  Expansion(const LayoutSpace& space, const State& state, Visit visit)
      : space_(space), s_(state), rank_(static_cast<int>(state.dims.size())), visit_(std::move(visit)) {
    held_ = space.held(s_);
  }

  void run() {
    from_free();
    bool sets = false;
    for (int d = 0; d < rank_; ++d) {
      const std::string& atoms = s_.dims[d];
      sets = sets || space_.is_set(d);
      for (std::size_t keep = 0; keep < atoms.size() && !space_.is_set(d); ++keep)
        from_dim(d, atoms.substr(0, keep), atoms.substr(keep));
      for (std::size_t set = 1; space_.is_set(d) && set < (std::size_t{1} << atoms.size()); ++set) {
        std::string left, taken;
        for (std::size_t i = 0; i < atoms.size(); ++i) (set >> i & 1 ? taken : left) += atoms[i];
        from_dim(d, left, taken);
      }
    }
    if (!s_.pending.empty()) from_pending();
    if (!sets && space_.divides(s_))
      permutes(0, State{std::vector<std::string>(s_.dims.size()), s_.pending, s_.kind}, 0);
  }

 private:
  AxisRefs refs(const std::string& atoms) const {
    AxisRefs out;
    for (char a : atoms) out.insert(out.end(), space_.atoms_[a].refs.begin(), space_.atoms_[a].refs.end());
    return merged(out);
  }
  double ways(const std::string& atoms) const { return static_cast<double>(space_.ways(atoms)); }
  double size(char a) const { return static_cast<double>(space_.atoms_[a].size); }
  bool adds() const { return s_.pending.empty() || s_.kind == Reduce::sum; }

  bool is_free(char a) const {
    if (s_.pending.find(a) != std::string::npos) return false;
    return std::none_of(s_.dims.begin(), s_.dims.end(),
                        [&](const std::string& atoms) { return atoms.find(a) != std::string::npos; });
  }

  State with_pending(State s, char a) const {
    s.pending += a;
    std::sort(s.pending.begin(), s.pending.end());
    return s;
  }

  void from_free() {
    for (char a = 0; a < static_cast<char>(space_.atoms_.size()); ++a) {
      if (!is_free(a)) continue;
      for (int d = 0; d < rank_; ++d) {
        if (!space_.may_cut(d, ways(s_.dims[d]) * size(a))) continue;
        State next = s_;
        join(next, d, {a});
        visit_({Move::Kind::slice, space_.atoms_[a].refs, -1, d, {}}, next, {});
      }
      if (adds()) visit_({Move::Kind::mask, space_.atoms_[a].refs, -1, -1, {}}, with_pending(s_, a), {});
    }
  }

  // The axes appear in the dim, behind those that are there.
  void join(State& s, int d, const std::string& atoms) const {
    s.dims[d] += atoms;
    if (space_.is_set(d)) std::sort(s.dims[d].begin(), s.dims[d].end());
  }

  // Dim d loses the axes `suffix` and keeps the others.
  void from_dim(int d, const std::string& left, const std::string& suffix) {
    State gathered = s_;
    gathered.dims[d] = left;
    const double n = ways(suffix);
    visit_({Move::Kind::all_gather, refs(suffix), d, -1, {}}, gathered, held_ * received(ops::all_gather, n));
    const bool even = space_.is_set(d) || space_.extents_[d] % space_.ways(s_.dims[d]) == 0;
    if (suffix.size() == 1 && adds() && even)
      visit_({Move::Kind::embed, refs(suffix), d, -1, {}}, with_pending(gathered, suffix[0]), {});
    const bool several = suffix.size() > 1 || space_.atoms_[suffix[0]].refs.size() > 1;
    for (int t = 0; t < rank_; ++t) {
      if (t == d || (several && space_.is_set(d) != space_.is_set(t))) continue;
      exchange(gathered, {Move::Kind::all_to_all, refs(suffix), d, t, {}}, suffix);
      // The axes of a second dim go along.
      for (int e = 0; e < rank_; ++e)
        for (std::size_t kept = 0; e != d && e != t && kept < s_.dims[e].size(); ++kept) {
          if (space_.is_set(d) || space_.is_set(e) || space_.is_set(t)) break;
          const std::string more = s_.dims[e].substr(kept);
          State both = gathered;
          both.dims[e].resize(kept);
          State after = both;
          after.dims[t] += suffix + more;
          if (!space_.divides(s_) || !space_.divides(after)) continue;
          AxisRefs axes = refs(suffix);
          const int first = static_cast<int>(axes.size());
          for (const AxisRef& r : refs(more)) axes.push_back(r);
          exchange(both, {Move::Kind::all_to_all, axes, d, t, {}, e, first}, suffix + more);
        }
    }
  }

  void exchange(State next, Move move, const std::string& atoms) {
    const int t = move.to_dim;
    const double n = ways(atoms), before = ways(s_.dims[t]);
    if (!space_.may_cut(t, before * n)) return;
    join(next, t, atoms);
    // Every device cuts dim t of its block into pieces of the new extent, and keeps one of them.
    const double sent = held_ / space_.extent_share(t, before) * space_.extent_share(t, before * n) * n;
    visit_(std::move(move), next, sent * received(ops::all_to_all, n));
  }

  void from_pending() {
    const std::size_t n = s_.pending.size();
    for (std::size_t set = 1; set < (std::size_t{1} << n); ++set) {
      std::string chosen;
      State rest = s_;
      rest.pending.clear();
      for (std::size_t i = 0; i < n; ++i) (set >> i & 1 ? chosen : rest.pending) += s_.pending[i];
      if (rest.pending.empty()) rest.kind = Reduce::sum;
      const double group = ways(chosen);
      visit_({Move::Kind::all_reduce, refs(chosen), -1, -1, {}}, rest, held_ * received(ops::psum, group));
      for (int d = 0; d < rank_; ++d) {
        if (!space_.may_cut(d, ways(s_.dims[d]) * group)) continue;
        std::string order = chosen;
        do {
          State scattered = rest;
          join(scattered, d, order);
          visit_({Move::Kind::reduce_scatter, refs(order), -1, d, {}}, scattered,
                 space_.held(scattered) * group * received(ops::reduce_scatter, group));
        } while (!space_.is_set(d) && std::next_permutation(order.begin(), order.end()));
      }
    }
  }

  // A permute reaches every layout with as many blocks along each dim: the axes of dims d, d + 1, ... are still to be
  // chosen.
  void permutes(int d, State so_far, unsigned used) {
    if (d == rank_) {
      if (so_far.dims != s_.dims)
        visit_({Move::Kind::permute, moved(so_far), -1, -1, {}}, so_far, held_ * received(ops::ppermute, 1));
      return;
    }
    const double wanted = ways(s_.dims[d]), have = ways(so_far.dims[d]);
    if (have == wanted) return permutes(d + 1, std::move(so_far), used);
    for (char a = 0; a < static_cast<char>(space_.atoms_.size()); ++a) {
      if (used >> a & 1 || s_.pending.find(a) != std::string::npos || std::fmod(wanted, have * size(a)) != 0) continue;
      State next = so_far;
      next.dims[d] += a;
      permutes(d, std::move(next), used | 1u << a);
    }
  }

  // The axes that have another place there.
  AxisRefs moved(const State& to) const {
    std::string atoms;
    auto add = [&](const State& x, const State& y) {
      for (int d = 0; d < rank_; ++d)
        for (std::size_t i = 0; i < x.dims[d].size(); ++i) {
          const char a = x.dims[d][i];
          const bool stays = i < y.dims[d].size() && y.dims[d][i] == a;
          if (!stays && atoms.find(a) == std::string::npos) atoms += a;
        }
    };
    add(s_, to);
    add(to, s_);
    return refs(atoms);
  }

  const LayoutSpace& space_;
  const State& s_;
  int rank_;
  Visit visit_;
  double held_;
};

const std::vector<LayoutSpace::Step>& LayoutSpace::steps(int from) {
  if (!steps_[from]) {
    std::vector<Step> out;
    const Renamed like = representative(from);
    if (like.id != from) {
      out = steps(like.id);
      const int back = inverse(like.renaming);
      for (Step& step : out) step.to = renamed(step.to, back);
      steps_[from] = std::make_unique<std::vector<Step>>(std::move(out));
      return *steps_[from];
    }
    const State state = states_[from];
    Expansion(*this, state, [&](const Move& move, const State& to, const Received& received) {
      const int there = id(to);
      out.push_back({there, move.kind, received.bytes, held(there)});
      if (!is_collective(move.kind)) return;
      out.back().price = received.bytes * prices_->byte(move.axes);
      out.back().fixed = prices_->collective(received.messages, move.axes);
    }).run();
    steps_[from] = std::make_unique<std::vector<Step>>(std::move(out));
  }
  return *steps_[from];
}

int LayoutSpace::renaming(const std::string& atoms, const std::string& dims) {
  const auto [at, fresh] = renaming_ids_.try_emplace({atoms, dims}, static_cast<int>(renamings_.size()));
  if (!fresh) return at->second;
  const int out = at->second;
  renamings_.push_back({atoms, dims, out, {}});
  auto inverse = [](const std::string& names) {
    std::string back(names.size(), '\0');
    for (std::size_t a = 0; a < names.size(); ++a) back[names[a]] = static_cast<char>(a);
    return back;
  };
  const int back = renaming(inverse(atoms), inverse(dims));
  renamings_[out].inverse = back;
  return out;
}

// Dims of one extent come in the order of what cuts them, then axes that are alike get their names in the order in
// which they come.
const LayoutSpace::Renamed& LayoutSpace::representative(int id) {
  if (representatives_[id].id >= 0) return representatives_[id];
  const State state = states_[id];
  std::vector<std::vector<int>> kinds;  // by dim
  for (const std::string& atoms : state.dims) {
    kinds.emplace_back();
    for (char a : atoms) kinds.back().push_back(alike_atoms_[a]);
  }
  std::string order, places(extents_.size(), '\0');  // dims in their new order; where each goes
  std::vector<char> placed(extents_.size(), 0);
  for (std::size_t to = 0; to < extents_.size(); ++to) {
    std::size_t best = extents_.size();
    for (std::size_t d = 0; d < extents_.size(); ++d)
      if (!placed[d] && extents_[d] == extents_[to] && (best == extents_.size() || kinds[d] > kinds[best])) best = d;
    placed[best] = 1;
    places[best] = static_cast<char>(to);
    order += static_cast<char>(best);
  }
  std::string names(atoms_.size(), '\xff');
  std::vector<char> taken(atoms_.size(), 0);
  auto name = [&](char a) {
    std::size_t to = 0;
    while (taken[to] || alike_atoms_[to] != alike_atoms_[a]) ++to;
    taken[to] = 1;
    names[a] = static_cast<char>(to);
  };
  for (char d : order)
    for (char a : state.dims[d]) name(a);
  for (char a : state.pending) name(a);
  for (std::size_t a = 0; a < names.size(); ++a)
    if (names[a] == '\xff') name(static_cast<char>(a));
  const int r = renaming(names, places), there = renamed(id, r);
  return representatives_[id] = {there, r};
}

int LayoutSpace::renamed(int id, int renaming) {
  if (renaming == 0) return id;
  std::unordered_map<int, int>& known = renamings_[renaming].ids;
  if (const auto at = known.find(id); at != known.end()) return at->second;
  const std::string &names = renamings_[renaming].atoms, &dims = renamings_[renaming].dims;
  const int n = static_cast<int>(atoms_.size()), pending = 1 + n * static_cast<int>(dims.size());
  std::u16string code = *codes_[id];
  for (int a = 0; a < n; ++a) {
    const int place = (*codes_[id])[a];
    const bool in_dim = place > 0 && place < pending;
    code[names[a]] = static_cast<char16_t>(
        in_dim ? 1 + n * dims[static_cast<std::size_t>((place - 1) / n)] + (place - 1) % n : place);
  }
  if (const auto at = ids_.find(code); at != ids_.end()) return known[id] = at->second;
  const State state = states_[id];
  State to = state;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    to.dims[dims[d]] = state.dims[d];
    for (char& a : to.dims[dims[d]]) a = names[a];
    if (is_set(static_cast<int>(d))) std::sort(to.dims[dims[d]].begin(), to.dims[dims[d]].end());
  }
  for (char& a : to.pending) a = names[a];
  std::sort(to.pending.begin(), to.pending.end());
  return known[id] = this->id(to);
}

Move LayoutSpace::move(int from, const Step& step) {
  Move out;
  bool found = false;
  const State state = states_[from];
  Expansion(*this, state, [&](const Move& move, const State& to, const Received& received) {
    if (found || move.kind != step.kind || std::abs(received.bytes - step.received) > 1e-9 * step.received ||
        id(to) != step.to)
      return;
    out = move;
    if (move.kind == Move::Kind::permute) out.axes.clear();
    out.after = layouts_[step.to];
    found = true;
  }).run();
  if (!found) throw InternalError("partition: a step that is none");
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
