// Eqns that say something about placement: constraints and manual regions.
#pragma once

#include <optional>
#include <vector>

#include "ir/program.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// The sharding of a constraint, else nothing.
std::optional<Sharding> constraint_of(const Eqn& eqn);
/// The program without constraints, also in sub-programs: for where they say nothing any more. Itself when it has none.
ProgramPtr without_constraints(const ProgramPtr& program);
/// What inspections look at, in program order; UnsupportedError where one stands in the body of a region or a
/// loop.
struct Inspected {
  const Op* op;
  Params params;
  Atom value;
};
std::vector<Inspected> inspected_values(const Program& program);
/// The program without its inspections: itself when there are none.
ProgramPtr without_inspections(const ProgramPtr& program);
/// Of a region: shardings of its operands, then of its results; else nothing.
std::vector<Sharding> region_shardings(const Eqn& eqn);

}  // namespace tutti
