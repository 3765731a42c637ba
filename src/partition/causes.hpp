// Why each collective stands where it stands, in words.
#pragma once

#include "ir/index.hpp"
#include "ir/op.hpp"
#include "partition/local_program.hpp"
#include "partition/planner.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

/// What the inputs and outputs of a body are, in words; of the whole program nothing.
struct BodyWords {
  std::vector<std::string> inputs, outputs;
};
/// `scan (train.cpp:12)`.
std::string words_of(const Eqn& eqn);
/// The loops and branches around a collective.
struct Surroundings {
  std::int64_t times = 1;
  std::string where;
  /// Around them another one, of which it stands in sub-program `sub`.
  void within(const Eqn& eqn, int sub);
};

/// Follows the partition as it goes and words the causes.
class Causes {
 public:
  Causes(const ShardedProgram& sharded, const ProgramIndex& index, BodyWords words = {})
      : sharded_(sharded), index_(index), words_(std::move(words)) {}
  void at_eqn(int index);
  void at_output(int index);
  /// The next moves bring `value` from `from` to `to`.
  void moving(ValueId value, const Layout& from, const Layout& to);
  /// What follows is sent by the present Eqn itself, which takes `value` as it lies.
  void across(ValueId value, const Layout& layout) { moving(value, layout, layout); }
  Cause cause(const Move& move, const Op& op, const Params& params, const Type& operand) const;
  /// Of a collective that the user wrote, in the manual region of the present Eqn.
  Cause by_hand(const Eqn& collective, const Params& params, const Type& operand, const Surroundings& around) const;
  /// The line that made a value.
  Loc loc_of(const Atom& value) const;

 private:
  std::string value_text(ValueId v) const;
  std::string consumer_text() const;
  std::string cut_text(const Layout& layout) const;
  std::vector<int> inputs_behind(const Cause& cause) const;

  const ShardedProgram& sharded_;
  const ProgramIndex& index_;
  BodyWords words_;
  int eqn_ = -1, output_ = -1;
  ValueId value_ = -1;
  Layout from_, to_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
