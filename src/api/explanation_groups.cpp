#include "api/explanation_groups.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "api/planning.hpp"

namespace tutti::detail {

std::vector<CollectiveGroup> groups_of(const Explanation& e, bool layers) {
  using Key = std::tuple<std::string, std::vector<std::string>, std::string, std::string, std::string, std::int64_t>;
  std::map<Key, std::size_t> known;
  std::vector<CollectiveGroup> out;
  for (std::size_t i = 0; i < e.collectives.size(); ++i) {
    const Explanation::Collective& c = e.collectives[i];
    // Within a line, what moves is told by its words; the numbers of inputs and layers in them are not looked at.
    std::string words = layers ? pattern_of(c.what) : c.why;
    if (layers && words.starts_with("input ")) words.erase(6, words.find_first_not_of("0123456789", 6) - 6);
    const auto [at, fresh] = known.try_emplace({c.kind, c.axes, c.loc.str(), words, c.where, c.times}, out.size());
    if (fresh) out.push_back({i});
    CollectiveGroup& g = out[at->second];
    ++g.count;
    g.bytes += c.bytes;
    g.messages += c.messages;
    g.seconds += c.seconds;
    g.total_bytes += c.total_bytes();
    g.total_seconds += c.total_seconds();
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.total_bytes > b.total_bytes; });
  return out;
}

std::string axes_text(const Explanation::Collective& c) {
  std::string out;
  for (const std::string& a : c.axes) out += (out.empty() ? "" : ",") + a;
  return out + " (" + std::to_string(c.devices) + ")";
}

std::string kinds_text(const Explanation& e, const std::vector<CollectiveGroup>& groups, std::size_t from) {
  std::map<std::string, int> kinds;
  for (std::size_t i = from; i < groups.size(); ++i) kinds[e.collectives[groups[i].first].kind] += groups[i].count;
  std::string out;
  for (const auto& [kind, count] : kinds) out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
