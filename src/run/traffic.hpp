// Counters of what executions really send.
#pragma once

#include "tutti/debug/traffic.hpp"

namespace tutti::run {

/// Adds `row` to that of its kind and axes.
void add(Traffic& to, const Traffic::Row& row);

/// What all executions of the process sent since the last reset.
Traffic traffic();
void count_traffic(const Traffic& sent);
void reset_traffic();

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
