// Static objects of another translation unit than main's.
#include "ends/computing.hpp"

ends::AtEnd of_another_file("another_file", "destructor");
ends::AtEnd computed_first("global_that_computed", "destructor", true);

// SPDX-License-Identifier: Apache-2.0
