// The one rule about devices: one ordered list per program. Who breaks it is told in JAX's words.
#pragma once

#include <span>
#include <string>

#include "tutti/base/error.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// Something that names devices in a call: `argument x of add with shape int32[24] and`, `sharding_constraint inside
/// jit with`.
struct Placed {
  std::string text;
  Sharding sharding;
  Loc loc;  // printed where known
};
/// `argument x of add with shape int32[24] and`.
std::string argument_text(const std::string& argument, const std::string& function, const std::string& type);
/// All device lists must be equal, in order: else a DeviceError names the first two that clash. Empty shardings fit
/// everywhere.
void check_devices(std::span<const Placed> placed);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
