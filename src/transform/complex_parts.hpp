// Elementwise operations on complex numbers become operations on their parts, of which loops are made.
#pragma once

#include "ir/program.hpp"

namespace tutti {

/// Of the program and its sub-programs, but for those that bind axes; itself where nothing changes. Asked once nothing
/// is transformed any more, and again when the partitioner has opened the regions that bind axes.
ProgramPtr complex_parts(const ProgramPtr& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
