// The type of a value in a Program: dtype, shape, weak flag, and over which manual axes the value may vary.
#pragma once

#include <string>
#include <vector>

#include "tutti/base/dtype.hpp"
#include "tutti/base/shape.hpp"

namespace tutti {

struct Type {
  DType dtype = float32;
  Shape shape;
  bool weak = false;
  std::vector<std::string> varying;  // sorted; inside manual regions with check_vma only, else empty

  int ndim() const { return shape.ndim(); }
  std::int64_t num_elements() const { return shape.num_elements(); }
  std::int64_t nbytes() const { return extent::mul(num_elements(), dtype.size()); }
  /// `float32[4,8]`.
  std::string str() const;
  std::size_t hash() const;
  friend bool operator==(const Type&, const Type&) = default;
};

/// The sorted union of two sets of axis names.
std::vector<std::string> merge_names(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
