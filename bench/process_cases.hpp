// Cases of several processes: what each process of a job runs and times.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct ProcessCase {
  std::string name;
  double must;                                  // JAX / tutti on two processes that it is to reach; 0: none
  std::function<std::function<void()>()> make;  // on all devices of the job; nothing for the start itself
  std::string beside{};                         // the case whose time, divided by this one's, is to reach:
  double beside_must = 0;
  bool by_name = false;     // it runs only when it is asked for
  bool ours_alone = false;  // JAX's side has nothing like it
};
std::vector<ProcessCase> process_cases();
std::vector<ProcessCase> process_file_cases();

/// Runs in each process of a job: the named cases in order. Process 0 prints a line of JSON for each, {"name",
/// "min_ms", "median_ms"}, of calls that are waited for one by one for about that many seconds.
void run_process_cases(const std::vector<std::string>& names, double seconds);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
