// A recorded program from outside: printed, or walked Eqn by Eqn.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tutti/base/call_scope.hpp"
#include "tutti/base/dtype.hpp"
#include "tutti/base/shape.hpp"

namespace tutti {

/// The result of jit_program: tutti's jaxpr.
///
///     ProgramView p = jit_program(f)(x);
///     std::cout << p;
///     for (const ProgramView::Equation& e : p.equations) std::cout << e.op << " at " << e.loc.str() << "\n";
struct ProgramView {
  struct Value {
    std::string name;  // as it is printed; a literal's number
    Shape shape;
    DType dtype;
    bool is_literal = false;
  };
  struct Equation {
    std::string op, parameters;
    std::vector<Value> operands, results;
    std::vector<ProgramView> bodies;  // of loops, branches, regions and calls
    Loc loc;                          // the user's line
  };
  std::vector<Value> inputs, outputs;
  std::vector<Equation> equations;
  std::string text;

  operator const std::string&() const { return text; }
};
std::ostream& operator<<(std::ostream& out, const ProgramView& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
