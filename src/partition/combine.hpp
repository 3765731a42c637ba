// Fewer messages: collectives of a LocalProgram that may be one.
#pragma once

#include "partition/local_program.hpp"

namespace tutti {

/// The same program, in bodies as well, in which equal collectives are one, and so are small sums (maxima, minima) of
/// one dtype over one group where none needs another: one message of up to 4 MiB for many. Values keep their bits. A
/// combined collective has the Cause of its first, with the bytes of all.
LocalProgram combine_collectives(const LocalProgram& local);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
