// What stands in a step of a loop that is taken apart: who makes a value, who reads it, where all steps' values of it
// are.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compile/open_loop.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::compile {

class StepValues {
 public:
  /// Products of so many rows, or sums of so many products, are large enough to be made in every step.
  static constexpr std::int64_t kFewRows = 256;
  /// Steps from which on stacks are worth it.
  static constexpr std::int64_t kFewestSteps = 4;

  explicit StepValues(OpenLoop& loop);
  /// Looks again, when the loop has changed.
  void look();

  OpenLoop& loop;
  Type type(const Atom& a) const { return loop.body.type(a); }
  bool unchanging(const Atom& a) const { return (*unchanging_)(a); }
  /// nullptr: it is an input or a literal.
  const Eqn* maker(const Atom& a) const;
  int uses(ValueId v) const { return uses_[v]; }
  bool used_once(const Atom& a) const { return !a.is_literal() && uses_[a.id] == 1; }
  static bool is_product(const Eqn* e);

  /// Operand k of a product and its dims there, as it lies in memory: a transpose is left out where that keeps the
  /// order of the free dims.
  std::pair<Atom, lax::Dims> factor(const Eqn& product, int k) const;

  /// A value that no step changes, around the loop.
  Atom outside(const Atom& a);
  /// A value of the step, as the loop has it of all steps: a slice's stack, or one that is made.
  Atom stack_of(const Atom& a);
  /// Of a step, if it takes a new stack.
  std::int64_t bytes_to_stack(const Atom& a) const;
  /// Whether there is room for stacks of so many bytes a step; takes it.
  bool fits(std::int64_t bytes);

 private:
  std::optional<Unchanging> unchanging_;
  std::vector<int> uses_, producer_;  // by value of the body
  std::map<ValueId, Atom> outside_;   // by value of the body
  std::int64_t room_;                 // bytes of stacks that may be added
};

/// Sums that carries only add up, out of the loop where that is worth it.
void take_sums_out(StepValues& step);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
