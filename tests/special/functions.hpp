// The special functions and distributions as tools/special_functions.py names them, with the errors that they promise.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/numpy/numpy.hpp"

namespace tutti::sweep {

using Args = std::vector<Array>;

/// A region of arguments where another bound holds, and why.
struct Exception {
  std::string reason;
  std::function<bool(const double* x, bool single)> holds;
  double units32, units64;
};
/// The bound at a point, and the number of the exception that it comes from.
struct Bound {
  std::size_t exception;
  double units;
};
struct Function {
  std::string name;
  std::function<Array(const Args&)> f;
  double units32, units64;  // in the last place of the result, beyond what half a unit of the arguments changes
  std::vector<Exception> exceptions{};

  Bound bound(const double* x, bool single) const;
};

/// f of its first n operands; others, those of location and scale, are 0 and 1.
template <std::size_t n, class... Operands> auto first(Array (*f)(Operands...)) {
  return [f](const Args& x) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return f(k < n ? x[k] : full_like(x[0], k == n ? 0 : 1)...);
    }
    (std::index_sequence_for<Operands...>());
  };
}

std::vector<Function> gamma_functions();
std::vector<Function> other_functions();
std::vector<Function> distributions();
const std::vector<Function>& functions();

}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
