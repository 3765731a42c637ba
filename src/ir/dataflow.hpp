// What the values of a program are made of, also through the bodies of its loops, branches and calls.
#pragma once

#include <utility>
#include <vector>

#include "ir/program.hpp"

namespace tutti {

/// Marks spread along the operands of a program's Eqns, each once, so a walk is linear in the size of the program with
/// its sub-programs. A result of a loop, a branch or a call is made of what its body makes it of, a result of any other
/// Eqn of all operands.
class Dataflow {
 public:
  /// By value of the program, then by values of sub-programs.
  using Marks = std::vector<char>;

  /// Through which sub-programs values are followed; the results of other Eqns are made of all operands.
  enum class Through { loops, calls };  // loops and branches; calls and manual regions as well
  explicit Dataflow(const Program& program, Through through = Through::calls);
  /// `input` is in every step but the first what `output` was in the step before: a carry of the loop of which the
  /// program is the body.
  void feed_back(ValueId input, const Atom& output) { join(input, 0, output); }

  /// These, and what is made of them.
  Marks made_of(const std::vector<ValueId>& values) const;
  /// These, and what they are made of, as far as it is `within`.
  Marks needed_for(const std::vector<Atom>& values, const Marks& within) const;
  /// These and the operands of all effects, and what they are made of.
  Marks needed_for(const std::vector<Atom>& values) const;

 private:
  struct Joint {
    int result, operand;  // values: the one is made of the other
  };
  // Values are numbered through all programs; those of a sub-program start at `first`.
  int enter(const Program& p);
  void inside(const Eqn& e, int first);
  void join(int result, int first, const Atom& operand) {
    if (!operand.is_literal()) joints_.push_back({result, first + operand.id});
  }
  Marks spread(std::vector<int> from, bool forwards, const Marks* within) const;

  Through through_;
  int size_ = 0;
  std::vector<Joint> joints_;
  std::vector<int> effects_;  // what they take, and what they depend on
};

/// Without Eqns whose results nobody needs, but with all for which `is_kept`, whole.
Program without_dead_code(Program program, bool (*is_kept)(const Eqn&));

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
