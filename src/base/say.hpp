// The one way to stderr (tools/check_stderr.py): every note, warning, line of a log and progress bar goes here.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "tutti/base/error.hpp"
#include "tutti/base/messages.hpp"

namespace tutti {

/// To the handler of messages, or to stderr. `text` is whole lines, or a progress bar.
void say(Message::Kind kind, std::string_view text) noexcept;
/// A warning for those who may call no function of tutti: modules, which get this as a pointer.
void say_warning(const char* text) noexcept;
/// Whether notes are wanted: by config::notes, and TUTTI_LOG without `quiet`.
bool notes_are_wanted();
/// True the first time that `what` is asked for `place` in this process.
bool first_time(const char* what, const Loc& place);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
