#include "tutti/base/messages.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/environment.hpp"
#include "base/say.hpp"
#include "base/settings.hpp"

namespace tutti {
namespace {

using Handler = std::function<void(const Message&)>;

// Lives as long as the process: messages come from destructors of static objects, too.
struct Handlers {
  std::mutex mutex;
  std::shared_ptr<const Handler> chosen;
};
Handlers& handlers() {
  static auto* h = new Handlers;
  return *h;
}

constinit thread_local bool in_handler = false;

void write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::function<void(const Message&)> set_message_handler(std::function<void(const Message&)> handler) {
  std::shared_ptr<const Handler> next = handler ? std::make_shared<const Handler>(std::move(handler)) : nullptr;
  {
    std::lock_guard lock(handlers().mutex);
    std::swap(handlers().chosen, next);
  }
  return next ? *next : Handler();
}

void say(Message::Kind kind, std::string_view text) noexcept {
  if (in_handler) return write(text);
  std::shared_ptr<const Handler> handler;
  {
    std::lock_guard lock(handlers().mutex);
    handler = handlers().chosen;
  }
  if (!handler) return write(text);
  in_handler = true;
  try {
    (*handler)({kind, text});
  } catch (...) {
    write(text);
  }
  in_handler = false;
}

void say_warning(const char* text) noexcept { say(Message::Kind::warning, text); }

bool notes_are_wanted() {
  return !settings::get(settings::no_notes) && !environment::has_word(environment::log, "quiet");
}

bool first_time(const char* what, const Loc& place) {
  static std::mutex mutex;
  static auto& seen = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return seen.insert(std::string(what) + " " + place.file + ":" + std::to_string(place.line)).second;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
