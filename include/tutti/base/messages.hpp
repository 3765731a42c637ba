// Where the texts go that tutti writes beside results and exceptions.
#pragma once

#include <functional>
#include <string_view>

namespace tutti {

/// A text that tutti would write to stderr.
struct Message {
  enum class Kind {
    note,      // advice, given once for each place; config::notes(false) or TUTTI_LOG=quiet: none
    warning,   // something is wrong or takes long, and the program goes on; or it ends, and this is why
    log,       // was asked for by TUTTI_LOG, TUTTI_CPU_IR and their like
    progress,  // a progress bar: begins with \r, without \n until its last text
  };
  Kind kind;
  std::string_view text;  // whole lines with their \n, but for `progress`; good during the call
};

/// Makes `handler` get every message in place of stderr; an empty one: stderr again. Returns the handler before.
///
///     set_message_handler([](const Message& m) { if (m.kind != Message::Kind::progress) log_line(m.text); });
///
/// It is called on the thread that has something to say, on several at once where several do, and until the very end of
/// the process: set an empty one before what it uses ends. What it throws is dropped and the message goes to stderr, as
/// do messages of tutti that the handler itself causes. Threads: may be called at any time.
/// Source: torch.SetWarningHandler.
std::function<void(const Message&)> set_message_handler(std::function<void(const Message&)> handler);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
