// The intermediate representation: a straight list of typed Eqns in SSA form.
#pragma once

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

/// Inputs, Eqns, outputs. Values are numbered 0..types.size()-1; each is an input or the result of one Eqn. Immutable
/// once built.
struct Program {
  std::vector<Type> types;  // by ValueId
  std::vector<ValueId> inputs;
  std::vector<Eqn> eqns;
  std::vector<Atom> outputs;
  std::vector<std::string> input_names;  // "" or the user's path (`params.layers[0].weight`); may be empty altogether

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
/// Without Eqns whose results nobody needs.
Program without_dead_code(const Program& program);

}  // namespace tutti
