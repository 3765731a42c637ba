// What a picture says, for tests that read one.
#pragma once

#include <algorithm>
#include <set>
#include <string>

namespace tutti::testing {

// The text without escape codes, each replaced by `by`.
inline std::string unescaped(const std::string& text, const std::string& by = "") {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\033') {
      out += text[i];
      continue;
    }
    i = text.find('m', i);
    out += by;
  }
  return out;
}

// The numbers that it shows: device ids.
inline std::set<std::string> numbers_in(const std::string& text) {
  std::set<std::string> out;
  std::string now;
  for (char c : text + " ") {
    if (c >= '0' && c <= '9') now += c;
    else if (!now.empty()) out.insert(now), now.clear();
  }
  return out;
}

inline std::size_t widest_line(const std::string& text) {
  std::size_t best = 0, now = 0;
  for (char c : text) {
    if (c == '\n') now = 0;
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) best = std::max(best, ++now);
  }
  return best;
}

}  // namespace tutti::testing
