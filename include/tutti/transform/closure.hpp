// Functions that capture arrays, with these as arguments: what rules of derivatives need.
#pragma once

#include <functional>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti::detail {

struct Closed {
  std::vector<Array> captured;  // that the function read, one each
  /// The function of its own arguments and, behind them, arrays for those that it captured.
  std::function<std::vector<Array>(const std::vector<Array>&)> function;
};
/// Records `f` once, on arguments of the types of `like`. Source: jax.closure_convert.
Closed closure_convert(const char* what, const std::vector<Array>& like,
                       const std::function<std::vector<Array>(const std::vector<Array>&)>& f, Loc made);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
