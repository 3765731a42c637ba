// `tutti_bench --processes N`: several processes of tutti beside as many of JAX.
#pragma once

#include <string>

namespace bench {

struct ProcessOptions {
  int processes = 2, rounds = 3;
  double seconds = 1;  // of one case in one round
  std::string filter, json;
  std::string python;  // with jax; empty: tutti alone
  std::string script;  // of JAX's side
};
/// A table of the cases that `filter` finds, each side in jobs of its own, in turn. 1 when a case of ours has no time.
int compare_processes(const ProcessOptions& options);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
