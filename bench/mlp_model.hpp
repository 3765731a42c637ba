// The multilayer perceptron of several cases.
#pragma once

#include <cmath>

#include "case.hpp"

namespace bench {

struct Dense {
  Array weight{}, bias{};
};
using Network = std::vector<Dense>;

inline Array predict(const Network& network, const Array& x) {
  Array h = x;
  for (std::size_t i = 0; i < network.size(); ++i) {
    h = matmul(h, network[i].weight) + network[i].bias;
    if (i + 1 < network.size()) h = maximum(h, 0);
  }
  return h;
}

inline Array squared_error(const Network& network, const Array& x, const Array& y) {
  return square(predict(network, x) - y).sum(-1).mean();
}

/// Layers of those widths: replicated, or split in turn over the columns and the rows of y, the last one whole.
inline Network make_network(const Setup& s, const std::vector<int>& widths, bool split) {
  Network network;
  std::vector<Array> keys = random::split(random::key(0), static_cast<int>(widths.size()));
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    PartitionSpec weight, bias;
    if (split && i + 2 < widths.size()) {
      if (i % 2 == 0) {
        weight = P(none, "y");
        bias = P("y");
      } else
        weight = P("y", none);
    }
    Array w = random::normal(keys[i], {widths[i], widths[i + 1]}) / std::sqrt(static_cast<float>(widths[i]));
    network.push_back({device_put(w, s.at(weight)), device_put(zeros({widths[i + 1]}), s.at(bias))});
  }
  return network;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
