// Counts of the messages and bytes sent between devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti {

/// Messages and bytes that each device received since the last reset: `debug::traffic()`.
struct Traffic {
  struct Row {
    std::string kind;           // all_gather, all_reduce, reduce_scatter, all_to_all, permute
    std::string axes;           // `x`, `x,y`
    std::int64_t count = 0;     // collectives executed
    std::int64_t messages = 0;  // per device
    double bytes = 0;           // per device
  };
  std::vector<Row> rows;  // by kind, then axes
  double bytes() const {
    double out = 0;
    for (const Row& r : rows) out += r.bytes;
    return out;
  }
  std::int64_t messages() const {
    std::int64_t out = 0;
    for (const Row& r : rows) out += r.messages;
    return out;
  }
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
