#include "partition/homes.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "partition/graph.hpp"

namespace tutti {
namespace {

// Dims of values that are one, by what the nodes do with them.
class Classes {
 public:
  Classes(const Graph& graph, std::int64_t devices) {
    for (const GraphValue& v : graph.values) {
      first_.push_back(static_cast<int>(above_.size()));
      for (int d = 0; d < v.sizes.shape.ndim(); ++d) above_.push_back(static_cast<int>(above_.size()));
    }
    for (const Node& n : graph.nodes)
      if (n.rows) note(n, devices);
  }

  int find(int value, int dim) const { return find(first_[static_cast<std::size_t>(value)] + dim); }
  int count() const { return static_cast<int>(above_.size()); }

  // What stands for a factor is one. A dim of several is counted by the first of them, where all devices divide that.
  void note(const Node& node, std::int64_t devices) {
    const Factors& rule = node.rows->rule();
    std::map<int, int> known;  // by factor
    auto note_all = [&](const std::vector<Factors::Dims>& dims, const std::vector<int>& values) {
      for (std::size_t i = 0; i < values.size() && i < dims.size(); ++i)
        for (std::size_t d = 0; values[i] >= 0 && d < dims[i].size(); ++d) {
          const std::vector<int>& factors = dims[i][d];
          if (factors.empty() || (factors.size() > 1 && rule.factors[factors[0]].size % devices != 0)) continue;
          const int dim = find(values[i], static_cast<int>(d));
          const auto [at, fresh] = known.try_emplace(factors[0], dim);
          if (!fresh) above_[dim] = find(at->second);
        }
    };
    note_all(rule.operands, node.operands);
    note_all(rule.results, node.results);
  }

 private:
  int find(int dim) const {
    while (above_[dim] != dim) dim = above_[dim] = above_[above_[dim]];
    return dim;
  }

  std::vector<int> first_;  // by value
  mutable std::vector<int> above_;
};

bool begins_with(const AxisRefs& refs, const AxisRefs& prefix) {
  return prefix.size() <= refs.size() && std::equal(prefix.begin(), prefix.end(), refs.begin());
}

// What is placed from outside, by class.
struct Placed {
  std::vector<AxisRefs> first;    // the longest list of axes, which begins with all others ...
  std::vector<char> contradicts;  // ... but for some
};
Placed placed(const Graph& graph, const Classes& classes) {
  const auto n = static_cast<std::size_t>(classes.count());
  Placed out{std::vector<AxisRefs>(n), std::vector<char>(n, 0)};
  auto place = [&](int value, const Layout& layout) {
    for (int d = 0; value >= 0 && d < layout.ndim(); ++d) {
      const int c = classes.find(value, d);
      if (begins_with(layout.dims[d], out.first[c]))
        out.first[c] = layout.dims[d];
      else if (!begins_with(out.first[c], layout.dims[d]))
        out.contradicts[c] = 1;
    }
  };
  for (const Node& node : graph.nodes) {
    if (node.rows) continue;
    for (std::size_t o = 0; o < node.operands.size(); ++o) place(node.operands[o], node.fixed.operands[o]);
    for (std::size_t r = 0; r < node.results.size(); ++r) place(node.results[r], node.fixed.results[r]);
  }
  return out;
}

}  // namespace

std::vector<char> sets(const Homes& homes) {
  std::vector<char> out;
  for (const AxisRefs& home : homes) out.push_back(!home.empty());
  return out;
}

Layout as_sets(Layout layout, const Homes& homes) {
  for (std::size_t d = 0; d < homes.size(); ++d)
    if (!homes[d].empty()) std::sort(layout.dims[d].begin(), layout.dims[d].end());
  return layout;
}

AxisRefs at_home(AxisRefs refs, const AxisRefs& home) {
  auto place = [&](const AxisRef& r) { return std::find(home.begin(), home.end(), r); };
  std::sort(refs.begin(), refs.end(), [&](const AxisRef& a, const AxisRef& b) { return place(a) < place(b); });
  return refs;
}

bool lies_together(const AxisRefs& refs, const AxisRefs& home) { return begins_with(home, refs); }

bool contradicts(const Graph& graph, std::int64_t devices) {
  const std::vector<char> all = placed(graph, Classes(graph, devices)).contradicts;
  return std::any_of(all.begin(), all.end(), [](char c) { return c != 0; });
}

void settle(Graph& graph, Planner& planner, const AxisRefs& axes) {
  const std::int64_t devices = ways(axes);
  const Classes classes(graph, devices);
  const Placed outside = placed(graph, classes);
  std::vector<char> ordered = outside.contradicts;
  for (std::size_t v = 0; v < graph.values.size(); ++v)
    for (int d = 0; d < graph.values[v].sizes.shape.ndim(); ++d)
      if (graph.values[v].sizes.shape[d] % devices != 0) ordered[classes.find(static_cast<int>(v), d)] = 1;
  auto home_of = [&](int value, int d) {
    const int c = classes.find(value, d);
    if (ordered[c]) return AxisRefs{};
    AxisRefs out = outside.first[c];
    for (const AxisRef& a : axes)
      if (std::find(out.begin(), out.end(), a) == out.end()) out.push_back(a);
    return out.size() == axes.size() ? out : AxisRefs{};  // parts of axes have no home
  };
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    GraphValue& value = graph.values[v];
    for (int d = 0; d < value.sizes.shape.ndim(); ++d) value.homes.push_back(home_of(static_cast<int>(v), d));
    value.sizes.sets = sets(value.homes);
    value.size = planner.valued(value.sizes);
  }
  // Nodes that shared their rows still do where the homes are the same.
  using Key = std::pair<const RowTable*, std::pair<std::vector<Homes>, std::vector<Homes>>>;
  std::map<Key, std::shared_ptr<RowTable>> tables;
  for (Node& n : graph.nodes) {
    if (!n.rows) continue;
    auto homes = [&](const std::vector<int>& values) {
      std::vector<Homes> out;
      for (int v : values) out.push_back(v < 0 ? Homes{} : graph.values[static_cast<std::size_t>(v)].homes);
      return out;
    };
    const Key key{n.rows.get(), {homes(n.operands), homes(n.results)}};
    std::shared_ptr<RowTable>& table = tables[key];
    if (!table) table = std::make_shared<RowTable>(*n.rows, key.second.first, key.second.second);
    n.rows = table;
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
