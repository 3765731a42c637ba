// Calls of custom_linear_solve and custom_root: solvers and functions recorded into one Eqn, whose rules are in
// src/regions/implicit.cpp.
#include "tutti/lax/implicit.hpp"

#include "frontend/bodies.hpp"
#include "regions/calls.hpp"
#include "regions/lists.hpp"

namespace tutti::detail {
namespace {

using Solved = std::vector<Array>;

// The first arrays as these types have them: weak or not does not matter.
Solved as_types(const char* what, const std::string& whose, Solved given, const std::vector<Type>& types, bool more,
                Loc loc) {
  if (given.size() < types.size() || (!more && given.size() > types.size()))
    raise<ValueError>(
        what, whose + " gives " + std::to_string(given.size()) + " arrays instead of " + std::to_string(types.size()),
        "Return a tree like the one that it gets.", loc);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Type made = given[i].type();
    const std::string problem = whose + " gives " + made.str() + " for " + types[i].str();
    if (made.shape != types[i].shape) raise<ShapeError>(what, problem, "The shapes have to be equal.", loc);
    if (made.dtype != types[i].dtype)
      raise<TypeError>(what, problem, "Convert it with astype(" + std::string(types[i].dtype.name()) + ").", loc);
    given[i] = with_weak(given[i], types[i].weak);
  }
  return given;
}
void check_inexact(const char* what, const std::vector<Type>& types, Loc loc) {
  for (const Type& t : types)
    if (!has_tangent(t))
      raise<TypeError>(what, "an array is " + t.str() + ", and must be floating or complex",
                       "Convert it with astype(float32).", loc);
}

}  // namespace

std::vector<Array> linear_solve_call(const std::vector<Array>& b, const LinearSolveBodies& bodies, Loc loc) {
  const char* what = "custom_linear_solve";
  const std::vector<Type> types = types_of(b);
  check_inexact(what, types, loc);
  Bodies recorded(what, loc);
  const int derivatives = derivatives_here();
  recorded.add(types, 0, [&](const Solved& in) { return as_types(what, "solve", bodies.solve(in), types, true, loc); });
  if (derivatives > 0) {
    recorded.add(types, derivatives,
                 [&](const Solved& in) { return as_types(what, "matvec", bodies.matrix(in), types, false, loc); });
    if (bodies.transpose_solve)
      recorded.add(types, 0, [&](const Solved& in) {
        return as_types(what, "transpose_solve", bodies.transpose_solve(in), types, true, loc);
      });
  }
  return recorded.bind(ops::implicit_solve, ops::ImplicitSolve{static_cast<int>(b.size()), bodies.symmetric}, b);
}

std::vector<Array> root_call(const std::vector<Array>& guess, const RootBodies& bodies, Loc loc) {
  const char* what = "custom_root";
  const std::vector<Type> types = types_of(guess);
  check_inexact(what, types, loc);
  Bodies recorded(what, loc);
  const int derivatives = derivatives_here();
  recorded.add(types, 0, [&](const Solved& in) { return as_types(what, "solve", bodies.solve(in), types, true, loc); });
  if (derivatives > 0) {
    recorded.add(types, derivatives,
                 [&](const Solved& in) { return as_types(what, "f", bodies.function(in), types, false, loc); });
    std::vector<Type> twice = types;
    append(twice, types);
    recorded.add(twice, derivatives, [&](const Solved& in) {
      return as_types(what, "tangent_solve", bodies.tangent_solve(in), types, false, loc);
    });
  }
  return recorded.bind(ops::implicit_root, ops::ImplicitRoot{static_cast<int>(guess.size())}, guess);
}

}  // namespace tutti::detail
