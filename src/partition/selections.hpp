// Selections by where an element lies: at the borders of the whole, and nowhere else.
#pragma once

#include "partition/local_program.hpp"

namespace tutti {

/// A selection of which all devices take the same operand for all but a few rows of their blocks is that operand with
/// these rows selected, where it is put together of pieces anyway, as what halos bring is. The same program where
/// nothing is gained.
LocalProgram with_selections_at_borders(LocalProgram local);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
