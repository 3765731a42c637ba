// Reading rows whose numbers are known before anything runs.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program with windows of whole rows, at numbers that depend on no input (`x[(arange(n) - 3) % n]`), as slices put
/// together, where these are few. Windows of a cut dim that overlap, one every `hop` elements, and sums of such windows
/// (frames, overlap-add), are turned rows of hops. The same program where there is none.
ShardedProgram with_known_rows(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
