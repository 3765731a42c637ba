#include "run/stage_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/environment.hpp"
#include "base/say.hpp"

namespace tutti::run {
namespace {

constexpr std::size_t kLines = 20;   // of each plan
constexpr std::size_t kWidth = 100;  // of what a stage does

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<StageTimes>> all;
};
Registry& registry() {
  static auto* r = new Registry;  // the table is written when other objects of static storage have ended
  return *r;
}

bool is_on() {
  static const bool on = environment::has_word(environment::log, "stages");
  return on;
}

std::string shortened(std::string text) {
  if (text.size() > kWidth) text.replace(kWidth - 3, text.npos, "...");
  return text;
}

}  // namespace

std::string step_text(const compile::Plan& plan, const compile::Step& step) {
  if (const auto* d = std::get_if<compile::Dot>(&step.what)) {
    const std::int64_t batch = compile::product(d->batch);
    return fmt::format("dot {} {}m {} n {} k {}", d->dtype.name(), batch > 1 ? fmt::format("{} times ", batch) : "",
                       d->m, d->n, d->k);
  }
  if (const auto* c = std::get_if<compile::CallEqn>(&step.what))
    return "call " + c->eqn.op->name + (c->gather ? " of a " + c->gather->eqn.op->name : "");
  std::string out = step.str();  // up to its first storage
  out.resize(std::min(out.size(), out.find_first_of("\nm")));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  std::set<std::string> names;
  for (int e : step.eqns) names.insert(plan.program.eqns[static_cast<std::size_t>(e)].op->name);
  if (std::holds_alternative<compile::Loop>(step.what))
    for (const std::string& name : names) out += " " + name;
  return out;
}

StageTimes::StageTimes(const compile::Plan& plan, const std::vector<std::vector<int>>& steps, std::string name)
    : name_(std::move(name)), stages_(steps.size()) {
  for (std::size_t k = 0; k < steps.size(); ++k)
    for (int i : steps[k]) {
      const compile::Step& step = plan.steps[static_cast<std::size_t>(i)];
      Stage& s = stages_[k];
      s.what += (s.what.empty() ? "" : "; ") + step_text(plan, step);
      if (!step.eqns.empty()) s.where = plan.program.eqns[static_cast<std::size_t>(step.eqns.back())].loc.str();
    }
}

StageTimes* StageTimes::registered(const compile::Plan& plan, const std::vector<std::vector<int>>& steps,
                                   std::string name) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  if (r.all.empty()) std::atexit(print_all);
  r.all.push_back(std::unique_ptr<StageTimes>(new StageTimes(plan, steps, std::move(name))));
  return r.all.back().get();
}

StageTimes* StageTimes::of(const compile::Plan& plan) {
  if (!is_on()) return nullptr;
  std::vector<std::vector<int>> steps;
  for (const compile::Stage& stage : plan.stages) steps.push_back(stage.steps);
  return registered(plan, steps, "a plan with " + compile::size_text(plan));
}

StageTimes* StageTimes::of(const compile::Plan& plan, const compile::Stage& stage) {
  if (!is_on()) return nullptr;
  std::vector<std::vector<int>> steps;
  for (int i : stage.steps) steps.push_back({i});
  return registered(plan, steps, fmt::format("a stage by {} of {} rows", stage.chunk, stage.rows));
}

void StageTimes::add(std::size_t stage, std::int64_t ns, int runs) {
  stages_[stage].ns.fetch_add(ns, std::memory_order_relaxed);
  stages_[stage].runs.fetch_add(runs, std::memory_order_relaxed);
}

void StageTimes::print() const {
  struct Line {
    const Stage* stage;
    std::int64_t ns = 0, stages = 0;
  };
  std::int64_t total = 0, runs = 0;
  std::map<std::pair<std::string, std::string>, Line> lines;  // of stages that do the same for the same source line
  for (const Stage& s : stages_) {
    total += s.ns;
    runs = std::max<std::int64_t>(runs, s.runs);
    Line& line = lines[{s.what, s.where}];
    line.stage = &s;
    line.ns += s.ns;
    ++line.stages;
  }
  if (runs == 0) return;
  std::vector<Line> longest;
  for (const auto& [what, line] : lines) longest.push_back(line);
  std::stable_sort(longest.begin(), longest.end(), [](const Line& a, const Line& b) { return a.ns > b.ns; });
  const auto each = [&](std::int64_t ns) { return static_cast<double>(ns) / static_cast<double>(runs) / 1e6; };
  std::string out = fmt::format("stages of {}: {} runs, {:.4g} ms each\n", name_, runs, each(total));
  for (std::size_t k = 0; k < std::min(longest.size(), kLines); ++k) {
    const auto& [stage, ns, stages] = longest[k];
    const double share = static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(total, 1));
    out += fmt::format("{:5.1f} % {:10.4g} ms {:4} x  {}  # {}\n", 100 * share, each(ns), stages,
                       shortened(stage->what), stage->where);
  }
  say(Message::Kind::log, out);
}

void StageTimes::print_all() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (const auto& t : r.all) t->print();
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
