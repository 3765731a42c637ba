// Who reads whose results, of the Eqns that run; an effect counts as a reader of the one before it.
#pragma once

#include <vector>

#include "compile/fuse.hpp"
#include "ir/index.hpp"

namespace tutti::compile {

struct Use {
  int eqn;
  bool soft;  // read element by element in the reader's own order, so that both can share a loop
};

struct Uses {
  std::vector<std::vector<Use>> readers;  // by Eqn, ascending
  std::vector<std::vector<int>> sources;  // by Eqn, ascending: the Eqns that it reads from
};

Uses find_uses(const Program& program, const ProgramIndex& index, const Fusion& fusion);

/// Some of the ways from Eqns to those that need them: one way to each, over as many uses that are not soft as any.
/// Answers at once; where it says no there may still be a way.
class Ways {
 public:
  explicit Ways(const Uses& uses);
  /// Numbers of Eqns: those that the ways from one Eqn lead to have consecutive ones.
  int number(int eqn) const { return number_[eqn]; }
  /// Whether one of these Eqns, by their numbers in ascending order, is `from` or is shown to need it.
  bool show(int from, const std::vector<int>& numbers) const;

 private:
  std::vector<int> number_, past_;  // by Eqn: its number, and one past those that its ways lead to
};

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
