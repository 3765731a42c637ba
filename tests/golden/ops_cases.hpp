// Cases of ops.json and surface.json: an op by name, its parameters and inputs, its outputs and derivatives. Families
// register their ops.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace golden {

using Arrays = std::vector<tutti::Array>;
using OpFunction = std::function<Arrays(const Arrays& inputs, const json& params)>;

/// Adds ops by name: `OpFamily elementwise({{"sin", one(tutti::sin)}})`. Of decompositions and transforms every result
/// is compared relative to the largest, as they `round`: what is 0 in exact arithmetic may be a rounding error.
struct OpFamily {
  OpFamily(std::map<std::string, OpFunction> ops, bool round = false);
};
/// Adds expressions by the text of `params.expr`; what has none goes to the op, which may know it.
struct OpExpressions {
  OpExpressions(std::map<std::string, OpFunction> expressions);
};
/// The function of a case that is in no such table, by its Python name (python_cases.cpp). Throws Unknown.
OpFunction python_function(const json& test);
/// An axis parameter: null is all, a number, or a list.
tutti::Axes axes_of(const json& params);
std::optional<int> axis_of(const json& params);

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
