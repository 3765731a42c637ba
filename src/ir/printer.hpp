// How values of a Program are called where it is printed.
#pragma once

#include <string>

#include "ir/program.hpp"

namespace tutti {

/// a, b, ..., z, ba, bb, ...: short names that stay the same when Eqns are added behind.
std::string name_of(ValueId v);
/// The name, or the number of a literal.
std::string text_of(const Atom& a);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
