// What the handlers of transforms.json share.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "golden/golden.hpp"

namespace golden::transforms {

using tutti::Array;
using Outputs = std::vector<Array>;

struct Inputs {
  const json& list;
  Array operator()(const std::string& path) const {
    for (const json& i : list)
      if (i.at("path") == path) return array_of(i);
    throw Unknown("input " + path);
  }
  /// A number that is no array: a size, a count, a seed.
  std::int64_t number(const std::string& path) const {
    for (const json& i : list)
      if (i.at("path") == path) return i.at("static").get<std::int64_t>();
    throw Unknown("input " + path);
  }
};
struct AB {
  Array a, b;
};
inline Outputs both(const std::tuple<Array, Array>& t) { return {std::get<0>(t), std::get<1>(t)}; }
inline Outputs both(const std::pair<Array, Array>& t) { return {t.first, t.second}; }

using Case = std::function<Outputs(const Inputs&)>;

/// The case of the test's name on its inputs, compared with its outputs or its error; Unknown when there is none.
void run_case(const std::map<std::string, Case>& cases, const json& test);

}  // namespace golden::transforms

// SPDX-License-Identifier: Apache-2.0
