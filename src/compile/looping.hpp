// A loop as its Eqn says it, brought to what the engine runs: without what nobody needs, and with results that are all
// written by some Eqn.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/op.hpp"

namespace tutti::compile {

/// Operands and results are those of the Eqn, by number. Inputs of the body: consts, carries, xs; its outputs: carries,
/// ys. Inputs of the condition: its consts, carries.
struct Looping {
  Program body;
  std::optional<Program> condition;
  std::int64_t length = 0;
  bool reverse = false;
  std::vector<int> condition_consts, consts, carries, xs;
  std::vector<int> carry_results, ys;
  std::vector<std::pair<int, int>> passed;  // operand, result: carries that no step changes; they are among the consts
};

/// `used`: by result, whether somebody reads it.
Looping looping(const Eqn& eqn, const tutti::Loop& form, const std::vector<char>& used);

/// The same program, every output a value of its own that some Eqn writes: not an input, a literal, a reading of an
/// input or another output.
Program with_own_outputs(Program program);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
