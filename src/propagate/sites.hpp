// Eqns that say something about placement: constraints and manual regions.
#pragma once

#include <vector>

#include "ir/program.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// The sharding of a sharding_constraint Eqn, else nullptr.
const Sharding* constraint_of(const Eqn& eqn);
/// The program without constraints, also in sub-programs: for where they say nothing any more. Itself when it has none.
ProgramPtr without_constraints(const ProgramPtr& program);
/// A sharding_constraint Eqn.
Eqn constraint_eqn(const Sharding& sharding, Atom operand, ValueId result, Loc loc);
/// What inspect_sharding Eqns look at, in program order; UnsupportedError where one stands in the body of a region or a
/// loop.
struct Inspected {
  Params params;
  Atom value;
};
std::vector<Inspected> inspected_values(const Program& program);
/// The program without its inspect_sharding Eqns: itself when there are none.
ProgramPtr without_inspections(const ProgramPtr& program);
/// Of a shard_map Eqn: shardings of its operands, then of its results; else nothing.
std::vector<Sharding> region_shardings(const Eqn& eqn);

}  // namespace tutti
