// Integers that a Program computes from nothing but literals, such as the places where a sliding window begins.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/index.hpp"
#include "ir/program.hpp"

namespace tutti {

class KnownValues {
 public:
  /// Of at most `most` elements each.
  KnownValues(const Program& program, std::int64_t most)
      : p_(program), index_(program), most_(most), known_(program.types.size(), -1) {}

  /// Whether a value depends on no input, and takes few steps for each of `most` elements.
  bool knows(ValueId v);
  /// The elements of an integer value that is known, in row-major order.
  std::vector<std::int64_t> integers(ValueId v) const;

 private:
  const Program& p_;
  const ProgramIndex index_;
  const std::int64_t most_;
  std::vector<int> known_;  // by value; -1: not asked yet
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
