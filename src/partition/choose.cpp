#include "partition/choose.hpp"

#include <algorithm>

#include "ir/index.hpp"
#include "partition/loops.hpp"
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
  Greedy(const Problem& problem, const Ends& ends, Planner& planner)
      : problem_(problem),
        p_(*problem.program),
        planner_(planner),
        prices_(p_.types.size(), 1),
        index_(p_),
        magnitudes_(magnitudes(p_)) {
    out_.versions.resize(p_.types.size());
    for (std::size_t i = 0; i < p_.inputs.size(); ++i) {
      out_.versions[p_.inputs[i]] = ends.inputs[i];
      prices_[p_.inputs[i]] = ends.prices[i];
    }
  }

  Choice run(const std::vector<std::optional<Layout>>& outputs) {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      const Eqn& e = p_.eqns[i];
      std::vector<Candidate> options = options_of(i);
      std::vector<double> costs;
      for (const Candidate& c : options) costs.push_back(options.size() > 1 ? cost_of(e, c) : 0);
      auto best = std::min_element(costs.begin(), costs.end()) - costs.begin();
      out_.chosen.push_back(std::move(options[static_cast<std::size_t>(best)]));
      commit(e, out_.chosen.back());
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Atom& a = p_.outputs[k];
      const Layout wanted = outputs[k] ? *outputs[k] : a.is_literal() ? Layout::replicated(0) : problem_.wanted[a.id];
      out_.outputs.push_back(outputs[k] || a.is_literal() ? wanted : stacked(a.id, wanted));
      if (!a.is_literal()) out_.cost += bring(a.id, out_.outputs.back());
    }
    return std::move(out_);
  }

 private:
  std::vector<Candidate> options_of(int eqn) {
    const Eqn& e = p_.eqns[eqn];
    switch (e.op->role) {
      case Role::loop: return {plan_loop(problem_, eqn, {out_.versions, prices_}, planner_)};
      case Role::branch: return {plan_branches(problem_, eqn, {out_.versions, prices_}, planner_)};
      case Role::constraint:
      case Role::generator: return {as_wanted(e)};
      case Role::region: return {region_candidate(e, p_, {problem_.mesh, problem_.places.get()}, problem_.axes)};
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
    const std::vector<Layout>& known = out_.versions[a.id].layouts;
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
      std::size_t from = out_.versions[a.id].best(c.operands[o], sizes_of(p_.types[a.id]), planner_, path);
      // A sum that is completed here is complete for the other users too.
      bool shared = !out_.versions[a.id].layouts[from].pending.empty() && c.operands[o].pending.empty();
      cost += prices_[a.id] * path->cost / (shared ? index_.use_count(a.id) : 1);
    }
    for (std::size_t r = 0; r < e.results.size(); ++r)
      cost += planner_.path(c.results[r], problem_.wanted[e.results[r]], sizes_of(p_.types[e.results[r]])).cost;
    return cost;
  }

  // Notes the layouts that are at hand from now on, and what that costs.
  void commit(const Eqn& e, const Candidate& c) {
    out_.cost += c.work;
    for (std::size_t o = 0; o < e.operands.size(); ++o)
      if (!e.operands[o].is_literal()) out_.cost += bring(e.operands[o].id, c.operands[o]);
    for (std::size_t r = 0; r < e.results.size(); ++r) out_.versions[e.results[r]].add(c.results[r]);
  }

  // The price of a value under `to`, which is at hand then.
  double bring(ValueId v, const Layout& to) {
    const Path* path = nullptr;
    out_.versions[v].best(to, sizes_of(p_.types[v]), planner_, path);
    out_.versions[v].add_stops(*path, to);
    return prices_[v] * path->cost;
  }

  // How a value goes to where the steps of a loop put theirs, one behind the other: moved in each step as long as that
  // makes it smaller. The rest of the way is gone once, by all of them together.
  Layout stacked(ValueId v, const Layout& wanted) {
    const Path* path = nullptr;
    const Shape& shape = p_.types[v].shape;
    const std::size_t from = out_.versions[v].best(wanted, sizes_of(p_.types[v]), planner_, path);
    Layout out = out_.versions[v].layouts[from];
    for (const Move& m : path->moves)
      if (block_shape(m.after, shape).num_elements() < block_shape(out, shape).num_elements()) out = m.after;
    return out;
  }

  const Problem& problem_;
  const Program& p_;
  Planner& planner_;
  Choice out_;
  std::vector<double> prices_;  // by value
  const ProgramIndex index_;
  std::vector<Magnitude> magnitudes_;
};

}  // namespace

Problem problem_of(const ShardedProgram& sharded, const AxisRefs& axes) {
  auto inside = [&](const AxisRef& r) { return std::find(axes.begin(), axes.end(), r) == axes.end(); };
  Problem out{sharded.program, sharded.mesh, axes, {}, {}, {}, {}, sharded.places};
  for (Layout l : sharded.layouts) {
    for (AxisRefs& refs : l.dims) std::erase_if(refs, inside);
    out.wanted.push_back(canonical(std::move(l)));
  }
  if (sharded.places) {
    out.inputs = sharded.inputs;
    out.outputs = sharded.outputs;
  } else {
    for (ValueId v : out.program->inputs) out.inputs.push_back(out.wanted[v]);
    for (const Atom& a : out.program->outputs)
      out.outputs.push_back(a.is_literal() ? Layout::replicated(0) : out.wanted[a.id]);
  }
  out.bodies.resize(out.program->eqns.size());
  for (std::size_t i = 0; i < sharded.bodies.size(); ++i)
    for (const ShardedProgram& body : sharded.bodies[i]) out.bodies[i].push_back(problem_of(body, axes));
  return out;
}

Choice choice_for(const Problem& problem, const Ends& ends, Planner& planner) {
  return Greedy(problem, ends, planner).run(ends.outputs);
}

std::vector<Candidate> choose(const Problem& problem, Planner& planner) {
  Ends ends;
  for (const Layout& l : problem.inputs) {
    ends.inputs.emplace_back().add(l);
    ends.prices.push_back(1);
  }
  ends.outputs.assign(problem.outputs.begin(), problem.outputs.end());
  return choice_for(problem, ends, planner).chosen;
}

}  // namespace tutti
