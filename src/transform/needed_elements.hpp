// Eqns of whose results only a part is read give that part: the first elements of something sorted.
#pragma once

#include "ir/program.hpp"

namespace tutti {

/// Of the program and its sub-programs; itself where nothing changes. Asked once nothing is transformed any more.
ProgramPtr needed_elements(const ProgramPtr& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
