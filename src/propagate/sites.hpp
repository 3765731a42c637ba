// Eqns that say something about placement: constraints and manual regions.
#pragma once

#include <vector>

#include "ir/program.hpp"
#include "tutti/sharding.hpp"

namespace tutti {

/// The sharding of a sharding_constraint Eqn, else nullptr.
const Sharding* constraint_of(const Eqn& eqn);
/// A sharding_constraint Eqn.
Eqn constraint_eqn(const Sharding& sharding, Atom operand, ValueId result, Loc loc);
/// Of a shard_map Eqn: shardings of its operands, then of its results; else nothing.
std::vector<Sharding> region_shardings(const Eqn& eqn);

}  // namespace tutti
