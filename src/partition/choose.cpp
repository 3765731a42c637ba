#include "partition/choose.hpp"

#include <algorithm>

#include "ir/loop_form.hpp"
#include "partition/choice_model.hpp"
#include "partition/homes.hpp"

namespace tutti {
namespace {

using Way = LoopForm::Way;

constexpr int most_sweeps = 4;
// Where all nodes are chosen apart, those of longer programs are not with larger tables once more: what is alike in
// them has been, and time stays linear.
constexpr std::size_t most_looked_at_again = 5000;

class Choosing {
 public:
  Choosing(const Problem& problem, Planner& planner, Graph graph)
      : problem_(problem), planner_(planner), graph_(std::move(graph)), model_(graph_, planner, problem.axes) {}

  // First what is alike is chosen alike: from one order of the axes ...
  void begin() {
    model_.tie(like_);
    from(problem_.axes, false);
  }
  // ... and from the others; then each by itself from there.
  void finish() {
    if (problem_.axes.size() > 1) {
      from(problem_.axes, true);
      from({problem_.axes.rbegin(), problem_.axes.rend()}, false);
    }
    model_.only(problem_.axes);
    if (like_.node_classes == static_cast<int>(graph_.nodes.size())) return;
    model_.tie(all_apart(graph_));
    const bool again = graph_.nodes.size() < most_looked_at_again;
    for (const AxisRef& axis : problem_.axes) model_.improve(best_, {axis}, again);
  }

  double cost() const { return best_.cost; }
  BodyPlan plan() { return plan(graph_.outermost); }
  Proof prove(std::int64_t limit) {
    const MinSumResult found = model_.all_together(limit);
    return {std::min(best_.cost, found.cost), found.bound};
  }

 private:
  void from(const AxisRefs& order, bool together) {
    Choice c = start(order, together);
    follow(c, most_sweeps);
    if (c.cost < best_.cost) best_ = std::move(c);
  }

  // One axis after the other; or all of them on one thing.
  Choice start(const AxisRefs& order, bool together) {
    Choice out = model_.nothing();
    model_.only({});
    std::vector<AxisRefs> units{order};
    if (!together) {
      units.clear();
      for (const AxisRef& axis : order) units.push_back({axis});
    }
    for (const AxisRefs& unit : units) {
      model_.take_part(out, unit);
      model_.improve(out, unit, true);
    }
    return out;
  }

  // Each axis by itself, again and again, until none has moved since it was looked at.
  void follow(Choice& choice, int sweeps) {
    const std::size_t n = problem_.axes.size();
    std::size_t still = 0;
    for (std::size_t k = 0; n > 1 && still < n && k < n * static_cast<std::size_t>(sweeps); ++k) {
      const double before = choice.cost;
      model_.improve(choice, {problem_.axes[k % n]}, true);
      still = choice.cost < before * (1 - 1e-9) ? 1 : still + 1;
    }
  }

  // ---- what was chosen, program by program
  Candidate chosen(int node) {
    const Node& n = graph_.nodes[node];
    return n.rows ? *n.rows->row(best_.rows[node]) : n.fixed;
  }

  BodyPlan plan(const Flattened& program) {
    BodyPlan out;
    const Program& p = *program.problem->program;
    for (std::size_t i = 0; i < p.eqns.size(); ++i)
      out.chosen.push_back(program.nodes[i] >= 0 ? chosen(program.nodes[i]) : loop(program, i));
    for (std::size_t v = 0; v < program.values.size(); ++v) {
      const int value = program.values[v];
      out.homes.push_back(value < 0 ? Homes{} : graph_.values[value].homes);
      if (value < 0 || best_.hubs[value] < 0) continue;
      out.hubs.emplace(static_cast<ValueId>(v), planner_.layout(graph_.values[value].size, best_.hubs[value]));
    }
    return out;
  }

