// Parameters of sharding_constraint, for the stages that read them.
#pragma once

#include "ops/op_def.hpp"
#include "tutti/sharding.hpp"

namespace tutti::ops {

struct Constrain {
  Sharding sharding;   // its spec may hold P::unconstrained
  bool operator==(const Constrain&) const = default;
};

extern const Op sharding_constraint;

}  // namespace tutti::ops
