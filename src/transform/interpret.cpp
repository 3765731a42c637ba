#include "transform/interpret.hpp"

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {

ProgramPtr Recording::close(const std::vector<Array>& outputs) {
  Traced traced = trace_->close(outputs);
  if (!traced.captured.empty()) {
    throw InternalError(trace_->what() + ": a rule used an array from outside, of type " +
                        traced.captured[0].type().str() + "; rules may make scalars, iota and broadcasts only");
  }
  return traced.program;
}

std::string input_name(const Program& program, std::size_t i) {
  return i < program.input_names.size() ? program.input_names[i] : "";
}

std::vector<Type> operand_types(const Program& program, const Eqn& eqn) {
  std::vector<Type> out;
  for (const Atom& a : eqn.operands) out.push_back(program.type(a));
  return out;
}

void throw_unsupported(const Eqn& eqn, const std::string& why, const std::string& advice) {
  raise<UnsupportedError>(eqn.op->name, why, advice, eqn.loc);
}

void check_like(const Eqn& eqn, const char* rule, const Array& x, const Type& like) {
  if (x.shape() == like.shape && x.dtype() == like.dtype) return;
  throw InternalError("the " + std::string(rule) + " rule of " + eqn.op->name + " gave " + x.type().str() +
                      " for a value of type " + like.str() + (eqn.loc ? " (" + eqn.loc.str() + ")" : ""));
}

Array with_weak(const Array& x, bool weak) {
  return x.weak_type() == weak ? x : lax::convert_element_type(x, x.dtype(), weak);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
