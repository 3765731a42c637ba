#include "partition/graph.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/loop_form.hpp"
#include "partition/magnitudes.hpp"
#include "partition/regions.hpp"

namespace tutti {
namespace {

using Way = LoopForm::Way;

// How many steps a loop is taken to make that goes on while a condition holds.
constexpr double unknown_steps = 16;

// Operands and results that lie alike. With `stacked` all first ones but these have another dim in front.
Factors alike(int operands, int results, const Shape& shape, int stacked_operand, int stacked_result) {
  Factors out;
  Factors::Dims dims, stack{{}};
  for (int d = 0; d < shape.ndim(); ++d) {
    out.factors.push_back({shape[d]});
    dims.push_back({d});
    stack.push_back({d});
  }
  for (int o = 0; o < operands; ++o) out.operands.push_back(o == stacked_operand ? stack : dims);
  for (int r = 0; r < results; ++r) out.results.push_back(r == stacked_result ? stack : dims);
  return out;
}

class Builder {
 public:
  explicit Builder(Planner& planner) : planner_(planner) {}

  Graph build(const Problem& problem) {
    const Program& p = *problem.program;
    std::vector<int> inputs;
    for (std::size_t i = 0; i < p.inputs.size(); ++i) {
      Node node;
      node.fixed.results = {problem.inputs[i]};
      inputs.push_back(value(p.types[p.inputs[i]], 1));
      add(std::move(node), {}, {inputs.back()}, 1);
    }
    out_.outermost = flattened(problem, inputs, 1);
    for (std::size_t k = 0; k < p.outputs.size(); ++k)
      sink(operand(out_.outermost, p.outputs[k]), problem.outputs[k], 1);
    return std::move(out_);
  }

 private:
  int value(const Type& type, double times) {
    const Sizes sizes{type.shape, type.dtype.size()};
    out_.values.push_back({sizes, planner_.valued(sizes), times});
    return static_cast<int>(out_.values.size()) - 1;
  }

  int add(Node node, std::vector<int> operands, std::vector<int> results, double times) {
    const int n = static_cast<int>(out_.nodes.size());
    for (int o = 0; o < static_cast<int>(operands.size()); ++o)
      if (operands[o] >= 0) out_.values[operands[o]].uses.emplace_back(n, o);
    for (int r = 0; r < static_cast<int>(results.size()); ++r) {
      out_.values[results[r]].producer = n;
      out_.values[results[r]].result = r;
    }
    node.operands = std::move(operands);
    node.results = std::move(results);
    node.times = times;
    out_.nodes.push_back(std::move(node));
    return n;
  }

  void sink(int value, const Layout& layout, double times) {
    Node node;
    node.fixed.operands = {layout};
    add(std::move(node), {value}, {}, times);
  }

  static int operand(const Flattened& program, const Atom& a) { return a.is_literal() ? -1 : program.values[a.id]; }
  static std::vector<int> operands(const Flattened& program, const std::vector<Atom>& atoms) {
    std::vector<int> out;
    for (const Atom& a : atoms) out.push_back(operand(program, a));
    return out;
  }

  // `inputs`: the values that they are.
  Flattened flattened(const Problem& problem, const std::vector<int>& inputs, double times) {
    const Program& p = *problem.program;
    Flattened out{&problem, std::vector<int>(p.types.size(), -1), {}, {}};
    for (std::size_t i = 0; i < inputs.size(); ++i) out.values[p.inputs[i]] = inputs[i];
    const std::vector<Magnitude> known = magnitudes(p);
    for (int i = 0; i < static_cast<int>(p.eqns.size()); ++i) {
      const Eqn& e = p.eqns[i];
      out.subs.emplace_back();
      if (const std::optional<LoopForm> form = loop_form(e)) {
        out.nodes.push_back(-1);
        if (form->kind == LoopForm::Kind::branch)
          branch(problem, i, *form, out, times);
        else
          loop(problem, i, *form, out, times);
        continue;
      }
      std::vector<int> results;
      for (ValueId r : e.results) results.push_back(out.values[r] = value(p.types[r], times));
      out.nodes.push_back(add(node(problem, e, known), operands(out, e.operands), std::move(results), times));
    }
    return out;
  }

