// Several rows, or several vectors of a row, that are computed at the same time.
#pragma once

#include <vector>

#include "backend/cpu/frame.hpp"

namespace tutti::cpu {

class Abreast : protected Frame {
 public:
  using Frame::Frame;

 protected:
  /// As many whole groups of rows as there are, each column after column: what a load found in one row another one
  /// finds in the next (KernelSpec::Access::above). The number of the first row that is left.
  Value map_groups();
  /// LLVM would rather run a long chain of each vector to its end than hold all of them: then they wait for latencies.
  /// An instruction that is nothing, but said to take what is alive of all vectors after instruction r, keeps them
  /// abreast. Whether it is there: that needs no more than `room` registers. `values`: of each vector; `last`: readers.
  bool keep_abreast(std::vector<std::vector<Value>>& values, std::size_t r, const std::vector<std::size_t>& last,
                    std::size_t room);

 private:
  // One row at a column, below one whose loads, by access, found `before` (of the first row: nothing); what its own do.
  std::vector<Value> map_below(const std::vector<Value>& before, Value column, Value mask);
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
