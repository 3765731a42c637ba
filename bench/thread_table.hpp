// A row per case and a column per number of threads, JAX beside them.
#pragma once

#include "case.hpp"

namespace bench {

struct ThreadTableOptions {
  std::vector<int> threads;
  int devices = 1, rounds = 3;
  double limit = 0;                  // seconds after which no case begins; 0: none
  std::string json, python, script;  // python: one with jax, or empty
};

/// Prints the machine's name and the table, and writes them as JSON. 1 where a case fails, else 0.
int print_thread_table(const std::vector<Case>& cases, const ThreadTableOptions& options);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
