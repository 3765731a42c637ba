// The order of a LocalProgram of several processes: messages travel while something else is computed.
#pragma once

#include "partition/local_program.hpp"

namespace tutti {

/// The same program, in bodies as well, in another order. Collectives stand where their operands are there; those that
/// make more than they take (all_gather) only while fewer than two of them wait for a reader. What would have to wait
/// for one stands behind what is near and does not, by the times of config::machine. Effects, and loops and branches
/// that send, keep their order. All processes find the same.
LocalProgram send_early(const LocalProgram& local);
/// The passes send_early, combine and send_early_again.
LocalProgram scheduled(LocalProgram local);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
