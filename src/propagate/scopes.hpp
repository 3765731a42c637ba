// The values of a program and of the bodies in it, numbered through: what flows between a loop and its body is then a
// rule among others.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "propagate/sharded_program.hpp"

namespace tutti {

/// One program among those that are numbered: its value v has the number first + v.
struct Scope {
  ShardedProgram* sharded = nullptr;
  int first = 0;
  std::vector<std::vector<Scope>> bodies;  // by Eqn and sub-program; nothing for an Eqn that is no loop or branch

  const Program& program() const { return *sharded->program; }
};

/// The axes of a value's dims during propagation; whole mesh axes by number, major first.
struct ValueAxes {
  std::vector<std::vector<int>> dims;
  std::vector<char> closed;  // dims that somebody wrote down: they never change
};

/// What is known of the values of a scope and the bodies in it, by number.
struct Placements {
  std::vector<Type> types;
  std::vector<ValueAxes> axes;
  std::map<std::tuple<int, int, int>, Origin> origins;  // (value, dim, mesh axis)
};

/// Makes the bodies of `sharded`, which has its program and mesh, and numbers all values.
Scope numbered(ShardedProgram& sharded, Placements& placements);
/// Writes layouts, outputs and origins into the scope's program and its bodies.
void hand_out(const Scope& scope, const Placements& placements);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
