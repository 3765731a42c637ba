// Eqns that say something about placement: constraints and manual regions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/program.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// The sharding of a constraint, else nothing.
std::optional<Sharding> constraint_of(const Eqn& eqn);
/// The program without constraints, also in sub-programs: for where they say nothing any more. Itself when it has none.
ProgramPtr without_constraints(const ProgramPtr& program);
/// Whether it, or an Eqn of its bodies, is a constraint or a region.
bool names_devices(const Eqn& eqn);
/// What inspections look at, in program order, also in bodies of loops and branches; UnsupportedError where one stands
/// in the body of a region.
struct Inspected {
  const Op* op;
  Params params;
  Atom value;
  std::vector<std::pair<int, int>> path;  // of the body that it stands in: Eqn and sub-program, from the outside in
};
std::vector<Inspected> inspected_values(const Program& program);
/// The program without its inspections, also in sub-programs: itself when there are none. Values keep their numbers,
/// Eqns theirs among those left.
ProgramPtr without_inspections(const ProgramPtr& program);
/// Of a region: shardings of its operands, then of its results; else nothing.
std::vector<Sharding> region_shardings(const Eqn& eqn);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
