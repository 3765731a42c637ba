// One program, the whole one or the body of a loop or branch, being recorded as what a device runs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/loop_form.hpp"
#include "partition/causes.hpp"
#include "partition/choose.hpp"
#include "partition/moves.hpp"
#include "trace/trace.hpp"

namespace tutti {

class Part;

/// A value, or a literal, as one device's block: in every layout in which it is at hand so far.
struct Value {
  Atom atom;
  Part* home = nullptr;  // whose value it is: moves of it are recorded there. Literals have none
  Versions versions = {};
  std::vector<Array> blocks = {};  // one per version

  void add(const Layout& layout, const Array& block) {
    versions.add(layout);
    blocks.push_back(block);
  }
};
using ValuePtr = std::shared_ptr<Value>;

struct Recorded {
  Traced traced;
  std::vector<Cause> causes;
};

class Part {
 public:
  /// `homes`: of the plan. `around`: the part in which the loop stands whose body this is.
  Part(const ShardedProgram& sharded, Planner& planner, std::vector<Homes> homes, Part* around = nullptr,
       BodyWords words = {});

  /// A new input that has this layout.
  ValuePtr input(ValueId v, const Layout& layout, std::string name = "");
  /// The Eqns as chosen. Inputs may be values of parts around: what is taken of them is captured.
  Recorded record(const BodyPlan& plan, const std::vector<ValuePtr>& inputs, const std::vector<Layout>& outputs);

 private:
  ValuePtr value(ValueId v, const Layout& layout, const Array& block);
  Array block(Value& v, const Layout& wanted);
  const Homes& homes(ValueId v) const;
  Sizes sizes(ValueId v) const;
  void bring_to_hub(Value& v, const Layout& to);
  std::vector<Array> equation(const Eqn& e, const Candidate& c, const std::vector<ValuePtr>& operands);
  std::vector<Array> across(const Eqn& e, const Candidate& c, const Call& call, const std::vector<Array>& blocks);
  std::vector<Array> region(const Eqn& e, std::vector<Array> blocks);
  Array generated(const Eqn& e, const Layout& layout);
  // part_loops.cpp
  std::vector<Array> loop(int eqn, const LoopForm& form, const Candidate& c, const std::vector<ValuePtr>& operands);
  Recorded body(int eqn, int sub, const LoopForm& form, const BodyPlan& plan, const std::vector<ValuePtr>& operands);

  const ShardedProgram& sharded_;
  const Program& p_;
  Planner& planner_;
  Part* around_;
  std::shared_ptr<Trace> trace_;
  Emitter emit_;
  ProgramIndex index_{p_};
  Causes why_;
  std::vector<Cause> causes_;
  std::map<ValueId, Layout> hubs_;  // of the plan
  std::vector<Homes> homes_;        // likewise
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
