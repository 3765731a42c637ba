#include "frontend/carries.hpp"

#include <algorithm>

#include "frontend/bodies.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {
namespace {

std::string name_of(const FirstCarry& carry, std::size_t i) {
  const std::string path = carry.paths()[i].str();
  if (path.empty()) return "the carry";
  return "carry" + (path[0] == '[' ? path : "." + path);
}

[[noreturn]] void refuse_count(const char* what, std::size_t before, const StepResult& made, Loc loc) {
  raise<TypeError>(what,
                   "the carry has " + std::to_string(before) + " arrays, and the body returns " +
                       std::to_string(made.carry.size()) + " for it" +
                       (made.difference.empty() ? "" : ": " + made.difference),
                   "Return a carry of the same structure.", loc);
}

// The type that the carry needs so that a step gives it back: the same when it has it.
Type settled(const char* what, const FirstCarry& carry, std::size_t i, const Type& before, const Array& after,
             Loc loc) {
  Type out = before;
  const Type made = after.type();
  out.varying = merge_names(before.varying, made.varying);
  if (before.dtype == made.dtype && before.shape == made.shape) return out;  // weak or not: as in JAX
  auto scalar = [](const Type& t) { return array_from_scalar(Scalar(0.0).to(t.dtype), t.weak); };
  if (before.shape != made.shape || !before.weak || result_type({scalar(before), scalar(made)}) != made.dtype)
    raise<TypeError>(what,
                     name_of(carry, i) + " is " + before.str() + ", and the body returns " + made.str() + " for it",
                     before.shape == made.shape ? "Convert one of them with astype: the carry keeps its type."
                                                : "Return an array of the same shape: the carry keeps its type.",
                     loc);
  out.dtype = made.dtype;
  out.weak = false;
  return out;
}

}  // namespace

RecordedStep record_step(const char* what, Loc loc, const FirstCarry& carry, const std::vector<Type>& further,
                         const std::function<StepResult(const Arrays&, const Arrays&)>& step) {
  RecordedStep out;
  for (const Array& x : carry.leaves) out.types.push_back(x.type());
  const std::size_t n = out.types.size();
  for (bool again = true; again;) {
    std::vector<Type> inputs = out.types, next;
    inputs.insert(inputs.end(), further.begin(), further.end());
    out.step = record(what, loc, inputs, [&](const Arrays& in) {
      const auto end = in.begin() + static_cast<std::ptrdiff_t>(n);
      StepResult made = step(Arrays(in.begin(), end), Arrays(end, in.end()));
      if (made.carry.size() != n || !made.difference.empty()) refuse_count(what, n, made, loc);
      for (std::size_t i = 0; i < n; ++i) next.push_back(settled(what, carry, i, out.types[i], made.carry[i], loc));
      made.carry.insert(made.carry.end(), made.rest.begin(), made.rest.end());
      return made.carry;
    });
    again = next != out.types;
    out.types = std::move(next);
  }
  CallScope scope(loc);
  for (std::size_t i = 0; i < n; ++i) {
    const Array& x = carry.leaves[i];
    const bool same = x.dtype() == out.types[i].dtype && x.weak_type() == out.types[i].weak;
    out.init.push_back(same ? x : lax::convert_element_type(x, out.types[i].dtype, out.types[i].weak));
  }
  return out;
}

ProgramPtr captured_first(const Traced& traced) {
  Program p = *traced.program;
  const auto own = static_cast<std::ptrdiff_t>(p.inputs.size() - traced.captured.size());
  std::rotate(p.inputs.begin(), p.inputs.begin() + own, p.inputs.end());
  p.input_names.clear();
  return std::make_shared<Program>(std::move(p));
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
