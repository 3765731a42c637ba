// Why each collective stands where it stands, in words.
#pragma once

#include "ir/index.hpp"
#include "ir/op.hpp"
#include "partition/local_program.hpp"
#include "partition/rows.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

/// Follows the partition as it goes and words the causes.
class Causes {
 public:
  Causes(const ShardedProgram& sharded, const ProgramIndex& index) : sharded_(sharded), index_(index) {}
  void at_eqn(int index, const Candidate& candidate);
  void at_output(int index);
  /// The next moves bring `value` from `from` to `to`.
  void moving(ValueId value, int operand, const Layout& from, const Layout& to);
  Cause cause(const Move& move, const Op& op, const Params& params, const Type& operand) const;
  /// Of a collective that the user wrote, in the manual region of the present Eqn.
  Cause by_hand(const Eqn& collective, const Params& params, const Type& operand) const;
  /// The line that made a value.
  Loc loc_of(const Atom& value) const;

 private:
  std::string value_text(ValueId v) const;
  std::string consumer_text() const;
  std::string cut_text(const Layout& layout) const;

  const ShardedProgram& sharded_;
  const ProgramIndex& index_;
  int eqn_ = -1, output_ = -1, operand_ = -1;
  ValueId value_ = -1;
  Layout from_, to_;
};

}  // namespace tutti
