// `"b t+ d, d -> b d"`: a name for each dim of operands and results, from which the sharding rule of an operation
// follows.
#pragma once

#include <string>
#include <vector>

#include "ir/op.hpp"

namespace tutti {

/// A dim that a result has is cut where its operands are; one marked `+` is reduced by a sum; all others, and those
/// named `_`, stay whole.
class NamedDims {
 public:
  /// ValueError where the text cannot be read. `op`: for errors, as is `made`.
  NamedDims(std::string text, std::string op, Loc made);
  /// The rule for operands and results of these types. ShapeError where there are more or fewer of them, or of their
  /// dims, or where dims of one name differ.
  Factors factors(const std::vector<Type>& operands, const std::vector<Type>& results) const;

 private:
  struct Dim {
    std::string name;
    bool added = false;
  };
  using Tensors = std::vector<std::vector<Dim>>;
  class Rule;

  static Tensors read(const std::string& text);
  bool in_result(const std::string& name) const;

  std::string text_, op_;
  Loc made_;
  Tensors operands_, results_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
