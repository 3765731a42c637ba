// The public call that is running: what it records bears its line, and errors name it. Also for layers and libraries on
// top.
#pragma once

#include <string>
#include <string_view>

#include "tutti/base/error.hpp"

namespace tutti {

/// While it lives, this thread runs the public function in whose body it stands, called at `loc`. The outermost scope
/// wins: what a layer does inside a user's call bears the user's line, and errors name the layer.
///
///     Array layer(const Array& x, Loc loc = Loc::current()) {
///       CallScope scope(loc);
///       if (x.ndim() != 2) raise<ShapeError>("layer", "x has shape " + x.shape().str(), "Give [rows, columns].");
///       return tanh(x * 2);
///     }
///
/// Threads: lives on the thread that made it.
class CallScope {
 public:
  explicit CallScope(Loc loc, Loc callee = Loc::current());
  ~CallScope();
  CallScope(const CallScope&) = delete;

 private:
  bool opened_;
};

/// While it lives, this thread runs a function of the user's that `what`, made at `made`, calls. ValueError where 256
/// run inside each other, or little of the stack is left: a recursion without an end.
/// Threads: lives on the thread that made it.
class InsideCall {
 public:
  InsideCall(std::string_view what, Loc made);
  ~InsideCall();
  InsideCall(const InsideCall&) = delete;
};

/// The line of the running call; false when there is none.
Loc current_loc();
/// The name of the running call, `random::normal`; `operation` when there is none, or it has no name of its own.
std::string call_name(std::string_view operation);

/// The text of every error: `operation: problem.`, the line, and what to do. A call that cannot know its line, such as
/// float(x), names that of the operation before it on this thread. Where the running call does the operation
/// for its own ends, both are named: `repeat (broadcast_in_dim)`.
std::string error_text(std::string_view operation, std::string_view problem, std::string_view advice,
                       Loc loc = current_loc());

/// Throws an E with that text. `operation` is what failed, as users write it; the running call is put before it if it
/// is another one.
template <class E>
[[noreturn]] void raise(std::string_view operation, std::string_view problem, std::string_view advice,
                        Loc loc = current_loc()) {
  throw E(error_text(operation, problem, advice, loc));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
