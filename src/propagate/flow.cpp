// The rules of propagation. Per rule: project the dims of all its tensors onto factors; let each factor
// take the longest axis list that its tensors agree on; where they disagree, or two factors want one axis, the larger
// tensor wins, then the earlier one (elementwise: the most sharded one first), but before all a factor that can be
// split in computing. Lists only grow, so the rounds end.
#include "propagate/flow.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>

#include "base/effort.hpp"
#include "propagate/rules.hpp"

namespace tutti {
namespace {

using AxisList = std::vector<int>;

// The axes that a factor takes from one of its tensors.
struct Source {
  AxisList axes;
  std::size_t tensor = 0;
  int dim = 0;
  std::int64_t elements = 0;
};
using Sources = std::vector<std::optional<Source>>;  // by factor

class Flow {
 public:
  Flow(const Scope& scope, Placements& placements)
      : placements_(placements),
        sizes_(scope.sharded->mesh.shape().dims()),
        rules_(rules_of(scope, placements)),
        touching_(placements.types.size()) {
    for (int i = 0; i < size(); ++i)
      for (const Rule::Tensor& t : rules_[i].tensors) touching_[t.value].push_back(i);
  }

  // Rounds of growing courage: elementwise Eqns alone, then all but forwards through broadcasts, then all. In each,
  // sweeps forwards and backwards over the Eqns of which something has changed since they were looked at.
  void run() {
    for (round_ = 0; round_ < 3; ++round_) {
      waits_.assign(rules_.size(), 0);
      for (int i = 0; i < size(); ++i)
        if (round_ > 0 || rules_[i].first) wait(i, ahead_);
      while (!ahead_.empty()) {
        sweep(ahead_, behind_, [](int i, int at) { return i > at; });
        sweep(behind_, ahead_, [](int i, int at) { return i < at; });
      }
    }
  }

 private:
  using Ahead = std::priority_queue<int, std::vector<int>, std::greater<>>;
  using Behind = std::priority_queue<int>;

  int size() const { return static_cast<int>(rules_.size()); }

  template <class Queue> void wait(int eqn, Queue& queue) {
    waits_[eqn] = 1;
    queue.push(eqn);
  }

  // Looks at what waits, in order; what changes by that waits in this sweep if it is still to come, else in the next.
  template <class Now, class Next, class Comes> void sweep(Now& now, Next& next, Comes comes) {
    while (!now.empty()) {
      const int at = now.top();
      now.pop();
      waits_[at] = 0;
      step(at);
      for (int v : changed_)
        for (int i : touching_[v]) {
          if (waits_[i] || (round_ == 0 && !rules_[i].first)) continue;
          if (comes(i, at))
            wait(i, now);
          else
            wait(i, next);
        }
    }
  }

