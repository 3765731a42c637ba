#include "partition/loops.hpp"

#include <algorithm>

#include "ir/loop_form.hpp"
#include "partition/accumulators.hpp"

namespace tutti {
namespace {

using Way = LoopForm::Way;

// How many steps a loop is taken to make that goes on while a condition holds.
constexpr double unknown_steps = 16;
// How many sums are tried one by one when completing all of them behind the loop does not pay.
constexpr std::size_t most_trials = 8;

Layout stack_of(const Layout& element) {
  Layout out = element;
  out.dims.insert(out.dims.begin(), AxisRefs{});
  return out;
}

class LoopPlanner {
 public:
  LoopPlanner(const Problem& around, int eqn, const AtHand& at_hand, Planner& planner)
      : around_(around),
        e_(around.program->eqns[eqn]),
        problems_(around.bodies[eqn]),
        at_hand_(at_hand),
        planner_(planner),
        form_(*loop_form(e_)),
        body_(*e_.subs[form_.body]) {
    steps_ = form_.kind == LoopForm::Kind::until ? unknown_steps
                                                 : static_cast<double>(std::max<std::int64_t>(form_.length, 1));
  }

  Candidate plan() {
    Trial best{carries_as_taken(), problems_[form_.body]};
    run(best);
    try_instead(best, [&](Trial& t) { return take_as_made(t); });
    const std::vector<Accumulator> sums = accumulators(e_);
    for (const AxisRef& axis : around_.axes) complete_behind(best, sums, axis);
    for (std::size_t o = 0; o < e_.operands.size(); ++o)
      if (!best.shared[o].layouts.empty()) at_hand_.versions[e_.operands[o].id] = best.shared[o];
    return std::move(best.candidate);
  }

 private:
  struct Trial {
    std::vector<Layout> carries;  // by result
    Problem problem;              // of the body
    Candidate candidate = {};
    Choice body = {};
    std::vector<Versions> shared = {};  // by operand, of what is the same in all steps
    double cost = 0;
  };

  std::vector<Layout> carries_as_taken() const {
    std::vector<Layout> out(e_.results.size());
    for (std::size_t i = 0; i < body_.inputs.size(); ++i)
      if (int r = form_.bodies[form_.body].inputs[i].result; r >= 0)
        out[r] = problems_[form_.body].wanted[body_.inputs[i]];
    return out;
  }

  // Carries lie as the body makes them, where that is not as it takes them. False when there are none such.
  bool take_as_made(Trial& t) const {
    bool any = false;
    for (std::size_t k = 0; k < body_.outputs.size(); ++k) {
      const LoopForm::Output& to = form_.bodies[form_.body].outputs[k];
      if (to.stacked || body_.outputs[k].is_literal()) continue;
      const Layout& made = t.problem.wanted[body_.outputs[k].id];
      any = any || !(made == t.carries[to.result]);
      t.carries[to.result] = made;
    }
    return any;
  }

  // Leaves sums partial over the axis where that is cheaper: those whose terms are at hand in parts, else all, else one
  // by one.
  void complete_behind(Trial& best, const std::vector<Accumulator>& sums, const AxisRef& axis) {
    auto keep = [&](auto wants) {
      return try_instead(best, [&](Trial& t) {
        bool any = false;
        for (const Accumulator& a : sums)
          if (wants(a)) {
            keep_partial(t, a, axis);
            any = true;
          }
        return any;
      });
    };
    const std::vector<Versions> before = best.body.versions;
    if (keep([&](const Accumulator& a) { return has_parts(a, before, axis); })) return;
    if (keep([](const Accumulator&) { return true; }) || sums.size() == 1 || sums.size() > most_trials) return;
    for (const Accumulator& one : sums) keep([&](const Accumulator& a) { return a.result == one.result; });
  }

  static bool has_parts(const Accumulator& a, const std::vector<Versions>& versions, const AxisRef& axis) {
    for (std::size_t v = 0; v < versions.size(); ++v)
      for (const Layout& l : versions[v].layouts)
        if (a.is_partial[v] && std::find(l.pending.begin(), l.pending.end(), axis) != l.pending.end()) return true;
    return false;
  }

  static void keep_partial(Trial& t, const Accumulator& a, const AxisRef& axis) {
    auto partial = [&](Layout l) {
      for (AxisRefs& refs : l.dims) std::erase(refs, axis);
      if (std::find(l.pending.begin(), l.pending.end(), axis) == l.pending.end()) l.pending.push_back(axis);
      return canonical(std::move(l));
    };
    t.carries[a.result] = partial(t.carries[a.result]);
    for (std::size_t v = 0; v < a.is_partial.size(); ++v)
      if (a.is_partial[v]) t.problem.wanted[v] = partial(t.problem.wanted[v]);
  }

  // Changes `best` when what `change` makes of it costs less.
  template <class Change> bool try_instead(Trial& best, Change change) {
    Trial other{best.carries, best.problem};
    if (!change(other)) return false;
    run(other);
    if (!(other.cost < best.cost)) return false;
    best = std::move(other);
    return true;
  }

