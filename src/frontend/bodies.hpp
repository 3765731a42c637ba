// Recording several functions into one Eqn.
#pragma once

#include <functional>
#include <vector>

#include "ir/op.hpp"
#include "trace/record.hpp"

namespace tutti {

/// Functions recorded one after the other into the sub-programs of one Eqn. Behind its own inputs each takes all arrays
/// that any of them captured.
class Bodies {
 public:
  Bodies(const char* what, Loc made) : what_(what), made_(made) {}
  /// `derivatives`: how many may be taken of it.
  void add(const std::vector<Type>& inputs, int derivatives,
           const std::function<std::vector<Array>(const std::vector<Array>&)>& body);
  /// The Eqn: operands are `args` and what was captured.
  std::vector<Array> bind(const Op& op, Params params, const std::vector<Array>& args) const;

  std::vector<Array> captured() const;
  std::vector<ProgramPtr> programs() const;

 private:
  const char* what_;
  Loc made_;
  std::vector<Traced> recorded_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
