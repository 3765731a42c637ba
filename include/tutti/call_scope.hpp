// For layers and libraries on top: what is recorded inside a call bears the caller's line.
#pragma once

#include "tutti/error.hpp"

namespace tutti {

/// While it lives, operations of this thread are recorded as coming from `loc`. The outermost scope wins.
///
///     Array layer(const Array& x, Loc loc = Loc::current()) {
///       CallScope scope(loc);
///       return tanh(x * 2);
///     }
class CallScope {
 public:
  explicit CallScope(Loc loc);
  ~CallScope();
  CallScope(const CallScope&) = delete;

 private:
  bool opened_;
};

}  // namespace tutti
