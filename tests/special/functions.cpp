#include "special/functions.hpp"

#include <cmath>
#include <limits>

namespace tutti::sweep {

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> some;
    for (const auto& part : {gamma_functions(), other_functions(), distributions()})
      some.insert(some.end(), part.begin(), part.end());
    return some;
  }();
  return all;
}

Bound Function::bound(const double* x, bool single) const {
  for (std::size_t k = 0; k < exceptions.size(); ++k)
    if (exceptions[k].holds(x, single)) return {k, single ? exceptions[k].units32 : exceptions[k].units64};
  return {exceptions.size(), single ? units32 : units64};
}

}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
