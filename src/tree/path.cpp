// Paths: text and patterns.
#include <algorithm>
#include <ostream>
#include <span>
#include <unordered_map>

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

// Whether m things match n patterns one by one, where some of the patterns stand for any number of things. Only the
// last of those is tried with more: what an earlier one would take, that one can take as well.
template <class IsAny, class Match>
bool matches_in_order(std::size_t n, std::size_t m, const IsAny& is_any, const Match& match) {
  std::size_t p = 0, t = 0, any = n, taken = 0;
  while (t < m) {
    if (p < n && is_any(p)) {
      any = p++;
      taken = t;
    } else if (p < n && match(p, t)) {
      ++p;
      ++t;
    } else if (any < n) {
      p = any + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < n && is_any(p)) ++p;
  return p == n;
}

bool matches_text(std::string_view pattern, std::string_view text) {
  return matches_in_order(
      pattern.size(), text.size(), [&](std::size_t p) { return pattern[p] == '*'; },
      [&](std::size_t p, std::size_t t) { return pattern[p] == '?' || pattern[p] == text[t]; });
}

bool matches_steps(std::span<const std::string_view> pattern, std::span<const Path::Key> keys) {
  return matches_in_order(
      pattern.size(), keys.size(), [&](std::size_t p) { return pattern[p] == "**"; },
      [&](std::size_t p, std::size_t t) { return matches_text(pattern[p], keys[t].str()); });
}

// Steps as one text, for look-ups.
void append_step(std::string& out, std::string_view step) {
  out += step;
  out += '\0';
}
std::string joined(const Path& path) {
  std::string out;
  for (const Path::Key& key : path.keys()) append_step(out, key.str());
  return out;
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

struct Patterns::Table {
  std::vector<std::string> patterns;
  std::unordered_map<std::string, std::vector<int>> plain;  // by joined steps: those without stars
  std::vector<int> starred;
};

Patterns::Patterns(std::vector<std::string> patterns) {
  auto table = std::make_shared<Table>();
  table->patterns = std::move(patterns);
  for (std::size_t i = 0; i < table->patterns.size(); ++i) {
    const std::string& pattern = table->patterns[i];
    if (pattern.find_first_of("*?") != pattern.npos) {
      table->starred.push_back(static_cast<int>(i));
      continue;
    }
    std::string all;
    for (std::string_view step : steps(pattern)) append_step(all, step);
    table->plain[std::move(all)].push_back(static_cast<int>(i));
  }
  table_ = std::move(table);
}

int Patterns::first_match(const Path& path) const {
  if (!table_) return -1;
  const auto found = table_->plain.empty() ? table_->plain.end() : table_->plain.find(joined(path));
  const int first = found == table_->plain.end() ? -1 : found->second[0];
  for (int i : table_->starred) {
    if (first >= 0 && i > first) break;
    if (path.matches(table_->patterns[static_cast<std::size_t>(i)])) return i;
  }
  return first;
}

std::vector<bool> Patterns::match_any(const std::vector<Path>& paths) const {
  if (!table_) return {};
  std::vector<bool> out(table_->patterns.size(), false);
  for (int i : table_->starred)
    out[static_cast<std::size_t>(i)] = std::any_of(paths.begin(), paths.end(), [&](const Path& p) {
      return p.matches(table_->patterns[static_cast<std::size_t>(i)]);
    });
  if (table_->plain.empty()) return out;
  for (const Path& p : paths)
    if (const auto found = table_->plain.find(joined(p)); found != table_->plain.end())
      for (int i : found->second) out[static_cast<std::size_t>(i)] = true;
  return out;
}

std::ostream& operator<<(std::ostream& out, const Path& path) { return out << path.str(); }

}  // namespace tutti::tree

// SPDX-License-Identifier: Apache-2.0
