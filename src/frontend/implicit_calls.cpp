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

// Records the functions of a call, whose results are typed as its own arrays are.
class Recording {
 public:
  Recording(const char* what, const std::vector<Array>& own, Loc loc)
      : types(types_of(own)), derivatives(derivatives_here()), what_(what), loc_(loc), bodies_(what, loc) {
    check_inexact(what, types, loc);
  }

  void add(const char* whose, const ArraysFn& f, int levels, bool more) { add(whose, f, types, levels, more); }
  void add(const char* whose, const ArraysFn& f, const std::vector<Type>& in, int levels, bool more) {
    bodies_.add(in, levels, [&](const Solved& x) { return as_types(what_, whose, f(x), types, more, loc_); });
  }
  std::vector<Array> bind(const Op& op, Params params, const std::vector<Array>& own) {
    return bodies_.bind(op, std::move(params), own);
  }

  const std::vector<Type> types;
  const int derivatives;  // that may be taken of the call

 private:
  const char* what_;
  Loc loc_;
  Bodies bodies_;
};

}  // namespace

std::vector<Array> linear_solve_call(const std::vector<Array>& b, const LinearSolveBodies& bodies, Loc loc) {
  Recording r("custom_linear_solve", b, loc);
  r.add("solve", bodies.solve, 0, true);
  if (r.derivatives > 0) {
    r.add("matvec", bodies.matrix, r.derivatives, false);
    if (bodies.transpose_solve) r.add("transpose_solve", bodies.transpose_solve, 0, true);
  }
  return r.bind(ops::implicit_solve, ops::ImplicitSolve{static_cast<int>(b.size()), bodies.symmetric}, b);
}

std::vector<Array> root_call(const std::vector<Array>& guess, const RootBodies& bodies, Loc loc) {
  Recording r("custom_root", guess, loc);
  r.add("solve", bodies.solve, 0, true);
  if (r.derivatives > 0) {
    r.add("f", bodies.function, r.derivatives, false);
    std::vector<Type> twice = r.types;
    append(twice, r.types);
    r.add("tangent_solve", bodies.tangent_solve, twice, r.derivatives, false);
  }
  return r.bind(ops::implicit_root, ops::ImplicitRoot{static_cast<int>(guess.size())}, guess);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
