// grad, jvp, linearize, vjp and Jacobians of calls: trace, transform, apply in the present context.
#include <algorithm>

#include "frontend/call.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {
namespace {

std::vector<Array> zeros_like_all(const std::vector<Type>& types) {
  std::vector<Array> out;
  for (const Type& t : types) out.push_back(zeros_of(t));
  return out;
}

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

// `n x n` ones on the diagonal as a batch of n basis tangents of the type.
Array basis(const Type& type) {
  std::int64_t n = type.num_elements();
  Array eye = lax::convert_element_type(lax::eq(lax::iota(int32, {n, n}, 0), lax::iota(int32, {n, n}, 1)), type.dtype,
                                        type.weak);
  Shape shape = type.shape;
  shape.insert(0, n);
  return lax::reshape(eye, shape);
}

Shape joined(const Shape& a, const Shape& b) {
  Shape out = a;
  for (std::int64_t d : b) out.push_back(d);
  return out;
}

}  // namespace

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
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!tangents[i].has_value()) leaves[i].reset();  // zero: constant
    if (!leaves[i]) continue;
    given.push_back(fit(tangents[i], leaves[i]->type, "jvp", leaf_name(args.paths()[i]), made));
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

// Inputs: residuals, then those arrays given where `takes`. Outputs go where `gives`; elsewhere zeros of `types`, or
// nothing.
struct LinearFunction::State {
  ProgramPtr program;
  std::vector<Array> residuals;
  std::vector<std::optional<Type>> takes;  // per place given: its type, if it has a tangent
  std::vector<bool> used;                  // per place given: it is an input of the program
  std::vector<std::optional<Type>> types;  // per place returned
  std::vector<bool> gives;
  const char* what = "";
  Loc made;
};

std::vector<Array> LinearFunction::operator()(const std::vector<Array>& arrays, Loc loc) const {
  const State& s = *state_;
  const Loc line = loc ? loc : s.made;
  if (arrays.size() != s.takes.size())
    raise<ValueError>(s.what,
                      std::to_string(arrays.size()) + " arrays came instead of " + std::to_string(s.takes.size()),
                      tangents_advice(s.what), line);
  CallScope scope(line, Loc{"", s.what});
  std::vector<Array> inputs = s.residuals;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!s.takes[i]) continue;
    Array x = arrays[i].has_value()
                  ? fit(arrays[i], *s.takes[i], s.what,
                        (std::string(s.what) == "vjp" ? "result " : "argument ") + std::to_string(i), line)
                  : Array();
    if (s.used[i]) inputs.push_back(x.has_value() ? x : zeros_of(*s.takes[i]));
  }
  std::vector<Array> results = tutti::apply(*s.program, inputs), out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < s.types.size(); ++i)
    out.push_back(s.gives[i] ? results[next++] : s.types[i] ? zeros_of(*s.types[i]) : Array());
  return out;
}

namespace {

struct Halves {
  std::vector<Array> results, residuals;
  Linearized lin;
  std::vector<std::optional<Type>> in, out;  // types of leaves and results that have tangents
  std::string result;                        // the types of all results, as errors say them
};

Halves halves(const CallArrays& args, const std::vector<bool>& wanted, const Body& body, const char* what, Loc made) {
  auto leaves = differentiable(args, wanted);
  Recorded call = record_call(args, leaves, body, {what, made});
  Halves h;
  h.lin = linearize(*call.program, call.explicit_only());
  h.results = tutti::apply(*h.lin.known, call.inputs);
  h.residuals.assign(h.results.end() - h.lin.num_residuals, h.results.end());
  h.results.resize(h.results.size() - static_cast<std::size_t>(h.lin.num_residuals));
  for (const auto& l : leaves) h.in.push_back(l ? std::optional(l->type) : std::nullopt);
  for (const Type& t : call.program->output_types()) {
    h.out.push_back(has_tangent(t) ? std::optional(t) : std::nullopt);
    h.result += (h.result.empty() ? "" : ", ") + t.str();
  }
  if (h.result.empty()) h.result = "empty";
  return h;
}

std::vector<bool> present(const std::vector<std::optional<Type>>& types) {
  std::vector<bool> out;
  for (const auto& t : types) out.push_back(t.has_value());
  return out;
}

Transposed transpose_half(const Linearized& lin) {
  std::vector<bool> linear(lin.linear->inputs.size(), true);
  std::fill(linear.begin(), linear.begin() + lin.num_residuals, false);
  return transpose(*lin.linear, linear, std::vector<bool>(lin.linear->outputs.size(), true));
}

}  // namespace

