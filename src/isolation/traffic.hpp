// Counters of what executions really send.
#pragma once

#include <string>
#include <vector>

#include "tutti/debug/traffic.hpp"

namespace tutti::run {

/// Adds one executed collective: bytes and messages received per device.
void count_traffic(const std::string& kind, const std::string& axes, double bytes, std::int64_t messages);
Traffic traffic();
void reset_traffic();

}  // namespace tutti::run
