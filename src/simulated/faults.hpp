// What goes wrong on simulated devices, on request: so that what depends on devices is seen to bear it.
#pragma once

#include <cstdint>
#include <string>

#include "tutti/mesh/mesh.hpp"

namespace tutti::simulated {

struct Faults {
  double failures = 0;  // the probability that a copy, an allocation or a launch throws
  double delays = 0;    // microseconds that each of them takes longer, at most
  std::uint64_t seed = 0;
};
/// From now on, in all threads; at first as TUTTI_SIMULATED says.
void set_faults(const Faults& faults);

/// Stands where a device could fail: `what` is `a copy of 8 bytes`. Throws Error, which names the device and `what`.
void fault(const Device& device, const std::string& what);

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
