// Manual regions (shard_map, pmap) inside one address space: what all devices compute, as ordinary Eqns on whole
// arrays.
#pragma once

#include "ir/program.hpp"

namespace tutti {

/// The program with every shard_map Eqn replaced: operands get leading dims for the axes that cut them, the body is
/// batched over each manual axis (a psum is then a sum), results are put together. The program itself when it has none.
ProgramPtr open_manual_regions(const ProgramPtr& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
