// Many small residuals as one: a nest of branches carries those of each level through all levels around it. One by one
// they would be as many results of each level as there are levels within: a program that grows with the square of the
// depth.
#pragma once

#include <vector>

#include "regions/lists.hpp"

namespace tutti::ops {

/// Which of some values go together: scalars of one dtype, and what was packed before, where there are several. Packed
/// they are [1, n, 1], so that what is packed can be told from what users make.
class Packing {
 public:
  explicit Packing(const std::vector<Type>& types);
  /// What is carried: the values that go by themselves, then the packed ones.
  const std::vector<Type>& types() const { return carried_; }
  std::vector<Array> packed(const std::vector<Array>& values) const;
  std::vector<Array> unpacked(const std::vector<Array>& carried) const;

 private:
  std::vector<Type> types_, carried_;
  std::vector<std::vector<std::size_t>> packs_;  // values by number
  std::vector<bool> alone_;                      // by value
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
