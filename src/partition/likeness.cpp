#include "partition/likeness.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "partition/min_sum.hpp"

namespace tutti {
namespace {

// Gives equal descriptions equal numbers.
class Numbering {
 public:
  int number(Recipe description) {
    return known_.try_emplace(std::move(description), static_cast<int>(known_.size())).first->second;
  }
  int count() const { return static_cast<int>(known_.size()); }

 private:
  std::unordered_map<Recipe, int, RecipeHash> known_;
};

Recipe described(const Node& node) {
  Recipe out{reinterpret_cast<std::intptr_t>(node.rows.get()), std::bit_cast<std::int64_t>(node.times)};
  if (node.rows) return out;
  for (const auto* layouts : {&node.fixed.operands, &node.fixed.results})
    for (const Layout& l : *layouts) out.push_back(static_cast<std::int64_t>(l.hash()));
  return out;
}

// Itself, who makes it, and who uses it for what, in no order.
Recipe described(const GraphValue& v, const std::vector<int>& nodes) {
  Recipe out{v.size.space,
             std::bit_cast<std::int64_t>(v.size.bytes),
             std::bit_cast<std::int64_t>(v.size.elements),
             std::bit_cast<std::int64_t>(v.times),
             v.producer < 0 ? -1 : nodes[v.producer],
             v.result};
  std::vector<std::pair<int, int>> uses;
  for (const auto& [node, operand] : v.uses) uses.emplace_back(nodes[node], operand);
  std::sort(uses.begin(), uses.end());
  for (const auto& [node, operand] : uses) out.insert(out.end(), {node, operand});
  return out;
}

}  // namespace

Likeness alike(const Graph& graph) {
  Likeness out;
  Numbering nodes, values;
  for (const Node& n : graph.nodes) out.nodes.push_back(nodes.number(described(n)));
  for (const GraphValue& v : graph.values) out.values.push_back(values.number(described(v, out.nodes)));
  out.node_classes = nodes.count();
  out.value_classes = values.count();
  return out;
}

Likeness all_apart(const Graph& graph) {
  Likeness out{std::vector<int>(graph.nodes.size()), std::vector<int>(graph.values.size()),
               static_cast<int>(graph.nodes.size()), static_cast<int>(graph.values.size())};
  std::iota(out.nodes.begin(), out.nodes.end(), 0);
  std::iota(out.values.begin(), out.values.end(), 0);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
