// The processors of this process: what its affinity, the machine and the quotas of containers leave it.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace tutti::run {

struct Processors {
  struct Node {                   // of memory (NUMA)
    std::vector<int> processors;  // that may be used, by number
    int cores = 0;                // to which they belong: fewer where a core has several hyper-threads
  };
  std::vector<Node> nodes;  // those with processors, at least one
  /// CPU time per time, of this process and all others in its containers.
  double quota = std::numeric_limits<double>::infinity();

  int cores() const;
  /// As many as there are cores and as the quota lets run all the time, at least one: with one more, all of them would
  /// be stopped for a part of every period.
  int threads() const;
  /// The node of a thread when all threads fill node after node, a thread a core.
  const Node& node_of(int thread) const;
};

/// Logical processors on which the calling thread or the process's first one may run; empty where the system does not
/// say.
std::vector<int> affinity_mask();

/// `mask`: which may be used; empty: all. Of hyper-threads, nodes and quotas the files below root/sys and root/proc
/// tell; what they do not tell does not restrict.
Processors read_processors(const std::vector<int>& mask, const std::string& root = "");

/// Lets the calling thread run on these alone; not if there are none.
void run_on(const std::vector<int>& processors);

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
