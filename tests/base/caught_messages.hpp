// What tutti says while a test looks.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tutti/base/messages.hpp"

namespace tutti::testing {

class CaughtMessages {
 public:
  CaughtMessages()
      : before_(set_message_handler([this](const Message& m) {
          std::lock_guard lock(mutex_);
          all_.emplace_back(m.kind, std::string(m.text));
        })) {}
  ~CaughtMessages() { set_message_handler(std::move(before_)); }
  CaughtMessages(const CaughtMessages&) = delete;

  /// How many there were of a kind, and their texts one after the other.
  int count(Message::Kind kind) const {
    std::lock_guard lock(mutex_);
    int n = 0;
    for (const auto& [k, text] : all_) n += k == kind;
    return n;
  }
  std::string text() const {
    std::lock_guard lock(mutex_);
    std::string out;
    for (const auto& [k, text] : all_) out += text;
    return out;
  }
  void clear() {
    std::lock_guard lock(mutex_);
    all_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<Message::Kind, std::string>> all_;
  std::function<void(const Message&)> before_;
};

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