LinearizedCall linearize_call(const CallArrays& args, const Body& body, Loc made) {
  Halves h = halves(args, everything(args), body, "linearize", made);
  auto state = std::make_shared<LinearFunction::State>();
  *state = {h.lin.linear, h.residuals, h.in, present(h.in), h.out, h.lin.tangent, "linearize", made};
  return {h.results, LinearFunction(state)};
}

LinearizedCall pull_back(const CallArrays& args, const Body& body, Loc made) {
  Halves h = halves(args, everything(args), body, "vjp", made);
  Transposed back = transpose_half(h.lin);
  std::vector<bool> gives;
  std::size_t next = 0;
  for (const auto& t : h.in) gives.push_back(t && back.nonzero[next++]);
  auto state = std::make_shared<LinearFunction::State>();
  *state = {back.program, h.residuals, h.out, h.lin.tangent, h.in, gives, "vjp", made};
  return {h.results, LinearFunction(state)};
}

namespace {

// The linear half on the basis of one input after the other: the jacobian's columns. Empty where the result does not
// depend on the input.
std::vector<Array> by_columns(const Halves& h, const std::vector<Type>& inputs) {
  std::size_t residuals = h.residuals.size();
  std::vector<Array> out(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<bool> mapped(residuals + inputs.size(), false);
    mapped[residuals + i] = true;
    BatchedProgram program = batch(*h.lin.linear, mapped, {inputs[i].num_elements(), ""});
    std::vector<Array> given = h.residuals, zeros = zeros_like_all(inputs);
    given.insert(given.end(), zeros.begin(), zeros.end());
    given[residuals + i] = basis(inputs[i]);
    if (!program.mapped[0]) continue;
    Array columns = tutti::apply(*program.program, given)[0];
    lax::Dims permutation;
    for (int d = 1; d < columns.ndim(); ++d) permutation.push_back(d);
    permutation.push_back(0);
    out[i] = lax::transpose(columns, permutation);
  }
  return out;
}

// Its transpose on the basis of the result: the jacobian's rows, for all inputs at once. Empty as above.
std::vector<Array> by_rows(const Halves& h, const Type& result, std::size_t inputs) {
  Transposed back = transpose_half(h.lin);
  std::vector<bool> mapped(h.residuals.size() + 1, false);
  mapped.back() = true;
  BatchedProgram program = batch(*back.program, mapped, {result.num_elements(), ""});
  std::vector<Array> given = h.residuals;
  given.push_back(basis(result));
  std::vector<Array> rows = tutti::apply(*program.program, given), out(inputs);
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!back.nonzero[i]) continue;
    if (program.mapped[next]) out[i] = rows[next];
    ++next;
  }
  return out;
}

}  // namespace

std::vector<Array> jacobian(const CallArrays& args, const Body& body, bool forward, Loc made) {
  const char* what = forward ? "jacfwd" : "jacrev";
  auto count = static_cast<std::size_t>(args.counts[0]);
  std::vector<bool> wanted(args.leaves.size(), false);
  std::fill(wanted.begin(), wanted.begin() + args.counts[0], true);
  Halves h = halves(args, wanted, body, what, made);
  if (h.out.size() != 1 || !h.out[0])
    raise<TypeError>(what, "the result must be one floating array; it is " + h.result,
                     "Convert it with astype(float32).", made);
  std::vector<Type> inputs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < h.in.size(); ++i) {
    if (!h.in[i]) continue;
    inputs.push_back(*h.in[i]);
    places.push_back(i);
  }
  if (inputs.empty())
    raise<TypeError>(what, "argument 0 has no floating array to differentiate by, only: " + types_text(args, 0, count),
                     "Convert it with astype(float32).", made);
  CallScope scope(made, Loc{"", what});
  const Type& result = *h.out[0];
  std::vector<Array> out(count);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    out[places[i]] = zeros_of({result.dtype, joined(result.shape, inputs[i].shape), result.weak, {}});
  if (!h.lin.tangent[0]) return out;
  std::vector<Array> parts = forward ? by_columns(h, inputs) : by_rows(h, result, inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (parts[i].has_value()) out[places[i]] = lax::reshape(parts[i], joined(result.shape, inputs[i].shape));
  return out;
}

}  // namespace tutti::detail
