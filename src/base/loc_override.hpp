// The line of what is replayed rather than called.
#pragma once

#include "tutti/base/error.hpp"

namespace tutti {

/// Replaces the current line, also under an outer scope, by that of a recorded Eqn: when a Program is transformed, its
/// Eqns keep their lines.
class LocOverride {
 public:
  explicit LocOverride(Loc loc);
  ~LocOverride();
  LocOverride(const LocOverride&) = delete;

 private:
  Loc saved_;
  const char* callee_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
