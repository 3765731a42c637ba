// Whether the results of cases depend on the number of threads.
#pragma once

#include "case.hpp"

namespace bench {

/// Runs each case twice with each number of threads, compiled anew, and compares the bytes of its results. 1 where some
/// differ or a case fails, else 0.
int compare_bits(const std::vector<Case>& cases, const std::vector<int>& threads, int devices);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
