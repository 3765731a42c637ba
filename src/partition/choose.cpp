#include "partition/choose.hpp"

#include <algorithm>

#include "ir/index.hpp"
#include "partition/magnitudes.hpp"
#include "partition/regions.hpp"

namespace tutti {

Sizes sizes_of(const Type& type) { return {type.shape, type.dtype.size()}; }

std::size_t Versions::best(const Layout& to, const Sizes& sizes, Planner& planner, const Path*& path) const {
  std::size_t at = 0;
  path = nullptr;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const Path& p = planner.path(layouts[i], to, sizes);
    if (!path || p.cost < path->cost) {
      path = &p;
      at = i;
    }
  }
  return at;
}

void Versions::add(const Layout& layout) {
  if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end()) layouts.push_back(layout);
}

void Versions::add_stops(const Path& path, const Layout& to) {
  for (const Move& m : path.moves)
    if (is_collective(m.kind)) add(m.after);
  add(to);
}

namespace {

class Greedy {
 public:
  Greedy(const Problem& problem, Planner& planner)
      : problem_(problem),
        p_(problem.program),
        planner_(planner),
        versions_(p_.types.size()),
        index_(p_),
        magnitudes_(magnitudes(p_)) {
    for (ValueId v : p_.inputs) versions_[v].add(problem.wanted[v]);
  }

  std::vector<Candidate> run() {
    std::vector<Candidate> chosen;
    for (const Eqn& e : p_.eqns) {
      std::vector<Candidate> options = options_of(e);
      std::vector<double> costs;
      for (const Candidate& c : options) costs.push_back(cost_of(e, c));
      auto best = std::min_element(costs.begin(), costs.end()) - costs.begin();
      chosen.push_back(std::move(options[static_cast<std::size_t>(best)]));
      commit(e, chosen.back());
    }
    return chosen;
  }

 private:
  std::vector<Candidate> options_of(const Eqn& e) const {
    switch (e.op->role) {
      case Role::constraint:
      case Role::generator: return {as_wanted(e)};
      case Role::region: return {region_candidate(e, p_, problem_.mesh, problem_.axes)};
      default:
        return candidates(
            e, p_, problem_.mesh, problem_.axes,
            [&](int o, const AxisRef& axis) { return is_pending(e.operands[o], axis); }, magnitudes_);
    }
  }

  // Operand and result lie as propagated.
  Candidate as_wanted(const Eqn& e) const {
    Candidate c;
    c.results = {problem_.wanted[e.results[0]]};
    if (!e.operands.empty()) c.operands = c.results;
    c.params = e.params;
    return c;
  }

  // Whether some version of the operand holds partial sums over the axis.
  bool is_pending(const Atom& a, const AxisRef& axis) const {
    if (a.is_literal()) return false;
    const std::vector<Layout>& known = versions_[a.id].layouts;
    return std::any_of(known.begin(), known.end(), [&](const Layout& l) {
      return l.pending_kind == Reduce::sum && std::find(l.pending.begin(), l.pending.end(), axis) != l.pending.end();
    });
  }

  // The work, what it takes to bring the operands there, and the results to where they are wanted.
  double cost_of(const Eqn& e, const Candidate& c) {
    double cost = c.work;
    for (std::size_t o = 0; o < e.operands.size(); ++o) {
      const Atom& a = e.operands[o];
      if (a.is_literal()) continue;
      const Path* path = nullptr;
      std::size_t from = versions_[a.id].best(c.operands[o], sizes_of(p_.types[a.id]), planner_, path);
      // A sum that is completed here is complete for the other users too.
      bool shared = !versions_[a.id].layouts[from].pending.empty() && c.operands[o].pending.empty();
      cost += path->cost / (shared ? index_.use_count(a.id) : 1);
    }
    for (std::size_t r = 0; r < e.results.size(); ++r)
      cost += planner_.path(c.results[r], problem_.wanted[e.results[r]], sizes_of(p_.types[e.results[r]])).cost;
    return cost;
  }

  // Notes the layouts that are at hand from now on.
  void commit(const Eqn& e, const Candidate& c) {
    for (std::size_t o = 0; o < e.operands.size(); ++o) {
      const Atom& a = e.operands[o];
      if (a.is_literal()) continue;
      const Path* path = nullptr;
      versions_[a.id].best(c.operands[o], sizes_of(p_.types[a.id]), planner_, path);
      versions_[a.id].add_stops(*path, c.operands[o]);
    }
    for (std::size_t r = 0; r < e.results.size(); ++r) versions_[e.results[r]].add(c.results[r]);
  }

  const Problem& problem_;
  const Program& p_;
  Planner& planner_;
  std::vector<Versions> versions_;  // by value
  const ProgramIndex index_;
  std::vector<Magnitude> magnitudes_;
};

}  // namespace

std::vector<Candidate> choose(const Problem& problem, Planner& planner) { return Greedy(problem, planner).run(); }

}  // namespace tutti