  Candidate loop(const Flattened& program, std::size_t eqn) {
    const Eqn& e = program.problem->program->eqns[eqn];
    const LoopForm form = *loop_form(e);
    const bool branch = form.kind == LoopForm::Kind::branch;
    Candidate out;
    out.params = e.params;
    for (const Atom& a : e.operands)
      out.operands.push_back(Layout::replicated(program.problem->program->type(a).ndim()));
    out.results.resize(e.results.size());
    for (std::size_t s = 0; s < e.subs.size(); ++s) {
      const Flattened::Sub& sub = program.subs[eqn][s];
      BodyPlan body = plan(*sub.body);
      for (std::size_t i = 0; i < sub.inputs.size(); ++i) {
        const LoopForm::Input& in = form.bodies[s].inputs[i];
        body.inputs.emplace_back();
        if (sub.inputs[i] < 0) continue;
        const Candidate c = chosen(sub.inputs[i]);
        body.inputs.back() = c.results[0];
        out.operands[in.operand] = c.operands[0];
      }
      for (std::size_t k = 0; k < sub.outputs.size(); ++k) {
        const LoopForm::Output& to = form.bodies[s].outputs[k];
        if (sub.outputs[k] < 0) {
          body.outputs.push_back(Layout::replicated(0));
          continue;
        }
        const Candidate c = chosen(sub.outputs[k]);
        body.outputs.push_back(branch ? c.operands[s] : to.stacked ? c.operands[0] : c.operands[1]);
        out.results[to.result] = branch || to.stacked ? c.results[0] : c.results[1];
      }
      out.bodies.push_back(std::move(body));
    }
    return out;
  }

  const Problem& problem_;
  Planner& planner_;
  const Graph graph_;
  const Likeness like_ = alike(graph_);
  ChoiceModel model_;
  Choice best_;
};

bool has_homes(const Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(), [](const GraphValue& v) {
    return std::any_of(v.homes.begin(), v.homes.end(), [](const AxisRefs& home) { return !home.empty(); });
  });
}

// Where there are several axes, with homes. What homes do without, permutes and exchanges between three dims, may be
// the better way through a short program, or where placements contradict each other: there both, and what is better
// after the first start is searched on.
std::unique_ptr<Choosing> chosen(const Problem& problem, Planner& planner) {
  constexpr std::size_t is_short = 100;  // nodes
  Graph graph = graph_of(problem, planner);
  const bool one_axis = problem.axes.size() == 1;
  std::unique_ptr<Choosing> out, ordered;
  if (!one_axis) {
    const bool both = graph.nodes.size() < is_short || contradicts(graph, ways(problem.axes));
    Graph settled = graph;
    settle(settled, planner, problem.axes);
    const bool any = has_homes(settled);
    if (both && any) ordered = std::make_unique<Choosing>(problem, planner, std::move(graph));
    if (any) out = std::make_unique<Choosing>(problem, planner, std::move(settled));
  }
  if (!out) out = std::make_unique<Choosing>(problem, planner, std::move(graph));
  out->begin();
  if (ordered) {
    ordered->begin();
    if (!(out->cost() < ordered->cost() * (1 - 1e-9))) out = std::move(ordered);
  }
  out->finish();
  return out;
}

}  // namespace

Sizes sizes_of(const Type& type) { return {type.shape, type.dtype.size()}; }

std::size_t Versions::best(const Layout& to, const Sizes& sizes, Planner& planner, double* cost) const {
  std::size_t at = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < layouts.size(); ++i)
    if (const double c = planner.cost(layouts[i], to, sizes); c < least) {
      least = c;
      at = i;
    }
  if (cost) *cost = least;
  return at;
}

bool Versions::has(const Layout& layout) const {
  return std::find(layouts.begin(), layouts.end(), layout) != layouts.end();
}

void Versions::add(const Layout& layout) {
  if (!has(layout)) layouts.push_back(layout);
}

Problem problem_of(const ShardedProgram& sharded, const AxisRefs& axes) {
  auto inside = [&](const AxisRef& r) { return std::find(axes.begin(), axes.end(), r) == axes.end(); };
  Problem out{sharded.program, sharded.mesh, axes, {}, {}, {}, {}, sharded.places};
  auto within = [&](Layout l) {
    for (AxisRefs& refs : l.dims) std::erase_if(refs, inside);
    return canonical(std::move(l));
  };
  for (const Layout& l : sharded.layouts) out.wanted.push_back(within(l));
  if (sharded.places) {
    out.inputs = sharded.inputs;
    out.outputs = sharded.outputs;
  } else {
    for (ValueId v : out.program->inputs) out.inputs.push_back(out.wanted[v]);
    for (const Layout& l : sharded.outputs) out.outputs.push_back(within(l));
  }
  out.bodies.resize(out.program->eqns.size());
  for (std::size_t i = 0; i < sharded.bodies.size(); ++i)
    for (const ShardedProgram& body : sharded.bodies[i]) out.bodies[i].push_back(problem_of(body, axes));
  return out;
}

BodyPlan choose(const Problem& problem, Planner& planner) { return chosen(problem, planner)->plan(); }

Proof prove(const Problem& problem, Planner& planner, std::int64_t limit) {
  return chosen(problem, planner)->prove(limit);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