  void run(Trial& t) {
    t.candidate.params = e_.params;
    t.shared.resize(e_.operands.size());
    for (const Atom& a : e_.operands)
      t.candidate.operands.push_back(a.is_literal() ? Layout::replicated(0) : at_hand_.versions[a.id].layouts[0]);
    double step = 0;
    for (int s = 0; s < static_cast<int>(e_.subs.size()); ++s) {
      Choice choice = choice_for(s == form_.body ? t.problem : problems_[s], ends(t, s), planner_);
      step += choice.cost;
      for (std::size_t i = 0; i < e_.subs[s]->inputs.size(); ++i) {
        const LoopForm::Input& in = form_.bodies[s].inputs[i];
        if (in.way == Way::same && !e_.operands[in.operand].is_literal())
          t.shared[in.operand] = choice.versions[e_.subs[s]->inputs[i]];
      }
      t.candidate.bodies.push_back({inputs(t, s), choice.outputs, choice.chosen});
      if (s == form_.body) t.body = std::move(choice);
    }
    t.candidate.work = steps_ * step;
    const std::vector<Layout> taken = inputs(t, form_.body);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const LoopForm::Input& in = form_.bodies[form_.body].inputs[i];
      if (in.way != Way::same) t.candidate.operands[in.operand] = in.way == Way::slice ? stack_of(taken[i]) : taken[i];
    }
    t.candidate.results = t.carries;
    for (std::size_t k = 0; k < body_.outputs.size(); ++k)
      if (const LoopForm::Output& to = form_.bodies[form_.body].outputs[k]; to.stacked)
        t.candidate.results[to.result] = stack_of(t.body.outputs[k]);
    t.cost = t.candidate.work + way_in(t.candidate) + way_out(t.candidate);
  }

  // Per input of a sub-program; of what is the same in all steps an empty one.
  std::vector<Layout> inputs(const Trial& t, int sub) const {
    std::vector<Layout> out;
    const Program& p = *e_.subs[sub];
    for (std::size_t i = 0; i < p.inputs.size(); ++i) {
      const LoopForm::Input& in = form_.bodies[sub].inputs[i];
      out.push_back(in.way == Way::same      ? Layout{}
                    : in.way == Way::carried ? t.carries[in.result]
                                             : problems_[sub].wanted[p.inputs[i]]);
    }
    return out;
  }

  Ends ends(const Trial& t, int sub) const {
    Ends out;
    const std::vector<Layout> taken = inputs(t, sub);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const LoopForm::Input& in = form_.bodies[sub].inputs[i];
      const Atom& a = e_.operands[in.operand];
      Versions& at_hand = out.inputs.emplace_back();
      out.prices.push_back(1);
      if (in.way != Way::same) {
        at_hand.add(taken[i]);
      } else if (a.is_literal()) {
        at_hand.add(Layout::replicated(0));
      } else {
        at_hand = at_hand_.versions[a.id];
        out.prices.back() = at_hand_.prices[a.id] / steps_;
      }
    }
    for (const LoopForm::Output& to : form_.bodies[sub].outputs) {
      if (to.stacked)
        out.outputs.emplace_back();
      else
        out.outputs.emplace_back(to.result < 0 ? Layout::replicated(0) : t.carries[to.result]);
    }
    return out;
  }

  // What it costs to bring operands to where the loop takes them, and results to where they are wanted.
  double way_in(const Candidate& c) {
    double out = 0;
    for (std::size_t o = 0; o < e_.operands.size(); ++o) {
      const Atom& a = e_.operands[o];
      if (a.is_literal()) continue;
      const Path* path = nullptr;
      at_hand_.versions[a.id].best(c.operands[o], sizes_of(around_.program->types[a.id]), planner_, path);
      out += at_hand_.prices[a.id] * path->cost;
    }
    return out;
  }
  double way_out(const Candidate& c) {
    double out = 0;
    for (std::size_t r = 0; r < e_.results.size(); ++r)
      out += planner_.path(c.results[r], around_.wanted[e_.results[r]], sizes_of(around_.program->types[e_.results[r]]))
                 .cost;
    return out;
  }

  const Problem& around_;
  const Eqn& e_;
  const std::vector<Problem>& problems_;
  AtHand at_hand_;
  Planner& planner_;
  const LoopForm form_;
  const Program& body_;
  double steps_ = 1;
};

}  // namespace

Candidate plan_loop(const Problem& around, int eqn, const AtHand& at_hand, Planner& planner) {
  return LoopPlanner(around, eqn, at_hand, planner).plan();
}

Candidate plan_branches(const Problem& around, int eqn, const AtHand& at_hand, Planner& planner) {
  const Eqn& e = around.program->eqns[eqn];
  Candidate out;
  out.params = e.params;
  for (const Atom& a : e.operands)
    out.operands.push_back(a.is_literal() ? Layout::replicated(0) : at_hand.versions[a.id].layouts[0]);
  out.operands[0] = Layout::replicated(0);
  for (ValueId r : e.results) out.results.push_back(around.wanted[r]);
  for (std::size_t s = 0; s < e.subs.size(); ++s) {
    Ends ends;
    for (std::size_t o = 1; o < e.operands.size(); ++o) {
      const Atom& a = e.operands[o];
      ends.inputs.push_back(a.is_literal() ? Versions{{Layout::replicated(0)}} : at_hand.versions[a.id]);
      ends.prices.push_back(a.is_literal() ? 1 : at_hand.prices[a.id]);
    }
    for (const Layout& l : out.results) ends.outputs.emplace_back(l);
    Choice choice = choice_for(around.bodies[eqn][s], ends, planner);
    out.work = std::max(out.work, choice.cost);
    // What is the same in all steps of a loop around is moved before that loop, once for all branches.
    for (std::size_t o = 1; o < e.operands.size(); ++o)
      if (const Atom& a = e.operands[o]; !a.is_literal() && at_hand.prices[a.id] < 1)
        at_hand.versions[a.id] = choice.versions[e.subs[s]->inputs[o - 1]];
    out.bodies.push_back({{}, choice.outputs, choice.chosen});
  }
  return out;
}

}  // namespace tutti
