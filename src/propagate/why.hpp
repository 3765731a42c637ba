// Where a sharding came from, in words.
#pragma once

#include <string>
#include <string_view>

#include "propagate/sharded_program.hpp"

namespace tutti {

/// Of an argument (its name, or `input 0`), a result (`output 0`) or all values that a line made (`train.cpp:12`): for
/// each cut dim the annotation behind it, and the operations along which the axis came. ValueError for another text.
std::string why(const ShardedProgram& sharded, std::string_view value);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
