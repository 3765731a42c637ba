// The table: every row planned, scored and printed.
#pragma once

#include <string>

namespace bench {

struct TableOptions {
  std::string filter;
  bool run = false, prove = false, verbose = false, sub_axes = false;
};
/// 1 when a row could not be planned, or ran otherwise than it should.
int print_table(const TableOptions& options);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
