#include "ir/op.hpp"

#include <numeric>

namespace tutti {

std::vector<std::vector<int>> Op::linear_sets(std::size_t operands) const {
  std::vector<std::vector<int>> out = linear;
  for (std::vector<int>& set : out) {
    if (set != std::vector{every}) continue;
    set.resize(operands);
    std::iota(set.begin(), set.end(), 0);
  }
  return out;
}

}  // namespace tutti
