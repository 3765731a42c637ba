// Text in lines, as Python's textwrap.fill makes them: the same chunks, found by the same conditions.
#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "tutti/base/call_scope.hpp"
#include "tutti/debug/report.hpp"

namespace tutti {
namespace {

using Text = std::u32string;
using Chunk = std::u32string_view;

Text decoded(const std::string& text) {
  Text out;
  for (unsigned char c : text) {
    if ((c & 0xC0) == 0x80 && !out.empty())
      out.back() = (out.back() << 6) | (c & 0x3F);
    else
      out.push_back(c < 0x80 ? c : c < 0xE0 ? c & 0x1F : c < 0xF0 ? c & 0x0F : c & 0x07);
  }
  return out;
}
std::string encoded(Chunk text) {
  std::string out;
  auto byte = [&](char32_t c) { out += static_cast<char>(c); };
  for (char32_t c : text) {
    if (c < 0x80)
      byte(c);
    else if (c < 0x800) {
      byte(0xC0 | (c >> 6));
      byte(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      byte(0xE0 | (c >> 12));
      byte(0x80 | ((c >> 6) & 0x3F));
      byte(0x80 | (c & 0x3F));
    } else {
      byte(0xF0 | (c >> 18));
      byte(0x80 | ((c >> 12) & 0x3F));
      byte(0x80 | ((c >> 6) & 0x3F));
      byte(0x80 | (c & 0x3F));
    }
  }
  return out;
}

// Tabs go to the next multiple of 8 in their line; then every blank is a space.
Text with_spaces(const Text& text) {
  Text out;
  std::size_t column = 0;
  for (char32_t c : text) {
    if (c == '\t') {
      const std::size_t n = 8 - column % 8;
      out.append(n, ' ');
      column += n;
      continue;
    }
    column = c == '\n' || c == '\r' ? 0 : column + 1;
    out += c == '\n' || c == '\r' || c == '\v' || c == '\f' ? U' ' : c;
  }
  return out;
}

struct Range {
  char32_t first, last;
};
bool in(char32_t c, std::span<const Range> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return r.first <= c && c <= r.last; });
}
// Beyond ASCII nearly everything is a letter but punctuation, signs and drawings.
bool is_sign(char32_t c) {
  static constexpr Range signs[] = {
      {0x80, 0xA9},     {0xAB, 0xB1},     {0xB4, 0xB4},     {0xB6, 0xB8},       {0xBB, 0xBB},
      {0xBF, 0xBF},     {0xD7, 0xD7},     {0xF7, 0xF7},     {0x300, 0x36F},     {0x2000, 0x206F},
      {0x207A, 0x207E}, {0x208A, 0x208E}, {0x20A0, 0x20FF}, {0x2190, 0x245F},   {0x249C, 0x24E9},
      {0x2500, 0x2775}, {0x2794, 0x2BFF}, {0x3000, 0x3004}, {0x3008, 0x3020},   {0x3030, 0x3030},
      {0xD800, 0xF8FF}, {0xFE10, 0xFE6F}, {0xFF01, 0xFF0F}, {0x1F000, 0x1F0FF}, {0x1F10D, 0x1FAFF}};
  return in(c, signs);
}
bool is_letter(char32_t c) {  // and the underscore
  return c < 0x80 ? (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' : !is_sign(c);
}
bool is_word(char32_t c) { return is_letter(c) || (c >= '0' && c <= '9'); }
bool is_word_or_mark(char32_t c) { return is_word(c) || Chunk(U"!\"'&.,?").find(c) != Chunk::npos; }
bool is_blank(Chunk piece) {
  static constexpr Range blanks[] = {{0x9, 0xD},       {0x1C, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
                                     {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                                     {0x205F, 0x205F}, {0x3000, 0x3000}};
  return std::all_of(piece.begin(), piece.end(), [](char32_t c) { return in(c, blanks); });
}

// Where a line may end: runs of spaces, words, parts of hyphenated words, dashes between words.
class Chunks {
 public:
  explicit Chunks(Chunk text) : text_(text) {}
  std::vector<Chunk> all() const {
    std::vector<Chunk> out;
    for (std::size_t at = 0, next; at < text_.size(); at = next) {
      next = end_of(at);
      out.push_back(text_.substr(at, next - at));
    }
    return out;
  }

 private:
  char32_t get(std::size_t i) const { return i < text_.size() ? text_[i] : U' '; }
  char32_t before(std::size_t i, std::size_t n) const { return i >= n ? text_[i - n] : U' '; }
  // Two or more hyphens at `at`, and a word behind them: their number, or 0.
  std::size_t dash(std::size_t at) const {
    std::size_t n = 0;
    while (get(at + n) == '-') ++n;
    return n >= 2 && is_word(get(at + n)) ? n : 0;
  }
  // A hyphen at `at` that a word may be broken behind: `ab-cd`, `a-b-cd`, `ab-c-d`; not `-x` or `3-4`.
  bool splits(std::size_t at) const {
    if (get(at) != '-' || !is_letter(before(at, 1))) return false;
    const char32_t second = before(at, 2);
    if (!is_letter(second) && !(second == '-' && is_letter(before(at, 3)))) return false;
    return is_letter(get(at + 1)) && is_letter(get(at + 2) == '-' ? get(at + 3) : get(at + 2));
  }
  std::size_t end_of(std::size_t at) const {
    std::size_t i = at;
    while (i < text_.size() && text_[i] == ' ') ++i;
    if (i > at) return i;
    if (at > 0 && is_word_or_mark(text_[at - 1]) && dash(at)) return at + dash(at);
    for (i = at + 1; i < text_.size() && text_[i] != ' '; ++i) {
      if (splits(i)) return i + 1;
      if (is_word_or_mark(text_[i - 1]) && dash(i)) return i;
    }
    return i;
  }
  Chunk text_;
};

// How much of a word that no line can hold goes into the `room` that is left: up to a hyphen if there is one behind
// something else.
std::size_t cut(Chunk word, std::size_t room) {
  const std::size_t hyphen = room ? word.rfind(U'-', room - 1) : Chunk::npos;
  if (hyphen == Chunk::npos || hyphen == 0 || word.substr(0, hyphen).find_first_not_of(U'-') == Chunk::npos)
    return room;
  return hyphen + 1;
}

}  // namespace

std::string wrap(const std::string& text, int width) {
  if (width <= 0)
    raise<ValueError>("wrap", "the width is " + std::to_string(width), "Give the characters of a line, 1 or more.");
  const Text spaced = with_spaces(decoded(text));
  const auto limit = static_cast<std::size_t>(width);
  std::vector<Chunk> chunks = Chunks(spaced).all();
  std::string out;
  bool first = true;
  for (std::size_t at = 0; at < chunks.size();) {
    if (!first && is_blank(chunks[at])) ++at;
    std::vector<Chunk> line;
    std::size_t length = 0;
    for (; at < chunks.size() && length + chunks[at].size() <= limit; ++at) {
      line.push_back(chunks[at]);
      length += chunks[at].size();
    }
    if (at < chunks.size() && chunks[at].size() > limit) {
      const std::size_t n = cut(chunks[at], limit - length);
      line.push_back(chunks[at].substr(0, n));
      chunks[at].remove_prefix(n);
    }
    if (!line.empty() && is_blank(line.back())) line.pop_back();
    if (line.empty()) continue;
    if (!first) out += "\n";
    first = false;
    for (Chunk piece : line) out += encoded(piece);
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
