#include "tutti/base/choice.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tutti/base/call_scope.hpp"

namespace tutti::detail {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same =
          std::tolower(static_cast<unsigned char>(a[i])) == std::tolower(static_cast<unsigned char>(b[j]));
      const std::size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

int value_of_choice(const Choices& choices, std::string_view name, Loc loc) {
  std::string all;
  std::string_view rest = choices.names, nearest;
  std::size_t distance = std::numeric_limits<std::size_t>::max();
  for (int value = 0; !rest.empty();) {
    const std::size_t end = rest.find_first_of(" |");
    const std::string_view word = rest.substr(0, end);
    if (word == name) return value;
    all += (all.empty() ? "" : ", ") + quoted(word);
    if (const std::size_t d = edit_distance(word, name); d < distance) {
      distance = d;
      nearest = word;
    }
    if (end == std::string_view::npos) break;
    value += rest[end] == ' ';
    rest.remove_prefix(end + 1);
  }
  const bool close = distance <= std::max<std::size_t>(1, nearest.size() / 3);
  raise<ValueError>(choices.operation, "there is no " + std::string(choices.option) + " " + quoted(name),
                    (close ? "Did you mean " + quoted(nearest) + "? " : "") + "There are " + all + ".", loc);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
