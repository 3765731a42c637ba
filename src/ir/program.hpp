// The intermediate representation: a straight list of typed Eqns in SSA form.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "ir/params.hpp"
#include "ir/type.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

struct Op;
struct Program;
using ProgramPtr = std::shared_ptr<const Program>;
using ValueId = int;

/// An operand of an Eqn or an output of a Program: a value, or a scalar literal of shape ().
struct Atom {
  ValueId id = -1;
  Scalar literal;     // when id < 0
  bool weak = false;  // of the literal

  Atom() = default;
  Atom(ValueId value) : id(value) {}
  Atom(Scalar s, bool w) : literal(s), weak(w) {}
  bool is_literal() const { return id < 0; }
  friend bool operator==(const Atom&, const Atom&) = default;
};

/// One operation: op, parameters, operands, results, sub-programs, and the user's line.
struct Eqn {
  const Op* op = nullptr;
  Params params;
  std::vector<Atom> operands;
  std::vector<ValueId> results;
  std::vector<ProgramPtr> subs;
  Loc loc;
};

/// Answers about a sub-program, kept so that walks which ask about each level of a nest do not go through all levels
/// below each time. A copy, which may be changed, begins without.
struct ProgramFacts {
  std::atomic<signed char> effect{-1};  // whether it has one; -1: nobody asked
  std::atomic<bool> tidy{false};        // it and its sub-programs are without dead code where all outputs are needed
  std::atomic<bool> verified{false};    // verify has found nothing wrong
  ProgramFacts() = default;
  ProgramFacts(const ProgramFacts&) {}
  ProgramFacts& operator=(const ProgramFacts&) {
    effect = -1;
    tidy = verified = false;
    return *this;
  }
};

/// Inputs, Eqns, outputs. Values are numbered 0..types.size()-1; each is an input or the result of one Eqn. Immutable
/// once built.
struct Program {
  std::vector<Type> types;  // by ValueId
  std::vector<ValueId> inputs;
  std::vector<Eqn> eqns;
  std::vector<Atom> outputs;
  std::vector<std::string> input_names;  // "" or the user's path (`params.layers[0].weight`); may be empty altogether
  mutable ProgramFacts facts;            // of what nobody changes any more

  const Type& type(ValueId v) const { return types[v]; }
  Type type(const Atom& a) const;
  std::vector<Type> input_types() const;
  std::vector<Type> output_types() const;
};

/// The text of a Program, one Eqn a line: `c:float32[4,8] = add a b    # train.cpp:41`.
struct PrintOptions {
  bool locations = true;
};
std::string str(const Program& program, PrintOptions options = {});
/// Checks SSA form and re-infers every type; InternalError names the Eqn that is wrong.
void verify(const Program& program);
/// Content without source lines and names: what plans are cached by.
std::size_t content_hash(const Program& program);
bool content_equal(const Program& a, const Program& b);
/// Whether it, or a sub-program, tells somebody outside (Op::effect).
bool has_effect(const Eqn& eqn);
bool has_effect(const Program& program);
/// Without Eqns whose results nobody needs, also in loops and branches.
Program without_dead_code(Program program);
/// The same, as what nobody changes any more.
ProgramPtr tidied(Program program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
