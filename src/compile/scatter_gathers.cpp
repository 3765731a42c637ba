// Scatters whose updates a gather reads, as the messages along the edges of a graph and the frames of a signal that is
// put together again: the rows go from one array to the other, and all of them together never lie in memory.
#include <algorithm>
#include <memory>

#include "compile/passes.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/scatter.hpp"

namespace tutti::compile {
namespace {

// Elements of a row: shorter ones are read by blocks of places together with their places. Bytes of all rows: fewer lie
// in the nearest caches anyway, and loops have small gathers and scatters in their own code.
constexpr std::int64_t kLongRow = 16, kManyBytes = std::int64_t{64} << 10;

// Whether the last of the dims of windows goes along rows.
bool has_rows(const lax::Dims& window_dims, const Shape& windows) {
  return !window_dims.empty() && window_dims.back() + 1 == windows.ndim() && windows.dims().back() >= kLongRow;
}

class ScatterGathers {
 public:
  explicit ScatterGathers(Plan& plan) : p_(plan), readers_(plan.storages.size(), 0), maker_(plan.storages.size(), -1) {
    std::vector<int> reads, writes;
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) {
      uses_of(p_.steps[i], reads, writes);
      for (int s : reads) ++readers_[s];
      if (const auto* c = std::get_if<CallEqn>(&p_.steps[i].what); c && c->eqn.op->window == Op::Window::read)
        maker_[c->results[0]] = i;
    }
  }

  void run() {
    std::vector<char> gone(p_.steps.size(), 0);
    for (Step& step : p_.steps) {
      auto* c = std::get_if<CallEqn>(&step.what);
      const int i = c ? gather_of(*c) : -1;
      if (i < 0) continue;
      const auto& g = std::get<CallEqn>(p_.steps[i].what);
      c->gather = std::make_shared<const CallEqn>(g);
      c->operands = {c->operands[0], c->operands[1], g.operands[0], g.operands[1]};
      c->operand_types.push_back(g.operand_types[1]);
      gone[i] = 1;
    }
    drop_steps(p_, gone);
  }

 private:
  // The step that gathers the updates for this one alone; -1: none.
  int gather_of(const CallEqn& c) const {
    const Op::Window w = c.eqn.op->window;
    if (w != Op::Window::write && w != Op::Window::add && w != Op::Window::other) return -1;
    const int updates = c.operands[2], i = maker_[updates];
    if (i < 0 || readers_[updates] != 1 || p_.storages[updates].kind != Storage::Kind::temporary) return -1;
    const auto& g = std::get<CallEqn>(p_.steps[i].what);
    const Type &from = g.result_types[0], &to = c.operand_types[2];
    if (from.nbytes() < kManyBytes || from.dtype != to.dtype || from.num_elements() != to.num_elements() ||
        c.result_types[0].num_elements() == 0)
      return -1;
    const bool rows = has_rows(g.eqn.params.get<ops::Gather>().dims.offset_dims, from.shape) &&
                      has_rows(c.eqn.params.get<ops::Scatter>().dims.update_window_dims, to.shape);
    return rows ? i : -1;
  }

  Plan& p_;
  std::vector<int> readers_, maker_;  // by storage; the steps that gather
};

}  // namespace

Plan scatter_gathers(Plan plan) {
  const bool any = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& s) {
    const auto* c = std::get_if<CallEqn>(&s.what);
    return c && c->eqn.op->window == Op::Window::read;
  });
  if (any) ScatterGathers(plan).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
