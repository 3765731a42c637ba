// A loop of a Program taken apart, so that what stands in it can move out of it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ir/op.hpp"

namespace tutti::compile {

/// `inside` are values of the body (or of the condition), the others those of the program around.
struct OpenLoop {
  struct Input {
    Atom operand;
    ValueId inside;
  };
  struct Carry {
    Atom start;
    ValueId inside;
    Atom next;             // inside
    ValueId last;          // the result
    ValueId in_condition;  // -1: there is none
  };
  struct Stack {
    Atom inside;
    ValueId result;
  };

  OpenLoop(Program& around, Eqn loop);

  Program& around;  // its types grow; what is to stand in it waits in `before` and `after`
  Eqn eqn;
  tutti::Loop form;  // as it was
  Program body;
  std::optional<Program> condition;
  std::vector<Input> condition_consts, consts, slices;
  std::vector<Carry> carries;
  std::vector<Stack> stacks;
  std::vector<Eqn> before, after;

  /// The body, replaced by what `change` makes of it: the same inputs, and as many outputs.
  void change_body(const std::function<Program(Program)>& change);
  ValueId fresh(Type type);         // around
  ValueId fresh_inside(Type type);  // of the body
  /// The first result of an Eqn that joins `list`, over values of `program` (which is `around`, or the body).
  ValueId add(Program& program, std::vector<Eqn>& list, const Op& op, Params params, std::vector<Atom> operands);
  /// The loop that this is now.
  Eqn close();

 private:
  void take_outputs();
  void gather();
};

/// Values that no step changes: the consts, and what is made of them and of literals alone.
class Unchanging {
 public:
  Unchanging(const Program& program, const std::vector<OpenLoop::Input>& consts);
  bool operator()(const Atom& a) const { return a.is_literal() || is_[a.id]; }
  /// Whether all that an Eqn makes is.
  bool eqn(const Eqn& e) const { return !e.results.empty() && is_[e.results[0]]; }

 private:
  std::vector<char> is_;  // by value
};

/// The program with each of its loops changed, at any depth, inner ones first.
Program with_loops(const Program& program, const std::function<void(OpenLoop&)>& change);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
