// TUTTI_CHECK=captures: a kept program beside the same function recorded anew.
#pragma once

#include <string>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti::detail {

struct JitEntry;

/// Something that a function captures and that its program holds as it was.
struct CaptureChange {
  Loc where;         // the operation that uses it
  std::string text;  // `mul at train.cpp:41: 0.1 when recorded, 0.5 now`
};

/// Whether they are looked for: by config::check_captures, or TUTTI_CHECK; in debug builds while TUTTI_CHECK is not
/// set.
bool captures_are_checked();
/// While it lives, a kept program is recorded anew. Functions inside functions are looked at once for each outermost
/// such recording, however often they are called in it: else a tree of calls would take a time exponential in its
/// depth.
class CaptureCheck {
 public:
  explicit CaptureCheck(const JitEntry& kept);
  ~CaptureCheck();
  CaptureCheck(const CaptureCheck&) = delete;
  /// False where it was looked at already.
  bool wanted() const { return wanted_; }

 private:
  bool outermost_, wanted_;
};
/// What differs: numbers, captured arrays (by their elements), parameters of operations such as shapes, and static
/// leaves of the result; at most one for each operand. After a difference in the operations themselves nothing more is
/// looked for. Functions of the user inside the programs (callbacks, rules) count as equal: nobody can tell.
std::vector<CaptureChange> capture_changes(const JitEntry& kept, const JitEntry& now);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
