// The table of programs of many trades: planned, run, compared with what was recorded.
#pragma once

#include <string>

namespace bench {

struct RealOptions {
  std::string filter, json, check, record;
  bool run = false, by_hand = false, uneven = false, free = false, verbose = false;
};
/// 1 when a row could not be planned, ran otherwise than it should, or is worse than the file `check` says.
int print_real_table(const RealOptions& options);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
