// From one global program to one local program for every device. In: a ShardedProgram and the axes that separate
// address spaces. Out: a LocalProgram. Start reading at partition.cpp; rows.cpp says how an Eqn may be computed on
// blocks, planner.cpp how a value gets from one layout to another, choose.cpp which rows are taken, moves.cpp what they
// look like as operations.
#pragma once

#include <string>
#include <vector>

#include "partition/choose.hpp"
#include "partition/local_program.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

/// The mesh axes along which devices have memories of their own.
struct BoundaryAxes {
  bool all = true;
  std::vector<std::string> names;  // where not all
  static BoundaryAxes every() { return {}; }
  bool any() const { return all || !names.empty(); }
  static BoundaryAxes none() { return {false, {}}; }
};

/// Pure: equal programs give equal texts. Without boundary axes (or without a mesh) the program comes back with its
/// manual regions opened and its constraints gone. With a `chooser`, rows of this very program are chosen by it.
LocalProgram partition(const ShardedProgram& sharded, const BoundaryAxes& boundary = {}, const Chooser& chooser = {});

/// How good the plan for all axes is; see `prove` in choose.hpp.
Proof prove(const ShardedProgram& sharded, std::int64_t limit = 1'000'000);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
