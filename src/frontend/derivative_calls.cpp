// grad, value_and_grad and jvp of calls: trace, transform, apply in the present context.
#include <algorithm>

#include "frontend/derivative_calls.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {

// A tangent or cotangent as the value's type has it: a weak number takes the dtype, anything else must fit.
Array fit(const Array& given, const Type& like, const char* what, const std::string& of, Loc made) {
  bool weak_number = given.weak_type() && given.ndim() == 0 && !given.dtype().is_complex();
  if (given.shape() != like.shape)
    raise<ShapeError>(what, given.type().str() + " came for " + of + " of type " + like.str(),
                      "The shapes must be equal: reshape or broadcast it first.", made);
  if (given.dtype() == like.dtype) return with_weak(given, like.weak);
  if (weak_number) return lax::convert_element_type(given, like.dtype, like.weak);
  raise<TypeError>(what, given.type().str() + " came for " + of + " of type " + like.str(),
                   "The dtypes must be equal: convert it with astype(" + std::string(like.dtype.name()) + ").", made);
}

std::string types_text(const CallArrays& args, std::size_t first, std::size_t last) {
  std::string out;
  for (std::size_t i = first; i < last; ++i) out += (out.empty() ? "" : ", ") + args.leaves[i].type().str();
  return out.empty() ? "no array at all" : out;
}

const char* tangents_advice(const std::string& what) {
  return what == "vjp" ? "Give a cotangent of the result's structure, such as ones_like of it."
                       : "Give one tangent for each argument, of its structure.";
}

std::vector<bool> everything(const CallArrays& args) { return std::vector<bool>(args.leaves.size(), true); }

Gradient gradient(const CallArrays& args, const std::vector<int>& argnums, const Body& body, const char* what,
                  bool holomorphic, Loc made) {
  std::vector<bool> wanted(args.leaves.size(), false);
  std::vector<std::size_t> first(args.counts.size() + 1, 0);
  for (std::size_t a = 0; a < args.counts.size(); ++a)
    first[a + 1] = first[a] + static_cast<std::size_t>(args.counts[a]);
  for (int a : argnums)
    std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(first[a]),
              wanted.begin() + static_cast<std::ptrdiff_t>(first[a + 1]), true);
  auto leaves = differentiable(args, wanted);
  for (int a : argnums) {
    if (std::any_of(leaves.begin() + static_cast<std::ptrdiff_t>(first[a]),
                    leaves.begin() + static_cast<std::ptrdiff_t>(first[a + 1]),
                    [](const auto& l) { return l.has_value(); }))
      continue;
    raise<TypeError>(what,
                     "argument " + std::to_string(a) + " has no floating array to differentiate by, only: " +
                         types_text(args, first[a], first[a + 1]),
                     "Convert it with astype(float32), or differentiate by another argument.", made);
  }
  Recorded call = record_call(args, leaves, body, {what, made});
  std::vector<Type> outputs = call.program->output_types();
  if (outputs.empty())
    raise<TypeError>(what, "the function returned an empty array", "Return the loss as an Array of shape ().", made);
  if (!outputs[0].shape.empty())
    raise<TypeError>(what, "only functions with a scalar result have a gradient; the result is " + outputs[0].str(),
                     (outputs[0].num_elements() == 1 ? "Return x.reshape(Shape{}) instead."
                                                     : "Reduce it with sum or mean, or use vjp or jacrev."),
                     made);
  if (holomorphic) {
    for (std::size_t i = 0; i < leaves.size(); ++i)
      if (leaves[i] && !leaves[i]->type.dtype.is_complex())
        raise<TypeError>(what, "a holomorphic function takes complex arrays; one is " + leaves[i]->type.str(),
                         "Convert it with astype(complex64), or leave .holomorphic out.", made);
    if (!outputs[0].dtype.is_complex())
      raise<TypeError>(what, "the result of a holomorphic function is complex; it is " + outputs[0].str(),
                       "Leave .holomorphic out.", made);
  } else if (!outputs[0].dtype.is_floating()) {
    raise<TypeError>(what, "the result must be real and floating; it is " + outputs[0].str(),
                     outputs[0].dtype.is_complex()
                         ? "Return its real part or abs, give .holomorphic = true, or use vjp."
                         : "Convert it with astype(float32).",
                     made);
  }
  std::vector<bool> seed(outputs.size(), false);
  seed[0] = true;
  VjpProgram program = vjp(*call.program, call.explicit_only(), seed);
  std::vector<Array> inputs = call.inputs;
  if (program.given[0]) inputs.push_back(array_from_scalar(Scalar(1.0).to(outputs[0].dtype), outputs[0].weak));
  Gradient out;
  out.results = tutti::apply(*program.program, inputs);
  std::size_t next = outputs.size();
  std::vector<Array> by_leaf(args.leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i]) by_leaf[i] = out.results[next++];
  for (int a : argnums)
    out.gradients.insert(out.gradients.end(), by_leaf.begin() + static_cast<std::ptrdiff_t>(first[a]),
                         by_leaf.begin() + static_cast<std::ptrdiff_t>(first[a + 1]));
  out.results.resize(outputs.size());
  return out;
}

std::vector<Array> matching(const std::vector<bool>& present, const std::vector<Array>& places, const char* what,
                            Loc made) {
  if (present.size() != places.size())
    raise<ValueError>(what,
                      "trees of different structure: " + std::to_string(places.size()) +
                          " places for arrays came instead of " + std::to_string(present.size()),
                      tangents_advice(what), made);
  std::vector<Array> out;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (present[i]) out.push_back(places[i]);
  return out;
}

Pushed push_forward(const CallArrays& args, const std::vector<Array>& tangents, const Body& body, Loc made) {
  std::vector<std::optional<TracedLeaf>> leaves = differentiable(args, everything(args));
  std::vector<Array> given;
  const auto paths = args.paths();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!tangents[i].has_value()) leaves[i].reset();  // zero: constant
    if (!leaves[i]) continue;
    given.push_back(fit(tangents[i], leaves[i]->type, "jvp", leaf_name(paths[i]), made));
  }
  Recorded call = record_call(args, leaves, body, {"jvp", made});
  JvpProgram program = jvp(*call.program, call.explicit_only());
  std::vector<Array> inputs = call.inputs;
  inputs.insert(inputs.end(), given.begin(), given.end());
  Pushed out;
  out.results = tutti::apply(*program.program, inputs);
  std::size_t n = program.tangent.size(), next = n;
  for (std::size_t i = 0; i < n; ++i) {
    Type t = call.program->type(call.program->outputs[i]);
    out.tangents.push_back(program.tangent[i] ? out.results[next++] : has_tangent(t) ? zeros_of(t) : Array());
  }
  out.results.resize(n);
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
