// Cases of ops.json: an op by name, its parameters and inputs, its outputs and derivatives. Families register their
// ops.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace golden {

using Arrays = std::vector<tutti::Array>;
using OpFunction = std::function<Arrays(const Arrays& inputs, const json& params)>;

/// Adds ops by name: `OpFamily elementwise({{"sin", one(tutti::sin)}})`.
struct OpFamily {
  OpFamily(std::map<std::string, OpFunction> ops);
};
/// An axis parameter: null is all, a number, or a list.
tutti::Axes axes_of(const json& params);
std::optional<int> axis_of(const json& params);

}  // namespace golden
