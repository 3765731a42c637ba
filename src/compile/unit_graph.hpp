// The units of fusion as a graph that stays without circles while units become one.
#pragma once

#include <vector>

#include "compile/uses.hpp"

namespace tutti::compile {

/// Eqns are added from the last to the first, each as a unit of its own. A unit has a level: what a unit reads from has
/// a higher one. So a search for a way between two units looks only at levels between theirs.
class UnitGraph {
 public:
  explicit UnitGraph(const Uses& uses);

  /// The new unit.
  int add(int eqn);
  /// -1: not added yet.
  int unit_of(int eqn) const { return unit_of_[eqn]; }
  /// Ascending; empty: now part of another unit.
  const std::vector<int>& eqns(int unit) const { return eqns_[unit]; }
  int size() const { return static_cast<int>(eqns_.size()); }

  /// Makes b part of a, the unit added last, unless one of them needs something of the other otherwise than element by
  /// element: through a third unit, a reduction, or a reading in another order. What would take too long to find out
  /// counts as needed.
  bool join(int a, int b);
  /// Once all Eqns are there: the next join may look as far as one of the units of a new Eqn.
  void look_again();

 private:
  bool needs(int b, int a);
  bool look_ahead(int unit, int a, int b, std::vector<int>& ahead);
  bool look_behind(int unit, int a, int b, std::vector<int>& behind);
  int level_above(int a, int b) const;
  bool raise(int a, int b, int level);

  const Uses& uses_;
  Ways ways_;
  std::vector<int> unit_of_;                   // by Eqn
  std::vector<std::vector<int>> eqns_;         // by unit
  std::vector<std::vector<int>> numbers_;      // by unit: of its Eqns in ways_, ascending
  std::vector<int> level_, next_level_;        // by unit
  std::vector<int> seen_ahead_, seen_behind_;  // by unit: number of the last search that came by
  int search_ = 0, left_ = 0;
};

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