  Node node(const Problem& problem, const Eqn& e, const std::vector<Magnitude>& known) {
    Node out;
    const Program& p = *problem.program;
    if (e.op->role == Role::constraint) {
      out.fixed.operands = out.fixed.results = {problem.wanted[e.results[0]]};
      out.fixed.params = e.params;
    } else if (e.op->role == Role::region) {
      out.fixed = region_candidate(e, p, {problem.mesh, problem.places.get()}, problem.axes);
    } else {
      out.rows = table(e, p, usable_linear_sets(e, p, known));
    }
    return out;
  }

  // One table for all Eqns that are alike.
  std::shared_ptr<RowTable> table(const Eqn& e, const Program& p, std::vector<std::vector<int>> linear) {
    Like like{e.op, {}, {}, linear};
    for (const Atom& a : e.operands) like.types.emplace_back(p.type(a).dtype.kind(), p.type(a).shape.dims());
    for (ValueId r : e.results) like.types.emplace_back(p.types[r].dtype.kind(), p.types[r].shape.dims());
    like.hash = e.params.hash();
    auto& known = tables_[like];
    for (const auto& [eqn, rows] : known)
      if (e.subs.empty() && eqn->params == e.params) return rows;
    known.emplace_back(&e, std::make_shared<RowTable>(e, p, std::move(linear), planner_.prices()));
    return known.back().second;
  }

  // Layouts that belong together, of nothing that is computed.
  Node joint(Factors rule, std::vector<Type> operands, std::vector<Type> results) {
    std::vector<std::vector<int>> linear;
    const DType dtype = results[0].dtype;
    if (dtype.is_inexact() || dtype.is_integer()) {
      linear.emplace_back();
      for (int o = 0; o < static_cast<int>(operands.size()); ++o) linear[0].push_back(o);
    }
    Node out;
    out.rows = std::make_shared<RowTable>(std::move(rule), std::move(operands), std::move(results), std::move(linear),
                                          planner_.prices());
    return out;
  }

  void loop(const Problem& problem, int eqn, const LoopForm& form, Flattened& around, double times) {
    const Eqn& e = problem.program->eqns[eqn];
    const Program& p = *problem.program;
    const double inner =
        times * (form.kind == LoopForm::Kind::until ? unknown_steps
                                                    : static_cast<double>(std::max<std::int64_t>(form.length, 1)));
    const Program& body = *e.subs[form.body];
    std::vector<int> arguments(e.results.size(), -1), next(e.results.size(), -1);  // values, by result, of carries
    std::vector<int> carry(e.results.size(), -1);
    std::vector<Flattened::Sub>& subs = around.subs.back();
    subs.resize(e.subs.size());
    for (ValueId r : e.results) around.values[r] = value(p.types[r], times);
    // Carries come first, as nodes whose second operand follows when the body stands.
    const LoopForm::Body& of = form.bodies[form.body];
    for (std::size_t i = 0; i < of.inputs.size(); ++i) {
      const LoopForm::Input& in = of.inputs[i];
      if (in.way != Way::carried) continue;
      const Type& type = body.types[body.inputs[i]];
      arguments[in.result] = value(type, inner);
      carry[in.result] = add(joint(alike(2, 2, type.shape, -1, -1), {type, type}, {type, type}),
                             {operand(around, e.operands[in.operand]), -1},
                             {arguments[in.result], around.values[e.results[in.result]]}, times);
    }
    for (std::size_t s = 0; s < e.subs.size(); ++s) {
      std::vector<int> inputs;
      for (std::size_t i = 0; i < form.bodies[s].inputs.size(); ++i) {
        const LoopForm::Input& in = form.bodies[s].inputs[i];
        int node = -1;
        if (in.way == Way::same) {
          inputs.push_back(operand(around, e.operands[in.operand]));
          if (inputs.back() < 0) inputs.back() = literal(e.subs[s]->types[e.subs[s]->inputs[i]]);
        } else if (in.way == Way::carried) {
          node = carry[in.result];
          inputs.push_back(arguments[in.result]);
        } else {
          const Type& slice = e.subs[s]->types[e.subs[s]->inputs[i]];
          inputs.push_back(value(slice, inner));
          node = add(joint(alike(1, 1, slice.shape, 0, -1), {p.type(e.operands[in.operand])}, {slice}),
                     {operand(around, e.operands[in.operand])}, {inputs.back()}, times);
        }
        subs[s].inputs.push_back(node);
      }
      subs[s].body = std::make_shared<Flattened>(flattened(problem.bodies[eqn][s], inputs, inner));
      for (std::size_t k = 0; k < form.bodies[s].outputs.size(); ++k) {
        const LoopForm::Output& to = form.bodies[s].outputs[k];
        const Atom& made = e.subs[s]->outputs[k];
        const int v = operand(*subs[s].body, made);
        int node = -1;
        if (to.result < 0) {
          sink(v, Layout::replicated(0), inner);
        } else if (to.stacked) {
          const Type& element = e.subs[s]->type(made);
          node = add(joint(alike(1, 1, element.shape, -1, 0), {element}, {p.types[e.results[to.result]]}), {v},
                     {around.values[e.results[to.result]]}, times);
        } else {
          node = carry[to.result];
          out_.nodes[node].operands[1] = v;
          if (v >= 0) out_.values[v].uses.emplace_back(node, 1);
        }
        subs[s].outputs.push_back(node);
      }
    }
  }

