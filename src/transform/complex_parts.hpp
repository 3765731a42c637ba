// Chains of operations on complex numbers become operations on their parts, of which loops are made.
#pragma once

#include "ir/program.hpp"

namespace tutti {

/// Of the program and its sub-programs; itself where nothing changes. Asked once nothing is transformed any more.
ProgramPtr complex_parts(const ProgramPtr& program);

}  // namespace tutti
