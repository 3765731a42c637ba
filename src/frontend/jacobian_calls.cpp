// Jacobians of calls: the linear half of a function on a basis, all of it as one batch.
#include <algorithm>

#include "frontend/derivative_calls.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {
namespace {

std::vector<Array> zeros_like_all(const std::vector<Type>& types) {
  std::vector<Array> out;
  for (const Type& t : types) out.push_back(zeros_of(t));
  return out;
}

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

// The linear half on the basis of one input after the other: the columns of each result. Empty where a result does not
// depend on the input.
std::vector<Array> by_columns(const Halves& h, const std::vector<Type>& inputs, std::size_t input) {
  const std::size_t residuals = h.residuals.size();
  std::vector<bool> mapped(residuals + inputs.size(), false);
  mapped[residuals + input] = true;
  const BatchedProgram program = batch(*h.lin.linear, mapped, {inputs[input].num_elements(), ""});
  std::vector<Array> given = h.residuals, zeros = zeros_like_all(inputs);
  given.insert(given.end(), zeros.begin(), zeros.end());
  given[residuals + input] = basis(inputs[input]);
  std::vector<Array> out = tutti::apply(*program.program, given);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!program.mapped[k]) {
      out[k] = {};
      continue;
    }
    lax::Dims permutation;
    for (int d = 1; d < out[k].ndim(); ++d) permutation.push_back(d);
    permutation.push_back(0);
    out[k] = lax::transpose(out[k], permutation);
  }
  return out;
}

// Its transpose on the basis of one result: rows, for all inputs at once. Empty as above. `types`: of the results that
// have tangents.
std::vector<Array> by_rows(const Halves& h, const std::vector<Type>& types, std::size_t result, std::size_t inputs) {
  const Transposed back = transpose_half(h.lin);
  const std::size_t residuals = h.residuals.size();
  std::vector<bool> mapped(residuals + types.size(), false);
  mapped[residuals + result] = true;
  const BatchedProgram program = batch(*back.program, mapped, {types[result].num_elements(), ""});
  std::vector<Array> given = h.residuals, zeros = zeros_like_all(types);
  given.insert(given.end(), zeros.begin(), zeros.end());
  given[residuals + result] = basis(types[result]);
  std::vector<Array> rows = tutti::apply(*program.program, given), out(inputs);
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!back.nonzero[i]) continue;
    if (program.mapped[next]) out[i] = rows[next];
    ++next;
  }
  return out;
}

void check_jacobian(const char* what, const std::vector<Type>& inputs, const std::vector<Type>& results,
                    const JacobianForm& form, Loc made) {
  for (const auto& [types, side] : {std::pair{&inputs, "an argument"}, {&results, "a result"}})
    for (const Type& t : *types)
      if (form.holomorphic != t.dtype.is_complex() && (form.holomorphic || (types == &inputs) == form.forward))
        raise<TypeError>(what, std::string(side) + " is " + t.str(),
                         form.holomorphic ? "Those of a holomorphic function are complex: convert it with astype()."
                                          : "Give .holomorphic = true, or take the real part.",
                         made);
}

// Per leaf of all arguments, whether it is one of these arguments'.
std::vector<bool> leaves_of(const CallArrays& args, const std::vector<int>& argnums) {
  std::vector<bool> out;
  for (std::size_t a = 0; a < args.counts.size(); ++a)
    out.insert(out.end(), static_cast<std::size_t>(args.counts[a]),
               std::find(argnums.begin(), argnums.end(), static_cast<int>(a)) != argnums.end());
  return out;
}
std::vector<std::size_t> places_of(const CallArrays& args, const std::vector<int>& argnums) {
  std::vector<std::size_t> out;
  for (int a : argnums) {
    std::size_t first = 0;
    for (int b = 0; b < a; ++b) first += static_cast<std::size_t>(args.counts[static_cast<std::size_t>(b)]);
    for (int i = 0; i < args.counts[static_cast<std::size_t>(a)]; ++i)
      out.push_back(first + static_cast<std::size_t>(i));
  }
  return out;
}

}  // namespace

Jacobians jacobians(const CallArrays& args, const std::vector<int>& argnums, const Body& body, const JacobianForm& form,
                    Loc made) {
  const char* what = form.forward ? "jacfwd" : "jacrev";
  const Halves h = halves(args, leaves_of(args, argnums), body, what, made);
  const std::size_t results = form.results ? form.results() : h.out.size();
  for (std::size_t k = 0; k < results; ++k)
    if (!h.out[k])
      raise<TypeError>(what, "a result is not floating; they are " + h.result, "Convert it with astype(float32).",
                       made);
  if (results == 0)
    raise<TypeError>(what, "the function returned no floating array; the result is " + h.result, "Return one or more.",
                     made);
  std::vector<Type> inputs, outputs, differentiated;  // outputs: those that have a tangent, which are also in `linear`
  std::vector<std::size_t> linear(h.out.size(), h.out.size());
  for (const auto& t : h.in)
    if (t) inputs.push_back(*t);
  for (std::size_t k = 0; k < h.out.size(); ++k) {
    if (k < results) differentiated.push_back(*h.out[k]);
    if (!h.lin.tangent[k]) continue;
    linear[k] = outputs.size();
    outputs.push_back(*h.out[k]);
  }
  if (inputs.empty())
    raise<TypeError>(what,
                     "argument " + std::to_string(argnums[0]) +
                         " has no floating array to differentiate by, only: " + types_text(args, 0, args.leaves.size()),
                     "Convert it with astype(float32).", made);
  check_jacobian(what, inputs, differentiated, form, made);
  CallScope scope(made, Loc{"", what});
  std::vector<std::vector<Array>> parts(results, std::vector<Array>(inputs.size()));
  for (std::size_t i = 0; form.forward && i < inputs.size(); ++i) {
    const std::vector<Array> columns = by_columns(h, inputs, i);
    for (std::size_t k = 0; k < results; ++k)
      if (linear[k] < columns.size()) parts[k][i] = columns[linear[k]];
  }
  for (std::size_t k = 0; !form.forward && k < results; ++k)
    if (linear[k] < outputs.size()) parts[k] = by_rows(h, outputs, linear[k], inputs.size());
  Jacobians out{h.results, {}};
  for (std::size_t k = 0; k < results; ++k) {
    std::vector<Array> by_leaf(args.leaves.size());
    for (std::size_t i = 0, next = 0; i < h.in.size(); ++i) {
      if (!h.in[i]) continue;
      const Shape shape = joined(h.out[k]->shape, h.in[i]->shape);
      const Array& part = parts[k][next++];
      by_leaf[i] =
          part.has_value() ? lax::reshape(part, shape) : zeros_of({h.out[k]->dtype, shape, h.out[k]->weak, {}});
    }
    std::vector<Array> asked;
    for (std::size_t place : places_of(args, argnums)) asked.push_back(by_leaf[place]);
    out.derivatives.push_back(std::move(asked));
  }
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
