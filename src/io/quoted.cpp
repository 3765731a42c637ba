#include "io/quoted.hpp"

#include <fmt/format.h>

namespace tutti::io::detail {
namespace {

constexpr std::size_t kShown = 200;  // bytes of a name

// The beginning of a long name, cut between two characters.
std::string_view beginning(std::string_view name) {
  if (name.size() <= kShown) return name;
  std::size_t end = kShown;
  while (end > kShown - 4 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end);
}

}  // namespace

std::string printable(std::string_view name) {
  const std::string_view shown = beginning(name);
  std::string out;
  for (const char c : shown)
    if (const auto byte = static_cast<unsigned char>(c); byte < 32 || byte == 127)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  if (shown.size() < name.size()) out += fmt::format("... ({} bytes)", name.size());
  return out;
}

std::string quoted_name(std::string_view name) { return "'" + printable(name) + "'"; }

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
