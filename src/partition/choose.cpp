#include "partition/choose.hpp"

#include <algorithm>

#include "ir/loop_form.hpp"
#include "partition/graph.hpp"
#include "partition/min_sum.hpp"

namespace tutti {
namespace {

using Way = LoopForm::Way;

// Entries of a table: in the search for a plan, and where some variables are held.
constexpr std::int64_t table_limit = 20'000, polish_limit = 100'000;
constexpr int most_sweeps = 4;
constexpr std::size_t most_orders = 6;

// One way to compute a node, as numbers of layouts.
struct Option {
  Assignment assignment;
  std::vector<int> operands, results;
  double work = 0;
};

// What is chosen for every node, with the axes that take part so far.
struct State {
  std::vector<Assignment> rows;  // by node
  std::vector<int> hubs;         // by value: a layout to which it is brought first; -1: none
  double cost = std::numeric_limits<double>::infinity();
};

class Choosing {
 public:
  Choosing(const Problem& problem, Planner& planner)
      : problem_(problem), planner_(planner), graph_(graph_of(problem, planner)) {}

  BodyPlan run() {
    std::vector<AxisRefs> orders;
    AxisRefs order = problem_.axes;
    do {
      orders.push_back(order);
    } while (orders.size() < most_orders && std::next_permutation(order.begin(), order.end()));
    State best;
    for (const AxisRefs& axes : orders) {
      State s = from(axes);
      if (s.cost < best.cost) best = std::move(s);
    }
    active_ = problem_.axes;
    best_ = std::move(best);
    return plan(graph_.outermost);
  }

 private:
  State from(const AxisRefs& order) {
    State s;
    s.rows.resize(graph_.nodes.size());
    s.hubs.assign(graph_.values.size(), -1);
    active_.clear();
    for (const AxisRef& axis : order) {
      active_.push_back(axis);
      for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
        if (graph_.nodes[n].rows) s.rows[n].emplace_back(axis, on_nothing);
      s.cost = std::numeric_limits<double>::infinity();
      improve(s, axis);
    }
    for (int sweep = 0; sweep < most_sweeps && order.size() > 1; ++sweep) {
      const double before = s.cost;
      for (const AxisRef& axis : order) improve(s, axis);
      if (!(s.cost < before * (1 - 1e-9))) break;
    }
    return s;
  }

  // The axis is put on whatever is best, as the other axes are.
  void improve(State& s, const AxisRef& axis) {
    options_.clear();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) options_.push_back(options(graph_.nodes[n], s.rows[n], axis));
    const MinSum model = model_of();
    const MinSumResult found = minimise(model, table_limit);
    take(s, found);
    if (found.cost > found.bound * (1 + 1e-9) + 1e-6) take(s, minimise(model, polish_limit, &found.values));
  }

  void take(State& s, const MinSumResult& found) const {
    if (!(found.cost < s.cost)) return;
    s.cost = found.cost;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) s.rows[n] = options_[n][found.values[n]].assignment;
    for (std::size_t v = 0; v < graph_.values.size(); ++v)
      s.hubs[v] = hub_variable_[v] < 0 ? -1 : hub_layouts_[v][found.values[hub_variable_[v]]];
  }

  // Only the axes that take part so far.
  Layout projected(Layout l) const {
    auto out = [&](const AxisRef& r) { return std::find(active_.begin(), active_.end(), r) == active_.end(); };
    for (AxisRefs& refs : l.dims) std::erase_if(refs, out);
    std::erase_if(l.pending, out);
    return canonical(std::move(l));
  }

  std::vector<Option> options(const Node& node, const Assignment& now, const AxisRef& axis) {
    std::vector<Option> out;
    if (!node.rows) {
      Option o;
      for (std::size_t i = 0; i < node.operands.size(); ++i)
        o.operands.push_back(id(node.operands[i], node.fixed.operands[i]));
      for (std::size_t i = 0; i < node.results.size(); ++i)
        o.results.push_back(id(node.results[i], node.fixed.results[i]));
      out.push_back(std::move(o));
      return out;
    }
    Assignment others = now;
    std::erase_if(others, [&](const auto& a) { return a.first == axis; });
    // Where the assignment stands now comes first, so that nothing changes where nothing is gained.
    add(out, node, now);
    for (int choice : node.rows->choices(axis))
      for (std::size_t at = 0; at <= (choice < 0 ? 0 : others.size()); ++at) {
        if (at > 0 && others[at - 1].second < 0) continue;  // order says nothing there
        Assignment a = others;
        a.insert(a.begin() + static_cast<std::ptrdiff_t>(choice < 0 ? a.size() : at), {axis, choice});
        add(out, node, a);
      }
    return out;
  }

  void add(std::vector<Option>& out, const Node& node, const Assignment& a) {
    const Candidate* c = node.rows->row(a);
    if (!c) return;
    const std::vector<int>& ids = node.rows->ids(a, planner_);
    const auto split = ids.begin() + static_cast<std::ptrdiff_t>(node.operands.size());
    Option o{a, {ids.begin(), split}, {split, ids.end()}, c->work * node.times};
    for (const Option& other : out)
      if (other.operands == o.operands && other.results == o.results) return;
    out.push_back(std::move(o));
  }

