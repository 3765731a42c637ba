// Dead code in a ShardedProgram.
#pragma once

#include "propagate/sharded_program.hpp"

namespace tutti {

/// The program, and its bodies, without what nobody reads any more. Loops, branches, regions and effects stay. The same
/// program where nothing goes.
ShardedProgram with_live_code(const ShardedProgram& sharded);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
