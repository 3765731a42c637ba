// What the interpreters of this folder share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/trace.hpp"
#include "transform/transform.hpp"

namespace tutti {

/// A staged trace for the Program that an interpreter makes, innermost while it lives.
class Recording {
 public:
  Recording(std::string what, const NamedAxes& axes)
      : trace_(std::make_shared<Trace>(Trace::Mode::staged, std::move(what), current_loc())), scope_(trace_) {
    trace_->axes = axes;
  }
  Array input(const Type& type, std::string name = "") { return trace_->input(type, std::move(name)); }
  /// The Program. Rules must not bring arrays of their own: a Program holds scalars only.
  ProgramPtr close(const std::vector<Array>& outputs);

 private:
  std::shared_ptr<Trace> trace_;
  TraceScope scope_;
};

std::string input_name(const Program& program, std::size_t i);
std::vector<Type> operand_types(const Program& program, const Eqn& eqn);
/// What its rules get.
inline Call call_of(const Program& program, const Eqn& eqn) {
  return {*eqn.op, eqn.params, operand_types(program, eqn), eqn.subs};
}
/// `mul: <why> (train.cpp:41)`.
[[noreturn]] void throw_unsupported(const Eqn& eqn, const std::string& why, const std::string& advice);
/// A rule gave something of another type than its contract says.
void check_like(const Eqn& eqn, const char* rule, const Array& x, const Type& like);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
