// Where the values of a Program come from and where they go.
#pragma once

#include <span>
#include <vector>

#include "ir/program.hpp"

namespace tutti {

/// Producers, uses and last uses of all values of one Program. Built once in O(n); never changes, and does not follow
/// the Program when that does. Eqns are named by their place in Program::eqns, inputs by theirs in Program::inputs.
class ProgramIndex {
 public:
  /// One operand of one Eqn.
  struct Use {
    int eqn;
    int operand;
    friend bool operator==(const Use&, const Use&) = default;
  };

  explicit ProgramIndex(const Program& program);

  /// The Eqn that makes the value; -1 for an input.
  int producer(ValueId v) const { return producer_[v]; }
  /// The value's place among the inputs; -1 for what an Eqn makes.
  int input(ValueId v) const { return input_[v]; }
  /// The operands that read the value, in program order; an Eqn that reads it twice is there twice.
  std::span<const Use> uses(ValueId v) const {
    return std::span(uses_).subspan(first_use_[v], first_use_[v + 1] - first_use_[v]);
  }
  /// How many outputs of the Program are the value.
  int output_count(ValueId v) const { return output_count_[v]; }
  bool is_output(ValueId v) const { return output_count_[v] > 0; }
  /// How often the value is read, by operands and by outputs.
  int use_count(ValueId v) const { return static_cast<int>(uses(v).size()) + output_count_[v]; }
  bool is_read(ValueId v) const { return use_count(v) > 0; }
  /// The last Eqn that reads the value: the number of Eqns when it is an output, -1 when nothing reads it.
  int last_use(ValueId v) const {
    if (is_output(v)) return num_eqns_;
    return uses(v).empty() ? -1 : uses(v).back().eqn;
  }

 private:
  int num_eqns_;
  std::vector<int> producer_, input_, output_count_;  // by ValueId
  std::vector<std::size_t> first_use_;                // by ValueId, and the end: places in uses_
  std::vector<Use> uses_;                             // of all values, one value after the other
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
