// Loops and branches as parts of the program around them: which value of a sub-program stands for which operand or
// result of the Eqn, said alike for both (Role::loop, Role::branch).
#pragma once

#include <optional>
#include <vector>

#include "ir/op.hpp"

namespace tutti {

struct LoopForm {
  enum class Kind { scan, until, branch };  // a known number of turns; while a condition holds; one of several bodies
  /// How an input of a body stands for an operand.
  enum class Way {
    same,
    carried,
    slice
  };  // the same in every turn; the carry of this turn; this turn's slice of dim 0
  struct Input {
    int operand;
    Way way = Way::same;
    int result = -1;  // of a carry: the result that it ends as
  };
  struct Output {
    int result = -1;  // of the Eqn; -1: the condition
    bool stacked = false;
  };
  struct Body {
    std::vector<Input> inputs;
    std::vector<Output> outputs;
  };

  Kind kind = Kind::scan;
  std::int64_t length = 1;  // turns; of `until` and `branch` 1
  bool reverse = false;
  int body = 0, condition = -1;  // places in `bodies`; of branches each is a body
  std::vector<Body> bodies;      // one per sub-program
};

/// Nothing for an Eqn that is no loop or branch.
std::optional<LoopForm> loop_form(const Eqn& eqn);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
