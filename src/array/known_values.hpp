// Integers that a Program computes from nothing but literals, such as the places where a sliding window begins.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "device/buffer.hpp"
#include "ir/index.hpp"
#include "ir/program.hpp"

namespace tutti {

class KnownValues {
 public:
  using Given = std::map<ValueId, HostPtr>;

  /// Of at most `most` elements each. Inputs that are `given` are known.
  KnownValues(const Program& program, std::int64_t most, Given given = {})
      : p_(program), index_(program), most_(most), given_(std::move(given)), known_(program.types.size(), -1) {}

  /// Whether a value depends on no input, and takes few steps for each of `most` elements.
  bool knows(ValueId v);
  /// The elements of an integer value that is known, in row-major order.
  std::vector<std::int64_t> integers(ValueId v) const;
  /// The elements of a value that is known.
  HostPtr values(ValueId v) const;

 private:
  const Program& p_;
  const ProgramIndex index_;
  const std::int64_t most_;
  const Given given_;
  std::vector<int> known_;  // by value; -1: not asked yet
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
