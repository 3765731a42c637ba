// What has to hold between the passes.
#include <algorithm>
#include <map>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

void check(bool holds, const char* what, const auto& value) {
  if (!holds) throw InternalError("verify: " + std::string(what) + " in\n" + str(value));
}

// Temporaries of the slab by offset while they live. One may begin in the stage in which another ends: a step writes
// over what it reads.
void check_places(const Plan& p) {
  const int n = static_cast<int>(p.stages.size());
  std::vector<std::vector<int>> begins(n), ends(n);
  for (int s = 0; s < static_cast<int>(p.storages.size()); ++s) {
    const Storage& x = p.storages[s];
    if (x.kind != Storage::Kind::temporary || x.takes >= 0 || x.bytes == 0 || x.last <= x.first) continue;
    check(x.offset >= 0 && x.offset + x.bytes <= p.slab_bytes, "a temporary lies outside of the slab", p);
    begins[x.first].push_back(s);
    ends[x.last].push_back(s);
  }
  std::map<std::int64_t, int> alive;
  for (int k = 0; k < n; ++k) {
    for (int s : ends[k]) alive.erase(p.storages[s].offset);
    for (int s : begins[k]) {
      const Storage& x = p.storages[s];
      auto [at, fresh] = alive.emplace(x.offset, s);
      check(fresh, "two living temporaries lie at one place", p);
      if (auto next = std::next(at); next != alive.end())
        check(x.offset + x.bytes <= next->first, "living temporaries overlap", p);
      if (at == alive.begin()) continue;
      const Storage& before = p.storages[std::prev(at)->second];
      check(before.offset + before.bytes <= x.offset, "living temporaries overlap", p);
    }
  }
}

}  // namespace

void verify(const Fusion& f) {
  std::vector<int> units(f.real.size(), 0);
  for (const Unit& u : f.units) {
    check(std::is_sorted(u.eqns.begin(), u.eqns.end()), "the Eqns of a unit are out of order", f);
    for (int e : u.eqns) ++units.at(e);
  }
  for (std::size_t e = 0; e < units.size(); ++e)
    check(units[e] == (f.real[e] ? 1 : 0), "an Eqn that runs is not in one unit, or one that does not is in some", f);
}

namespace {

// A Plan that a step holds gives and takes what the step does.
void check_within(const Plan& p, const Plan& within, std::size_t inputs, std::size_t outputs) {
  check(within.inputs.size() == inputs && within.outputs.size() == outputs, "a step and its Plan differ", p);
  for (std::size_t k = 0; k < outputs; ++k) {
    const Storage& x = within.storages[within.outputs[k]];
    check(x.kind == Storage::Kind::output && x.index == static_cast<int>(k), "an output is not written by a step", p);
  }
  verify(within);
}

void check_step(const Plan& p, const Step& step) {
  if (const auto* r = std::get_if<Repeat>(&step.what)) {
    check_within(p, *r->body, r->operands.size() - static_cast<std::size_t>(r->condition_consts), r->results.size());
    if (r->condition)
      check_within(p, *r->condition, static_cast<std::size_t>(r->condition_consts) + r->carries.size(), 1);
    for (std::size_t c = 0; c < r->carries.size(); ++c)
      check(r->carries[c].in_place || r->carries[c].slot >= 0, "a carry has one place only", p);
  } else if (const auto* b = std::get_if<Branch>(&step.what)) {
    for (const PlanPtr& taken : b->branches) check_within(p, *taken, b->operands.size(), b->results.size());
  }
}

}  // namespace

void verify(const Plan& p) {
  const int storages = static_cast<int>(p.storages.size());
  for (const Step& step : p.steps) {
    check_step(p, step);
    std::vector<int> reads, writes;
    uses_of(step, reads, writes);
    reads.insert(reads.end(), writes.begin(), writes.end());
    for (int s : reads) check(s >= 0 && s < storages, "a step uses a storage that is not there", p);
  }
  if (p.stages.empty()) return;
  std::vector<int> stages(p.steps.size(), 0);
  for (const Stage& stage : p.stages)
    for (int i : stage.steps) ++stages.at(i);
  for (int count : stages) check(count == 1, "a step is not in one stage", p);
  if (p.slab_bytes > 0) check_places(p);
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
