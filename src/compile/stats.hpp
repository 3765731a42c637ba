// Figures of one compiled program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutti {

/// What became of one donated input: reused in place by an output, or why not.
struct Donation {
  int input = 0;
  int output = -1;     // the output that takes its memory, or -1
  std::string reason;  // when not reused
};

struct PlanStats {
  std::size_t argument_bytes = 0, output_bytes = 0;
  std::size_t temporary_bytes = 0;  // the slab of intermediate values
  std::size_t peak_bytes = 0;       // arguments + outputs + temporaries - donated and reused
  int tasks = 0, kernels = 0;       // tasks of one run; different machine code bodies
  int fallbacks = 0;                // Eqns run by their op's eval
  std::vector<Donation> donations;  // of the inputs that compile() was told may be donated
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
