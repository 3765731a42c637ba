#include "frontend/format_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <mutex>

#include "array/node.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/formatters.hpp"

namespace tutti::detail {
namespace {

template <class V> std::string with(const std::string& format, const V& value) {
  return fmt::format(fmt::runtime("{:" + format + "}"), value);
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

[[noreturn]] void refuse(const char* what, const FormatText& format, const std::string& problem) {
  raise<ValueError>(what, problem + ": \"" + format.text + "\"",
                    "Fields are {}, {0} or {name}, with a format behind a colon; {{ and }} are braces.", format.loc);
}

}  // namespace

TextWithFields::TextWithFields(const char* what, const FormatText& format, std::vector<TextValue> values)
    : values_(std::move(values)) {
  parse(what, format);
  try_formats(what, format);
}

void TextWithFields::parse(const char* what, const FormatText& format) {
  const std::string& text = format.text;
  std::vector<int> by_place;
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (values_[v].name.empty()) by_place.push_back(static_cast<int>(v));
  std::vector<bool> used(values_.size(), false);
  std::string before;
  std::size_t next = 0;
  bool numbered = false, counted = false;
  auto value_of = [&](const std::string& name) {
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (!name.empty() && values_[v].name == name) return static_cast<int>(v);
    if (!name.empty() && !is_number(name)) refuse(what, format, "there is no value named \"" + name + "\" for a field");
    (name.empty() ? counted : numbered) = true;
    if (numbered && counted) refuse(what, format, "some fields are numbered and some are not");
    const std::size_t at = name.empty() ? next++ : std::stoul(name);
    if (at >= by_place.size())
      refuse(what, format,
             "field " + std::to_string(at) + " has no value, there " +
                 (by_place.size() == 1 ? "is 1" : "are " + std::to_string(by_place.size())));
    return by_place[at];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      before += c;
      ++i;
    } else if (c == '}') {
      refuse(what, format, "a } has no {");
    } else if (c != '{') {
      before += c;
    } else {
      const std::size_t end = text.find('}', i);
      if (end == text.npos) refuse(what, format, "a { has no }");
      const std::string field = text.substr(i + 1, end - i - 1);
      const std::size_t colon = std::min(field.find(':'), field.size());
      const int value = value_of(field.substr(0, colon));
      used[static_cast<std::size_t>(value)] = true;
      pieces_.push_back({before, -1});
      pieces_.push_back({colon < field.size() ? field.substr(colon + 1) : "", value});
      before.clear();
      i = end;
    }
  }
  pieces_.push_back({before, -1});
  for (std::size_t v = 0; v < used.size(); ++v)
    if (!used[v])
      refuse(what, format,
             values_[v].name.empty() ? "value " + std::to_string(v) + " has no field"
                                     : "the value named \"" + values_[v].name + "\" has no field");
}

// Formats that their values do not have are refused now, not when the program runs.
void TextWithFields::try_formats(const char* what, const FormatText& format) const {
  for (const Piece& p : pieces_) {
    if (p.value < 0 || p.text.empty()) continue;
    const TextValue& v = values_[static_cast<std::size_t>(p.value)];
    try {
      for (const Array& x : v.arrays) {
        HostPtr zero = allocate_buffer(static_cast<std::size_t>(x.dtype().size()));
        std::memset(zero->data(), 0, static_cast<std::size_t>(x.dtype().size()));
        if (x.ndim() > 0)
          with(p.text, std::string());
        else
          with(p.text, make_array({x.dtype(), {}, false, {}}, BufferPtr(std::move(zero))));
      }
      std::visit(
          [&](const auto& plain) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(plain)>, std::monostate>) with(p.text, plain);
          },
          v.plain);
    } catch (const fmt::format_error& e) {
      refuse(what, format, "the format \"" + p.text + "\" is not one of its value (" + e.what() + ")");
    }
  }
}

std::vector<Array> TextWithFields::arrays() const {
  std::vector<Array> out;
  for (const TextValue& v : values_) out.insert(out.end(), v.arrays.begin(), v.arrays.end());
  return out;
}

std::string TextWithFields::str(std::span<const Array> arrays) const {
  std::vector<std::size_t> first;  // of each value
  std::size_t at = 0;
  for (const TextValue& v : values_) {
    first.push_back(at);
    at += v.arrays.size();
  }
  std::string out;
  for (const Piece& p : pieces_) {
    if (p.value < 0) {
      out += p.text;
      continue;
    }
    const auto number = static_cast<std::size_t>(p.value);
    const TextValue& v = values_[number];
    const auto own = arrays.subspan(first[number], v.arrays.size());
    if (v.is_tree) {
      std::string tree;
      for (std::size_t i = 0; i < own.size(); ++i)
        tree += (i ? ", " : "") + v.paths[i] + (v.paths[i].empty() ? "" : ": ") + with(p.text, own[i]);
      out += "{" + tree + "}";
    } else if (!own.empty()) {
      out += with(p.text, own[0]);
    } else {
      std::visit(
          [&](const auto& plain) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(plain)>, std::monostate>) out += with(p.text, plain);
          },
          v.plain);
    }
  }
  return out;
}

void print_line(const std::string& line) {
  static auto* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  std::cout << line << '\n' << std::flush;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
