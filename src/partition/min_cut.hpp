// Least cost of yes-or-no decisions of which pairs would rather be alike. Source: V. Kolmogorov, R. Zabih, What energy
// functions can be minimized via graph cuts (2004); the flow by E. A. Dinic (1970).
#pragma once

#include <vector>

namespace tutti {

class MinCut {
 public:
  explicit MinCut(int decisions) : yes_(static_cast<std::size_t>(decisions), 0) { edges_.resize(yes_.size() + 2); }

  /// What a yes costs more than a no; infinite where it is not to be.
  void add(int decision, double cost) { yes_[static_cast<std::size_t>(decision)] += cost; }
  /// What it costs, not less than 0, that `b` is yes where `a` is no.
  void add(int a, int b, double cost);
  /// By decision, whether it is yes. As few as can be where several are best.
  std::vector<char> solve();

 private:
  struct Edge {
    int to, back;  // back: the number of the opposite edge among those of `to`
    double left;
  };
  void connect(int from, int to, double capacity);
  bool find_levels(int source, int sink);
  void push(int source, int sink);

  std::vector<double> yes_;
  std::vector<std::vector<Edge>> edges_;  // by node: decisions, no, yes
  std::vector<int> level_, next_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
