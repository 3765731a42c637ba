// Loops and branches: Eqns whose sub-programs run many times, or one of which runs. What each holds is said to the
// stages by Op::loop and Role::branch; the rules are in loops_*.cpp, scan_*.cpp, while_*.cpp and cond_*.cpp.
#pragma once

#include <cstdint>

#include "ir/home.hpp"

namespace tutti::ops {

/// operands: consts, carries, xs (stacked along dim 0); subs[0]: (consts, carries, slices of xs) -> (carries', ys);
/// results: the last carries, then the ys stacked along dim 0.
struct Scan {
  std::int64_t length = 0;
  int consts = 0, carries = 0;
  bool reverse = false;
  int unroll = 1;
  friend bool operator==(const Scan&, const Scan&) = default;
};

/// operands: consts of the condition, consts of the body, carries; subs[0]: (consts of the condition, carries) -> bool
/// scalar; subs[1]: (consts of the body, carries) -> carries'; results: the last carries. `max_steps` is what somebody
/// promised: the condition fails after so many steps, and so reverse mode is possible. -1: nobody did.
struct While {
  int cond_consts = 0, body_consts = 0;
  std::int64_t max_steps = -1;
  friend bool operator==(const While&, const While&) = default;
};

/// operands: index (int32 scalar, clamped), then what the branches take; subs: one per branch, all of the same result
/// types; results: those of the branch taken. No parameters.
extern const Home scan, while_loop, cond;

/// The parameters of a loop with other numbers of consts.
Params with_consts(const Eqn& loop, int condition_consts, int consts);

/// InternalError unless a sub-program takes what the Eqn has for it, and makes so much.
void check_sub(const Call& c, std::size_t sub, const std::vector<Type>& inputs, std::size_t outputs);
/// Axes along which an operand varies, and the input that it becomes does not say so: results then may vary, too.
std::vector<std::string> unsaid_varying(const std::vector<Type>& operands, const std::vector<Type>& inputs);
/// The type of one element along dim 0, and the type of so many.
Type element_of(Type stacked);
Type stack_of(Type element, std::int64_t length);

}  // namespace tutti::ops
