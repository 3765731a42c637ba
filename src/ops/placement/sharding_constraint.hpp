// Parameters of sharding_constraint, for the stages that read them.
#pragma once

#include "ir/home.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti::ops {

struct Constrain {
  Sharding sharding;  // its spec may hold P::unconstrained
  bool operator==(const Constrain&) const = default;
};

extern const Home sharding_constraint;

Eqn constraint_eqn(const Sharding& sharding, Atom operand, ValueId result, Loc loc);

/// The same for arrays with one more leading dim, about which it says nothing.
Sharding with_leading_dim(const Sharding& sharding);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
