// Which nodes and values of a graph are alike: the layers of a model. What is alike is chosen alike, at the price of
// one layer.
#pragma once

#include <vector>

#include "partition/graph.hpp"

namespace tutti {

/// Numbers of classes, in the order in which they appear.
struct Likeness {
  std::vector<int> nodes, values;
  int node_classes = 0, value_classes = 0;
};

/// Nodes with the same rows that run as often; values of one size between such.
Likeness alike(const Graph& graph);
/// Everything is itself.
Likeness all_apart(const Graph& graph);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