  int id(int value, const Layout& layout) {
    return value < 0 ? -1 : planner_.id(graph_.values[value].size, projected(layout));
  }

  // Variables: the nodes, and the hubs of values with several uses.
  MinSum model_of() {
    MinSum out;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      out.sizes.push_back(static_cast<int>(options_[n].size()));
      MinSum::Term work{{static_cast<int>(n)}, {}};
      for (const Option& o : options_[n]) work.costs.push_back(o.work);
      out.terms.push_back(std::move(work));
    }
    hub_variable_.assign(graph_.values.size(), -1);
    hub_layouts_.assign(graph_.values.size(), {});
    for (std::size_t v = 0; v < graph_.values.size(); ++v) add_moves(static_cast<int>(v), out);
    return out;
  }

  void add_moves(int value, MinSum& out) {
    const GraphValue& v = graph_.values[value];
    if (v.uses.empty()) return;
    // All layouts that somebody makes or takes, and what it costs to get from one to another.
    std::vector<int> layouts;
    for (const Option& o : options_[v.producer]) layouts.push_back(o.results[v.result]);
    for (const auto& [node, operand] : v.uses)
      for (const Option& o : options_[node]) layouts.push_back(o.operands[operand]);
    std::sort(layouts.begin(), layouts.end());
    layouts.erase(std::unique(layouts.begin(), layouts.end()), layouts.end());
    const auto n = layouts.size();
    std::vector<double> costs;
    for (int from : layouts) planner_.costs(v.size, from, layouts, v.times, costs);
    auto place = [&](int id) {
      return static_cast<std::size_t>(std::lower_bound(layouts.begin(), layouts.end(), id) - layouts.begin());
    };
    std::vector<std::size_t> made;
    for (const Option& o : options_[v.producer]) made.push_back(place(o.results[v.result]));

    int hub = -1;
    if (v.uses.size() > 1) {
      hub = hub_variable_[value] = static_cast<int>(out.sizes.size());
      out.sizes.push_back(static_cast<int>(n));
      MinSum::Term term{{v.producer, hub}, {}};
      for (std::size_t from : made)
        for (std::size_t h = 0; h < n; ++h) term.costs.push_back(costs[from * n + h]);
      out.terms.push_back(std::move(term));
    }
    for (const auto& [node, operand] : v.uses) {
      const bool itself = node == v.producer;
      std::vector<std::size_t> taken;
      for (const Option& o : options_[node]) taken.push_back(place(o.operands[operand]));
      MinSum::Term term{{v.producer}, {}};
      if (hub >= 0) term.variables.push_back(hub);
      if (!itself) term.variables.push_back(node);
      for (std::size_t p = 0; p < made.size(); ++p)
        for (std::size_t h = 0; h < (hub < 0 ? 1 : n); ++h)
          for (std::size_t u = itself ? p : 0; u < (itself ? p + 1 : taken.size()); ++u) {
            const double direct = costs[made[p] * n + taken[u]];
            term.costs.push_back(hub < 0 ? direct : std::min(direct, costs[h * n + taken[u]]));
          }
      out.terms.push_back(std::move(term));
    }
    hub_layouts_[value] = std::move(layouts);
  }

  // ---- what was chosen, program by program
  Candidate chosen(int node) {
    const Node& n = graph_.nodes[node];
    return n.rows ? *n.rows->row(best_.rows[node]) : n.fixed;
  }

  BodyPlan plan(const Scope& scope) {
    BodyPlan out;
    const Program& p = *scope.problem->program;
    for (std::size_t i = 0; i < p.eqns.size(); ++i)
      out.chosen.push_back(scope.nodes[i] >= 0 ? chosen(scope.nodes[i]) : loop(scope, i));
    for (std::size_t v = 0; v < scope.values.size(); ++v) {
      const int value = scope.values[v];
      if (value < 0 || best_.hubs[value] < 0) continue;
      out.hubs.emplace(static_cast<ValueId>(v), planner_.layout(graph_.values[value].size, best_.hubs[value]));
    }
    return out;
  }

  Candidate loop(const Scope& scope, std::size_t eqn) {
    const Eqn& e = scope.problem->program->eqns[eqn];
    const LoopForm form = *loop_form(e);
    const bool branch = form.kind == LoopForm::Kind::branch;
    Candidate out;
    out.params = e.params;
    for (const Atom& a : e.operands) out.operands.push_back(Layout::replicated(scope.problem->program->type(a).ndim()));
    out.results.resize(e.results.size());
    for (std::size_t s = 0; s < e.subs.size(); ++s) {
      const Scope::Sub& sub = scope.subs[eqn][s];
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
  AxisRefs active_;
  State best_;
  // Of the last model: by node, and by value.
  std::vector<std::vector<Option>> options_;
  std::vector<int> hub_variable_;
  std::vector<std::vector<int>> hub_layouts_;
};

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

BodyPlan choose(const Problem& problem, Planner& planner) { return Choosing(problem, planner).run(); }

}  // namespace tutti
