// The special functions and distributions as tools/special_functions.py names them, with the errors that they promise.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti::sweep {

struct Function {
  std::string name;
  std::function<Array(const std::vector<Array>&)> f;
  double units32, units64;  // in the last place of the result, beyond what half a unit of the arguments changes
  std::string exception;    // regions that the bound does not hold for, and why
};

const std::vector<Function>& functions();

}  // namespace tutti::sweep
