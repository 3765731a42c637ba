// Over which manual axes the values of a region's body may differ. Always inferred; with check_vma it is in the types
// as well.
#pragma once

#include <string>
#include <vector>

#include "ir/program.hpp"

namespace tutti {

using AxisNames = std::vector<std::string>;  // sorted

/// Per output of `body`, given the same per input. Loops, branches and calls are looked into; of other Eqns with
/// sub-programs every axis that is named in these counts.
std::vector<AxisNames> output_variance(const Program& body, const std::vector<AxisNames>& inputs);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
