// What the handlers of transforms.json share.
#pragma once

#include <functional>
#include <map>
#include <string>
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
};
using Case = std::function<Outputs(const Inputs&)>;

/// The case of the test's name on its inputs, compared with its outputs or its error; Unknown when there is none.
void run_case(const std::map<std::string, Case>& cases, const json& test);

}  // namespace golden::transforms
