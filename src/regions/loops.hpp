// Loops and branches: Eqns whose sub-programs run many times, or one of which runs. What each holds is said to the
// stages by Op::loop and Role::branch; the rules are in loops_*.cpp, scan_*.cpp, while_*.cpp and cond_*.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

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

/// The scan of these operands, of which reverse mode keeps the carries of every so many steps only; -1: about the
/// square root of their number.
std::vector<Array> checkpointed_scan(const Scan& p, const std::vector<Array>& operands, const ProgramPtr& body,
                                     std::int64_t every);

// Their rules.
WithTangents scan_jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>& tangents);
Split scan_split(const Call& c, const std::vector<bool>& unknown);
std::vector<Array> scan_transpose(const Call& c, const std::vector<Array>& cotangents,
                                  const std::vector<Array>& operands, const std::vector<bool>& undefined);
Batched scan_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                   const BatchAxis& axis);
ProgramPtr scan_simpler(const Call& c, const std::vector<Atom>& operands);

WithTangents while_jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>& tangents);
Split while_split(const Call& c, const std::vector<bool>& unknown);
/// Where somebody promised how many steps there are at most. `late`: the operands that are unknown, or carries that
/// become so; `body`: its split.
Split checkpointed_split(const Call& c, const std::vector<bool>& unknown, const std::vector<bool>& late,
                         const Split& body);
std::vector<Array> while_transpose(const Call& c, const std::vector<Array>& cotangents,
                                   const std::vector<Array>& operands, const std::vector<bool>& undefined);
Batched while_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                    const BatchAxis& axis);
ProgramPtr while_simpler(const Call& c, const std::vector<Atom>& operands);

WithTangents cond_jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>& tangents);
Split cond_split(const Call& c, const std::vector<bool>& unknown);
std::vector<Array> cond_transpose(const Call& c, const std::vector<Array>& cotangents,
                                  const std::vector<Array>& operands, const std::vector<bool>& undefined);
Batched cond_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                   const BatchAxis& axis);
ProgramPtr cond_simpler(const Call& c, const std::vector<Atom>& operands);

/// A list of what a loop has for each operand, or its body for each input, by what they are.
template <class T> struct LoopParts {
  std::vector<T> before, consts, carries, slices;  // before: consts of the condition

  LoopParts() = default;
  LoopParts(std::vector<T> of_condition, std::vector<T> same, std::vector<T> carried, std::vector<T> stacked)
      : before(std::move(of_condition)),
        consts(std::move(same)),
        carries(std::move(carried)),
        slices(std::move(stacked)) {}
  LoopParts(const std::vector<T>& all, const Loop& loop) {
    auto at = all.begin();
    auto take = [&](std::vector<T>& to, int n) {
      to.assign(at, at + n);
      at += n;
    };
    take(before, loop.condition_consts);
    take(consts, loop.consts);
    take(carries, loop.carries);
    slices.assign(at, all.end());
  }
  std::vector<T> of_condition() const { return joined({&before, &carries}); }
  std::vector<T> of_body() const { return joined({&consts, &carries, &slices}); }
  std::vector<T> all() const { return joined({&before, &consts, &carries, &slices}); }
  /// Of a loop that has so many of each.
  Loop loop() const {
    Loop out;
    out.condition_consts = static_cast<int>(before.size());
    out.consts = static_cast<int>(consts.size());
    out.carries = static_cast<int>(carries.size());
    out.slices = static_cast<int>(slices.size());
    return out;
  }

 private:
  static std::vector<T> joined(std::initializer_list<const std::vector<T>*> parts) {
    std::vector<T> out;
    for (const std::vector<T>* part : parts) out.insert(out.end(), part->begin(), part->end());
    return out;
  }
};
inline Loop loop_of(const Call& c) { return c.op.loop(c.params, c.operands.size()); }

/// The scan of these operands that is otherwise as `like`.
std::vector<Array> bind_scan(Scan like, const LoopParts<Array>& x, const ProgramPtr& body);

/// A program that is recorded: from inputs of these types to what `body` makes of them.
ProgramPtr recorded(const std::string& what, const std::vector<Type>& inputs,
                    const std::function<std::vector<Array>(const std::vector<Array>&)>& body);
/// Per input, whether an Eqn or an output reads it.
std::vector<bool> inputs_read(const Program& p);
/// How many are set, and the others.
std::size_t count(const std::vector<bool>& flags);
std::vector<bool> flipped(std::vector<bool> flags);
bool all_set(const std::vector<bool>& flags);
/// Marks carries in `flags`, which has one flag per input of the body, until `outputs(flags)`, a flag per output of the
/// body, marks no carry that is not: what is true of a carry once is true of it from the first step on.
std::vector<bool> fixpoint(const Loop& loop, std::vector<bool> flags,
                           const std::function<std::vector<bool>(const std::vector<bool>&)>& outputs);
/// The split in which nothing is computed ahead: known operands are residuals.
Split nothing_known(const Call& c, const std::vector<bool>& unknown);
/// Cotangents of what is undefined among the operands, by way of a split that leaves a linear half.
std::vector<Array> transpose_by_split(const Split& s, const std::vector<Array>& cotangents,
                                      const std::vector<Array>& operands, const std::vector<bool>& undefined);
/// The axes along which devices wait for each other in a program, its sub-programs included.
std::vector<std::string> collective_axes(const Program& p);
/// ValueError where devices that may decide differently would have to take part in one collective.
void check_one_decision(const Call& c, const std::vector<std::string>& varying, const char* decision);

/// InternalError unless a sub-program takes what the Eqn has for it, and makes so much.
void check_sub(const Call& c, std::size_t sub, const std::vector<Type>& inputs, std::size_t outputs);
/// Axes along which an operand varies, and the input that it becomes does not say so: results then may vary, too.
std::vector<std::string> unsaid_varying(const std::vector<Type>& operands, const std::vector<Type>& inputs);
/// The type of one element along dim 0, and the type of so many.
Type element_of(Type stacked);
Type stack_of(Type element, std::int64_t length);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
