// What the handlers of transforms.json share.
#pragma once

#include <functional>
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

}  // namespace golden::transforms