  // A literal that a body takes as an input.
  int literal(const Type& type) {
    Node node;
    node.fixed.results = {Layout::replicated(type.ndim())};
    const int v = value(type, 1);
    add(std::move(node), {}, {v}, 1);
    return v;
  }

  void branch(const Problem& problem, int eqn, const LoopForm& form, Flattened& around, double times) {
    const Eqn& e = problem.program->eqns[eqn];
    const Program& p = *problem.program;
    if (const int which = operand(around, e.operands[0]); which >= 0) sink(which, Layout::replicated(0), times);
    std::vector<Flattened::Sub>& subs = around.subs.back();
    subs.resize(e.subs.size());
    for (std::size_t s = 0; s < e.subs.size(); ++s) {
      std::vector<int> inputs;
      for (std::size_t i = 0; i < form.bodies[s].inputs.size(); ++i) {
        inputs.push_back(operand(around, e.operands[form.bodies[s].inputs[i].operand]));
        if (inputs.back() < 0) inputs.back() = literal(e.subs[s]->types[e.subs[s]->inputs[i]]);
      }
      subs[s].body = std::make_shared<Flattened>(flattened(problem.bodies[eqn][s], inputs, times));
    }
    for (std::size_t k = 0; k < e.results.size(); ++k) {
      const Type& type = p.types[e.results[k]];
      std::vector<int> made;
      for (std::size_t s = 0; s < e.subs.size(); ++s) made.push_back(operand(*subs[s].body, e.subs[s]->outputs[k]));
      const int n = static_cast<int>(made.size());
      around.values[e.results[k]] = value(type, times);
      const int node = add(joint(alike(n, 1, type.shape, -1, -1), std::vector<Type>(made.size(), type), {type}), made,
                           {around.values[e.results[k]]}, times);
      for (Flattened::Sub& sub : subs) sub.outputs.push_back(node);
    }
  }

  struct Like {
    const Op* op;
    std::vector<std::pair<DType::Kind, std::vector<std::int64_t>>> types;
    std::size_t hash;
    std::vector<std::vector<int>> linear;
    auto operator<=>(const Like&) const = default;
  };
  Planner& planner_;
  Graph out_;
  std::map<Like, std::vector<std::pair<const Eqn*, std::shared_ptr<RowTable>>>> tables_;
};

}  // namespace

Graph graph_of(const Problem& problem, Planner& planner) { return Builder(planner).build(problem); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
