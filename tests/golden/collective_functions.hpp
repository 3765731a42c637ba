// The functions of collectives.json in C++, found by their Python text.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "golden/golden.hpp"

namespace golden {

using Arrays = std::vector<tutti::Array>;

struct LocalFunction {
  std::function<Arrays(const Arrays&)> call;
  bool many = false;  // returns a tuple
};
/// Throws Unknown.
LocalFunction local_function(const std::string& define);

/// The whole function of a case, from global arrays to global arrays. Throws Unknown.
std::function<Arrays(const Arrays&)> collective_call(const json& test);
/// Runs `check` with shared and with isolated devices.
void with_both_isolations(const std::function<void()>& check);
/// Whether a function only moves elements: all_gather, ppermute, all_to_all and the like, without arithmetic.
bool only_moves(const std::string& define);

/// A call in Python's notation: literals as JSON, tuples as lists; other text as a string.
struct PythonCall {
  std::vector<json> positional;
  std::map<std::string, json> keywords;
  /// The argument at `position` or by `name`; `otherwise` when it is not given.
  json get(std::size_t position, const std::string& name, const json& otherwise = nullptr) const;
};
/// What stands between the parentheses, e.g. `x, ('x', 'y'), tiled=True`. Throws Unknown.
PythonCall parse_arguments(const std::string& text);

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
