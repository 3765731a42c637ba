#include "compile/unit_graph.hpp"

#include <algorithm>
#include <iterator>

#include "base/effort.hpp"

namespace tutti::compile {
namespace {

constexpr int kLooks = 4096;  // uses looked at for one Eqn, at most: so the work grows with the number of Eqns

void move_into(std::vector<int>& to, std::vector<int>& from) {
  std::vector<int> both;
  both.reserve(to.size() + from.size());
  std::merge(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(both));
  to = std::move(both);
  from.clear();
}

}  // namespace

UnitGraph::UnitGraph(const Uses& uses) : uses_(uses), ways_(uses), unit_of_(uses.readers.size(), -1) {}

int UnitGraph::add(int eqn) {
  const int unit = size();
  int level = 0;
  for (const Use& use : uses_.readers[eqn]) level = std::max(level, level_[unit_of_[use.eqn]] + 1);
  eqns_.push_back({eqn});
  numbers_.push_back({ways_.number(eqn)});
  level_.push_back(level);
  next_level_.push_back(level);
  seen_ahead_.push_back(0);
  seen_behind_.push_back(0);
  unit_of_[eqn] = unit;
  left_ = kLooks;
  return unit;
}

void UnitGraph::look_again() { left_ = kLooks; }

bool UnitGraph::join(int a, int b) {
  if (needs(b, a) || needs(a, b)) return false;
  if (!raise(a, b, std::max(level_[b], level_above(a, b)))) return false;
  for (int e : eqns_[b]) unit_of_[e] = a;
  move_into(eqns_[a], eqns_[b]);
  move_into(numbers_[a], numbers_[b]);
  return true;
}

// Whether b needs something of a otherwise than element by element. Looks for third units on the way from both ends: as
// soon as one end has no more of them there is no way.
bool UnitGraph::needs(int b, int a) {
  if (level_[a] <= level_[b]) return false;
  ++search_;
  std::vector<int> ahead, behind;  // third units that a is needed by, and that b needs
  bool found = look_ahead(a, a, b, ahead);
  if (!found && !ahead.empty()) found = look_behind(b, a, b, behind);
  while (!found && !ahead.empty() && !behind.empty()) {
    const int from = ahead.back(), to = behind.back();
    ahead.pop_back();
    behind.pop_back();
    found = look_ahead(from, a, b, ahead) || look_behind(to, a, b, behind);
  }
  return found;
}

// Adds to `ahead` the units between a and b that need `unit`. True when a way to b is found.
bool UnitGraph::look_ahead(int unit, int a, int b, std::vector<int>& ahead) {
  for (int e : eqns_[unit])
    for (const Use& use : uses_.readers[e]) {
      ++effort;
      if (--left_ < 0) return true;
      const int to = unit_of_[use.eqn];
      if (to == b && (unit != a || !use.soft)) return true;
      if (to == b || level_[to] <= level_[b] || seen_ahead_[to] == search_ || to == unit) continue;
      if (seen_behind_[to] == search_ || ways_.show(use.eqn, numbers_[b])) return true;
      seen_ahead_[to] = search_;
      ahead.push_back(to);
    }
  return false;
}

// Adds to `behind` the units between a and b that `unit` needs. True when a way from a is found.
bool UnitGraph::look_behind(int unit, int a, int b, std::vector<int>& behind) {
  for (int e : eqns_[unit])
    for (int source : uses_.sources[e]) {
      ++effort;
      if (--left_ < 0) return true;
      const int from = unit_of_[source];
      if (from == a && unit != b) return true;
      if (from < 0 || from == a || from == unit || level_[from] >= level_[a] || seen_behind_[from] == search_) continue;
      if (seen_ahead_[from] == search_) return true;
      seen_behind_[from] = search_;
      behind.push_back(from);
    }
  return false;
}

// The least level that a may have when b, which reads from it, is no longer below it.
int UnitGraph::level_above(int a, int b) const {
  int level = 0;
  for (int e : eqns_[a])
    for (const Use& use : uses_.readers[e])
      if (const int to = unit_of_[use.eqn]; to != a && to != b) level = std::max(level, level_[to] + 1);
  return level;
}

// Gives a and b that level, and what they read from higher ones. False, and nothing changed, when that is too much.
bool UnitGraph::raise(int a, int b, int level) {
  std::vector<int> open{a, b}, changed = open;
  next_level_[a] = next_level_[b] = level;
  bool done = true;
  while (!open.empty() && done) {
    const int unit = open.back();
    open.pop_back();
    for (int e : eqns_[unit])
      for (int source : uses_.sources[e]) {
        const int above = unit_of_[source];
        if (above < 0 || above == a || above == b || above == unit) continue;
        ++effort;
        if (--left_ < 0) done = false;
        if (!done || next_level_[above] > next_level_[unit]) continue;
        next_level_[above] = next_level_[unit] + 1;
        open.push_back(above);
        changed.push_back(above);
      }
  }
  for (int u : changed) {
    if (done)
      level_[u] = next_level_[u];
    else
      next_level_[u] = level_[u];
  }
  return done;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