  std::int64_t ways(const AxisList& axes) const {
    std::int64_t n = 1;
    for (int a : axes) n *= sizes_[a];
    return n;
  }
  static bool is_prefix(const AxisList& a, const AxisList& b) {
    return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

  // What a dim's axes mean for factor `f`, the `p`-th of the dim. Axes that do not fit whole factors stop the
  // projection.
  AxisList project(const AxisList& axes, const std::vector<int>& list, const Rule& rule, std::size_t p) const {
    if (list.size() == 1) return axes;
    AxisList out;
    std::size_t at = 0;
    std::int64_t left = rule.factors[list[0]].size;
    for (int a : axes) {
      while (left == 1 && at + 1 < list.size()) left = rule.factors[list[++at]].size;
      if (left % sizes_[a] != 0) break;
      left /= sizes_[a];
      if (at == p) out.push_back(a);
    }
    return out;
  }

  // Appends axes to factor `p` of dim `d` as far as they fit there. True when something changed.
  bool extend(const Rule::Tensor& t, int d, std::size_t p, const Source& source, const Rule& rule) {
    const AxisList& wanted = source.axes;
    ValueAxes& place = placements_.axes[t.value];
    if (place.closed[d]) return false;
    const std::vector<int>& list = t.dims[d];
    AxisList have = project(place.dims[d], list, rule, p);
    if (!is_prefix(have, wanted) || have.size() == wanted.size()) return false;
    if (list.size() > 1) {
      // Minor factors can be cut only when all major ones are cut to pieces of 1, and nothing may follow.
      std::size_t before = 0;
      for (std::size_t q = 0; q < p; ++q) {
        AxisList of = project(place.dims[d], list, rule, q);
        if (ways(of) != rule.factors[list[q]].size) return false;
        before += of.size();
      }
      if (before + have.size() != place.dims[d].size()) return false;
    }
    bool changed = false;
    for (std::size_t i = have.size(); i < wanted.size(); ++i) {
      int a = wanted[i];
      for (const AxisList& other : place.dims)
        if (std::find(other.begin(), other.end(), a) != other.end()) return changed;
      std::int64_t n = ways(have) * sizes_[a],
                   size = list.size() > 1 ? rule.factors[list[p]].size : placements_.types[t.value].shape[d];
      if (n > size || (list.size() > 1 && size % n != 0)) return changed;
      have.push_back(a);
      place.dims[d].push_back(a);
      auto origin = placements_.origins.find({rule.tensors[source.tensor].value, source.dim, a});
      if (origin != placements_.origins.end()) placements_.origins[{t.value, d, a}] = origin->second;
      changed = true;
    }
    return changed;
  }

  // What each factor can take: the longest list that its tensors agree on.
  Sources collect(const Rule& rule) const {
    Sources sources(rule.factors.size());
    for (std::size_t t = 0; t < rule.tensors.size(); ++t) {
      const Rule::Tensor& tensor = rule.tensors[t];
      const Type& type = placements_.types[tensor.value];
      for (int d = 0; d < type.ndim() && d < static_cast<int>(tensor.dims.size()); ++d) {
        const AxisList& placed = placements_.axes[tensor.value].dims[d];
        const std::vector<int>& list = tensor.dims[d];
        for (std::size_t p = 0; p < list.size() && !placed.empty(); ++p) {
          AxisList axes = project(placed, list, rule, p);
          if (axes.empty()) continue;
          Source s{std::move(axes), t, d, type.num_elements()};
          if (std::optional<Source>& best = sources[list[p]]; !best || better(s, *best, rule.elementwise))
            best = std::move(s);
        }
      }
    }
    return sources;
  }

  // Of two lists that differ: the most sharded one (elementwise), then the larger tensor, then the earlier one.
  bool better(const Source& s, const Source& than, bool elementwise) const {
    if (is_prefix(than.axes, s.axes)) return s.axes.size() > than.axes.size();
    if (is_prefix(s.axes, than.axes)) return false;
    return (elementwise && ways(s.axes) > ways(than.axes)) || s.elements > than.elements;
  }

  // The factors that have a source, those first that get what they want.
  std::vector<int> by_priority(const Rule& rule, const Sources& sources) const {
    std::vector<int> order;
    for (std::size_t f = 0; f < sources.size(); ++f)
      if (sources[f]) order.push_back(static_cast<int>(f));
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      const Source &a = *sources[x], &b = *sources[y];
      bool whole_a = rule.factors[x].kind == Factors::Kind::replicated,
           whole_b = rule.factors[y].kind == Factors::Kind::replicated;
      if (whole_a != whole_b) return whole_b;
      if (a.elements != b.elements) return a.elements > b.elements;
      if (rule.elementwise && ways(a.axes) != ways(b.axes)) return ways(a.axes) > ways(b.axes);
      return a.tensor < b.tensor;
    });
    return order;
  }

  // Hands what the factors take to all their tensors; leaves in changed_ the values that got more.
  void step(int index) {
    ++effort;
    changed_.clear();
    const Rule& rule = rules_[index];
    const Sources sources = collect(rule);
    for (int f : by_priority(rule, sources)) {
      const Source& s = *sources[f];
      for (std::size_t t = 0; t < rule.tensors.size(); ++t) {
        const Rule::Tensor& tensor = rule.tensors[t];
        if (t == s.tensor || (rule.broadcast && round_ == 1 && tensor.is_result)) continue;
        for (int d = 0; d < static_cast<int>(tensor.dims.size()); ++d)
          for (std::size_t p = 0; p < tensor.dims[d].size(); ++p)
            if (tensor.dims[d][p] == f && extend(tensor, d, p, s, rule)) changed_.push_back(tensor.value);
      }
    }
  }

  Placements& placements_;
  std::vector<std::int64_t> sizes_;
  std::vector<Rule> rules_;
  std::vector<std::vector<int>> touching_;  // by value: the rules that have it as a tensor
  std::vector<char> waits_;                 // by rule
  Ahead ahead_;
  Behind behind_;
  std::vector<int> changed_;
  int round_ = 0;
};

}  // namespace

void flow(const Scope& scope, Placements& placements) { Flow(scope, placements).run(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
