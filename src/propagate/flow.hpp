// How axes flow through Eqns, and in and out of bodies: by factors, in rounds of growing courage, until nothing
// changes.
#pragma once

#include "propagate/scopes.hpp"

namespace tutti {

/// Grows the axes of all values to a fixpoint, and notes where each axis came from.
void flow(const Scope& scope, Placements& placements);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
