// What explain() says of a step, cut to what fits a screen.
#pragma once

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace text {

/// The collectives of a table by explain(), which has the largest ones first: how many rows there are of each kind, and
/// of the `most` largest the line and the cause. The totals stay as they are.
inline std::string largest_collectives(const std::string& table, std::size_t most = 5) {
  std::istringstream in(table);
  std::vector<std::string> head, rows, totals;
  std::map<std::string, int> kinds;
  std::size_t shown = 0;
  // Behind the totals stands what is donated.
  for (std::string line; (totals.empty() || totals.back().rfind("  sent", 0) != 0) && std::getline(in, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (indent == 2 && (first == "planned" || first == "sent"))
      totals.push_back(line);
    else if (indent == 0 || first == "kind" || first == "none")
      head.push_back(line);
    else if (indent == 2) {
      ++kinds[first];
      if (++shown <= most) rows.push_back(line);
    } else if (indent != std::string::npos && shown <= most && first != "remedy")
      rows.push_back(line);
  }
  std::string out;
  for (const auto* part : {&head, &rows})
    for (const std::string& line : *part) out += line + "\n";
  if (shown > most) {
    std::string all;
    for (const auto& [kind, count] : kinds) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", count, kind);
    out += fmt::format("  the {} largest of {} rows ({}); --explain prints them all\n", most, shown, all);
  }
  for (const std::string& line : totals) out += line + "\n";
  return out;
}

}  // namespace text
