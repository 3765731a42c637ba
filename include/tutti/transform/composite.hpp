// Functions of the library that are made of many operations: outside of transformations they run as one program.
#pragma once

#include <type_traits>

#include "tutti/transform/jit.hpp"
#include "tutti/transform/transform_core.hpp"

namespace tutti {

/// body(args...). Where nothing is recorded it is a program, compiled once for the types, shapes and placements of the
/// arrays in `args` and the values of the rest, as by jit; so its results lie where jit would put them. Inside a
/// transformation its operations are recorded one by one.
///
///     Array softplus(const In& x) {
///       CallScope scope(x.loc);
///       return composite("softplus", [](const Array& x) { return logaddexp(x, 0); }, x.array);
///     }
///
/// `body` captures nothing: all that it depends on are its arguments, trees of arrays and static values. A number for a
/// parameter of type Array is an array. `name` is for errors.
template <class F, class... A> auto composite(const char* name, F body, const A&... args) {
  static_assert(std::is_empty_v<F>, "tutti: composite: the body captures something; pass it as an argument");
  if (detail::being_recorded()) return body(args...);
  static const auto& program = *new Jitted<F>(body, {}, Loc(), name);  // never destroyed: destructors may compute
  return program(args...);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
