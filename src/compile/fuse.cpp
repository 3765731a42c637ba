// Eqns join the loops of those that read them, from the last to the first; then the loops get their order.
#include "compile/fuse.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <utility>

#include "compile/loads.hpp"
#include "compile/loop.hpp"
#include "compile/unit_graph.hpp"
#include "compile/uses.hpp"
#include "tutti/base/error.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kMaxEqns = 400, kMaxAccesses = 28, kMaxBoxes = 36;
constexpr std::size_t kMostReductions = 4;     // that are joined for what they read
constexpr std::int64_t kSharedRead = 1 << 18;  // elements that are read once rather than twice

// What a unit that runs as a loop touches.
struct Touched {
  Extents extents;
  std::vector<int> loads;       // numbers of Loads, ascending; none of what the unit itself makes
  std::vector<ValueId> stores;  // values that somebody outside reads, ascending
  std::vector<int> reductions;  // Eqns
  std::vector<ValueId> cut;     // values that are put together, by which the loop is cut into boxes; ascending
  std::size_t accesses() const { return loads.size() + stores.size() + reductions.size(); }
};

template <class T> std::vector<T> both(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> out;
  out.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

class Fuser {
 public:
  explicit Fuser(const Program& p)
      : p_(p),
        index_(p),
        f_(read_values(p)),
        uses_(find_uses(p, index_, f_)),
        graph_(uses_),
        loads_(p, index_, f_),
        is_output_(p.types.size(), 0) {}

  Fusion run() {
    for (const Atom& a : p_.outputs) {
      if (a.is_literal()) continue;
      is_output_[a.id] = 1;
      if (const Atom& base = f_.readings[a.id].base; !base.is_literal()) is_output_[base.id] = 1;
    }
    for (int e = static_cast<int>(p_.eqns.size()); e-- > 0;)
      if (f_.real[e]) place(e);
    join_siblings();
    order();
    return std::move(f_);
  }

 private:
  void place(int e) {
    const int unit = graph_.add(e);
    touched_.emplace_back();
    if (!f_.is_loop(e)) return;
    Touched& t = touched_.back();
    t.extents = *common_refinement(f_.space(p_, e), f_.space(p_, e));
    t.loads = loads_.of(e);
    if (f_.roles[e] == Role::reduce) {
      t.reductions = {e};
      return;
    }
    const ValueId v = p_.eqns[e].results[0];
    t.cut = cuts_of(e);
    if (is_output_[v] || !uses_.readers[e].empty()) t.stores = {v};
    if (f_.is_strided_copy(p_, e)) return;
    std::vector<int> candidates;
    for (const Use& use : uses_.readers[e])
      if (use.soft) candidates.push_back(graph_.unit_of(use.eqn));
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (int c : candidates) join(unit, c);
  }

  // Loops that reduce the same large value, or what each makes of it, run together: it is read once.
  void join_siblings() {
    std::map<int, std::vector<int>> reducing;  // units, by load
    for (int u = 0; u < graph_.size(); ++u)
      if (!touched_[u].reductions.empty() && product(touched_[u].extents) >= kSharedRead)
        for (int load : touched_[u].loads)
          if (loads_.elements(load) >= kSharedRead) reducing[load].push_back(graph_.eqns(u).back());
    for (const auto& [load, eqns] : reducing)
      for (std::size_t k = 1; k < eqns.size(); ++k)
        for (std::size_t j = 0; j < k; ++j) {
          const int a = graph_.unit_of(eqns[k]), b = graph_.unit_of(eqns[j]);
          if (a == b || touched_[a].extents != touched_[b].extents) continue;
          if (touched_[a].reductions.size() + touched_[b].reductions.size() > kMostReductions) continue;
          graph_.look_again();
          join(a, b);
        }
  }

  void join(int a, int b) {
    if (graph_.eqns(a).size() + graph_.eqns(b).size() > kMaxEqns) return;
    std::optional<Touched> t = joined(a, b);
    if (!t || t->accesses() > kMaxAccesses || !one_reduced_dim(a, b, *t) || !graph_.join(a, b)) return;
    touched_[a] = std::move(*t);
    touched_[b] = {};
  }

  // Nothing when the two have no extents in common.
  std::optional<Touched> joined(int a, int b) const {
    const Touched &x = touched_[a], &y = touched_[b];
    std::optional<Extents> extents = common_refinement(x.extents, y.extents);
    if (!extents) return std::nullopt;
    Touched out{std::move(*extents), both(x.loads, y.loads), both(x.stores, y.stores), both(x.reductions, y.reductions),
                both(x.cut, y.cut)};
    if (!out.cut.empty() && !fits_boxes(out)) return std::nullopt;
    auto inside = [&](int eqn) { return graph_.unit_of(eqn) == a || graph_.unit_of(eqn) == b; };
    std::erase_if(out.loads, [&](int load) { return loads_.maker(load) >= 0 && inside(loads_.maker(load)); });
    std::erase_if(out.stores, [&](ValueId v) {
      if (is_output_[v]) return false;
      const std::vector<Use>& readers = uses_.readers[index_.producer(v)];
      return std::all_of(readers.begin(), readers.end(), [&](const Use& use) { return inside(use.eqn); });
    });
    return out;
  }

  std::vector<ValueId> cuts_of(int e) const {
    if (f_.roles[e] == Role::parts) return {p_.eqns[e].results[0]};
    std::vector<ValueId> out;
    if (f_.roles[e] == Role::pointwise)
      for (const Atom& a : p_.eqns[e].operands) {
        const Reading r = f_.read(a);
        if (!r.index && !r.base.is_literal() && f_.parts_without_memory(r.base.id)) out.push_back(r.base.id);
      }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // Whether the loop goes over the dims that its values are cut in, in not too many boxes, and reduces nothing.
  bool fits_boxes(const Touched& t) const {
    if (!t.reductions.empty()) return false;
    std::vector<const std::vector<Part>*> lists;
    for (ValueId v : t.cut) {
      if (*common_refinement(extents(v), extents(v)) != t.extents || extents(v) != extents(t.cut[0])) return false;
      lists.push_back(&f_.parts.at(v));
    }
    return count_boxes(extents(t.cut[0]), lists) <= kMaxBoxes;
  }
  const Extents& extents(ValueId v) const { return p_.types[v].shape.dims(); }

  // A loop has one reduced dim at most; all its reductions go over it.
  bool one_reduced_dim(int a, int b, const Touched& t) const {
    if (t.reductions.empty()) return true;
    const std::vector<char> reduced = reduced_dims(p_, p_.eqns[t.reductions[0]], t.extents);
    for (int e : t.reductions)
      if (reduced_dims(p_, p_.eqns[e], t.extents) != reduced) return false;
    if (std::count(reduced.begin(), reduced.end(), 1) <= 1) return true;
    // Several dims may still be one, where every access steps through them evenly.
    Unit u{Unit::Kind::loop, {}, t.extents, t.stores};
    std::merge(graph_.eqns(a).begin(), graph_.eqns(a).end(), graph_.eqns(b).begin(), graph_.eqns(b).end(),
               std::back_inserter(u.eqns));
    return !draft_loops(p_, f_, u).empty();
  }

  // What units need comes before them; else as their last Eqns stand in the program.
  void order() {
    std::vector<std::vector<int>> after(graph_.size());
    std::vector<int> waits_for(graph_.size(), 0);
    for (int e = 0; e < static_cast<int>(p_.eqns.size()); ++e)
      for (const Use& use : uses_.readers[e])
        if (graph_.unit_of(use.eqn) != graph_.unit_of(e)) after[graph_.unit_of(e)].push_back(graph_.unit_of(use.eqn));
    for (std::vector<int>& units : after) {
      std::sort(units.begin(), units.end());
      units.erase(std::unique(units.begin(), units.end()), units.end());
      for (int u : units) ++waits_for[u];
    }
    std::size_t live = 0;
    std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>> ready;
    for (int u = 0; u < graph_.size(); ++u) {
      if (graph_.eqns(u).empty()) continue;
      ++live;
      if (waits_for[u] == 0) ready.push({graph_.eqns(u).back(), u});
    }
    while (!ready.empty()) {
      const int u = ready.top().second;
      ready.pop();
      const int first = graph_.eqns(u).front();
      const Unit::Kind kind = f_.is_loop(first)              ? Unit::Kind::loop
                              : f_.roles[first] == Role::dot ? Unit::Kind::dot
                                                             : Unit::Kind::call;
      f_.units.push_back({kind, graph_.eqns(u), std::move(touched_[u].extents), std::move(touched_[u].stores)});
      for (int next : after[u])
        if (--waits_for[next] == 0) ready.push({graph_.eqns(next).back(), next});
    }
    if (f_.units.size() != live) throw InternalError("fuse: units depend on each other in a circle");
  }

  const Program& p_;
  ProgramIndex index_;
  Fusion f_;
  Uses uses_;
  UnitGraph graph_;
  Loads loads_;
  std::vector<char> is_output_;   // by value
  std::vector<Touched> touched_;  // by unit
};

}  // namespace

Fusion fuse(const Program& program) { return Fuser(program).run(); }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
