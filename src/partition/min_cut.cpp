#include "partition/min_cut.hpp"

#include <algorithm>
#include <limits>

namespace tutti {

namespace {
constexpr double kNothing = 1e-9;  // bytes
}

void MinCut::connect(int from, int to, double capacity) {
  auto &out = edges_[static_cast<std::size_t>(from)], &in = edges_[static_cast<std::size_t>(to)];
  out.push_back({to, static_cast<int>(in.size()), capacity});
  in.push_back({from, static_cast<int>(out.size()) - 1, 0});
}

// Who is on the source's side is a yes.
void MinCut::add(int a, int b, double cost) {
  if (cost > kNothing && a != b) connect(b, a, cost);
}

bool MinCut::find_levels(int source, int sink) {
  level_.assign(edges_.size(), -1);
  level_[static_cast<std::size_t>(source)] = 0;
  std::vector<int> queue{source};
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const Edge& e : edges_[static_cast<std::size_t>(queue[k])])
      if (e.left > kNothing && level_[static_cast<std::size_t>(e.to)] < 0) {
        level_[static_cast<std::size_t>(e.to)] = level_[static_cast<std::size_t>(queue[k])] + 1;
        queue.push_back(e.to);
      }
  return level_[static_cast<std::size_t>(sink)] >= 0;
}

// Along one path at a time; without recursion, as paths are as long as programs.
void MinCut::push(int source, int sink) {
  std::vector<std::pair<int, int>> path;  // node, edge
  int at = source;
  while (true) {
    if (at == sink) {
      double most = std::numeric_limits<double>::infinity();
      for (const auto& [n, k] : path)
        most = std::min(most, edges_[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)].left);
      std::size_t first = path.size();
      for (std::size_t i = path.size(); i-- > 0;) {
        Edge& e = edges_[static_cast<std::size_t>(path[i].first)][static_cast<std::size_t>(path[i].second)];
        e.left -= most;
        edges_[static_cast<std::size_t>(e.to)][static_cast<std::size_t>(e.back)].left += most;
        if (e.left <= kNothing) first = i;
      }
      at = path[first].first;
      path.resize(first);
      continue;
    }
    const auto& edges = edges_[static_cast<std::size_t>(at)];
    int& k = next_[static_cast<std::size_t>(at)];
    while (k < static_cast<int>(edges.size()) &&
           (edges[static_cast<std::size_t>(k)].left <= kNothing ||
            level_[static_cast<std::size_t>(edges[static_cast<std::size_t>(k)].to)] !=
                level_[static_cast<std::size_t>(at)] + 1))
      ++k;
    if (k < static_cast<int>(edges.size())) {
      path.emplace_back(at, k);
      at = edges[static_cast<std::size_t>(k)].to;
    } else if (path.empty()) {
      return;
    } else {
      at = path.back().first;
      path.pop_back();
      ++next_[static_cast<std::size_t>(at)];
    }
  }
}

std::vector<char> MinCut::solve() {
  const int no = static_cast<int>(yes_.size()), yes = no + 1;
  constexpr double kMost = 1e18;
  for (int n = 0; n < no; ++n) {
    const double cost = std::clamp(yes_[static_cast<std::size_t>(n)], -kMost, kMost);
    if (cost > 0) connect(n, no, cost);
    if (cost < 0) connect(yes, n, -cost);
  }
  while (find_levels(yes, no)) {
    next_.assign(edges_.size(), 0);
    push(yes, no);
  }
  std::vector<char> out(yes_.size());
  for (std::size_t n = 0; n < out.size(); ++n) out[n] = level_[n] >= 0;
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
