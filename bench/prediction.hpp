// `tutti_bench --cores 2,8,16,64`: what a case would take on more cores than there are here.
#pragma once

#include <string>
#include <vector>

#include "case.hpp"

namespace bench {

/// The machine that is asked about. Each is an assumption that the table's head repeats.
struct ManyCores {
  std::vector<int> cores = {2, 8, 16, 64};
  double bandwidth = 0;   // GB/s of memory, all cores; 0: 10 for each core, up to 300
  double cache = 2;       // MiB a core, of what need not come from memory again
  double meeting = 0.25;  // us for each doubling of the threads: to begin tasks on awake ones and to meet at the end
  double handing = 0.06;  // us in which one task is handed out: one after the other
};

struct PredictionOptions {
  ManyCores machine;
  int devices = 8, rounds = 3;
  std::string json;
};

/// A table: each case with each number of cores. Each task is measured alone, on one thread; the schedule is computed.
/// Where this machine has as many cores, the time measured with them stands beside it. 1 when a case fails.
int predict(const std::vector<Case>& cases, const PredictionOptions& options);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
