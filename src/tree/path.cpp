// Paths: text and patterns.
#include <ostream>
#include <span>

#include "tutti/tree/structure.hpp"

namespace tutti::tree {
namespace {

// Keys that would read as several steps are quoted.
bool needs_quotes(std::string_view key) { return key.empty() || key.find_first_of(".[]'\" ") != key.npos; }

std::vector<std::string_view> steps(std::string_view pattern) {
  std::vector<std::string_view> out;
  while (!pattern.empty()) {
    if (pattern.starts_with("['")) {
      const std::size_t end = pattern.find("']", 2);
      out.push_back(pattern.substr(2, end == pattern.npos ? end : end - 2));
      pattern.remove_prefix(end == pattern.npos ? pattern.size() : end + 2);
      continue;
    }
    const std::size_t end = pattern.find_first_of(".[]");
    if (end != 0) out.push_back(pattern.substr(0, end));
    if (end == pattern.npos) break;
    pattern.remove_prefix(end + (pattern.substr(end).starts_with("['") && end != 0 ? 0
                                 : pattern.substr(end, 2) == "['"                  ? 0
                                                                                   : 1));
  }
  return out;
}

bool matches_text(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= text.size(); ++i)
      if (matches_text(pattern.substr(1), text.substr(i))) return true;
    return false;
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         matches_text(pattern.substr(1), text.substr(1));
}

bool matches_steps(std::span<const std::string_view> pattern, std::span<const Path::Key> keys) {
  if (pattern.empty()) return keys.empty();
  if (pattern[0] == "**") {
    for (std::size_t i = 0; i <= keys.size(); ++i)
      if (matches_steps(pattern.subspan(1), keys.subspan(i))) return true;
    return false;
  }
  return !keys.empty() && matches_text(pattern[0], keys[0].str()) && matches_steps(pattern.subspan(1), keys.subspan(1));
}

}  // namespace

std::string Path::str() const {
  std::string out;
  for (const Key& key : keys_) {
    if (key.is_index())
      out += "[" + key.str() + "]";
    else if (needs_quotes(key.name))
      out += "['" + key.name + "']";
    else
      out += (out.empty() ? "" : ".") + key.name;
  }
  return out;
}

bool Path::starts_with(std::string_view first) const {
  for (std::size_t n = 0; n <= keys_.size(); ++n)
    if (Path({keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(n)}).str() == first) return true;
  return false;
}
bool Path::ends_with(std::string_view last) const {
  for (std::size_t n = 0; n <= keys_.size(); ++n)
    if (Path({keys_.begin() + static_cast<std::ptrdiff_t>(n), keys_.end()}).str() == last) return true;
  return false;
}
bool Path::matches(std::string_view pattern) const { return matches_steps(steps(pattern), keys_); }

std::ostream& operator<<(std::ostream& out, const Path& path) { return out << path.str(); }

}  // namespace tutti::tree

// SPDX-License-Identifier: Apache-2.0
