#include "partition/choose.hpp"

#include <algorithm>

#include "ir/index.hpp"
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

std::vector<Candidate> choose(const Problem& problem, Planner& planner) {
  const Program& p = problem.program;
  std::vector<Versions> versions(p.types.size());
  const ProgramIndex index(p);
  for (ValueId v : p.inputs) versions[v].add(problem.wanted[v]);

  std::vector<Candidate> chosen;
  for (const Eqn& e : p.eqns) {
    std::vector<Candidate> options;
    if (e.op->name == "sharding_constraint" || e.op->name == "iota") {
      Candidate c;
      const Layout& wanted = problem.wanted[e.results[0]];
      c.results = {wanted};
      if (!e.operands.empty()) c.operands = {wanted};
      c.params = e.params;
      options.push_back(std::move(c));
    } else if (e.op->name == "shard_map") {
      options.push_back(region_candidate(e, p, problem.mesh, problem.axes));
    } else {
      options = candidates(e, p, problem.mesh, problem.axes, [&](int o, const AxisRef& axis) {
        const Atom& a = e.operands[o];
        if (a.is_literal()) return false;
        const std::vector<Layout>& known = versions[a.id].layouts;
        return std::any_of(known.begin(), known.end(), [&](const Layout& l) {
          return l.pending_kind == Reduce::sum &&
                 std::find(l.pending.begin(), l.pending.end(), axis) != l.pending.end();
        });
      });
    }
    std::size_t best = 0;
    double least = -1;
    for (std::size_t i = 0; i < options.size(); ++i) {
      double cost = options[i].work;
      for (std::size_t o = 0; o < e.operands.size(); ++o) {
        const Atom& a = e.operands[o];
        if (a.is_literal()) continue;
        const Path* path = nullptr;
        std::size_t from = versions[a.id].best(options[i].operands[o], sizes_of(p.types[a.id]), planner, path);
        // A sum that is completed here is complete for the other users too.
        bool shared = !versions[a.id].layouts[from].pending.empty() && options[i].operands[o].pending.empty();
        cost += path->cost / (shared ? index.use_count(a.id) : 1);
      }
      for (std::size_t r = 0; r < e.results.size(); ++r)
        cost += planner.path(options[i].results[r], problem.wanted[e.results[r]], sizes_of(p.types[e.results[r]])).cost;
      if (least < 0 || cost < least) {
        least = cost;
        best = i;
      }
    }
    for (std::size_t o = 0; o < e.operands.size(); ++o) {
      const Atom& a = e.operands[o];
      if (a.is_literal()) continue;
      const Path* path = nullptr;
      versions[a.id].best(options[best].operands[o], sizes_of(p.types[a.id]), planner, path);
      versions[a.id].add_stops(*path, options[best].operands[o]);
    }
    for (std::size_t r = 0; r < e.results.size(); ++r) versions[e.results[r]].add(options[best].results[r]);
    chosen.push_back(std::move(options[best]));
  }
  return chosen;
}

}  // namespace tutti
