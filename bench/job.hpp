// A job of several processes that answers one case after the other, ours or JAX's.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace bench {

struct Job {
  std::vector<std::string> command;                // the names of cases are put behind it
  std::map<std::string, std::string> environment;  // besides this process's own
};

struct Times {
  double min_ms = 0, median_ms = 0;
};
struct Answers {
  std::map<std::string, Times> times;          // by case
  std::map<std::string, std::string> missing;  // by case: why there is none
  int restarts = 0;
};

/// Runs the job for these cases. One that dies or is silent for minutes is killed with all its processes and started
/// anew for the cases that are left; one that fails twice in one case goes on with the next.
Answers run_job(const Job& job, std::vector<std::string> cases);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
