// Moves to other devices, as un-jitted transformations record them; inside jit a device_put is a sharding_constraint.
// The runtime does them itself (api/runtime.cpp): on one host they are labels.
#pragma once

#include "ir/home.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti::ops {

struct DevicePut {
  Sharding sharding;
  bool operator==(const DevicePut&) const = default;
};

/// Operands: x, and x again without its derivative, which says where the cotangent goes. Source: jax.device_put.
extern const Home device_put;
/// Operands: x, and an array of its type, where x goes.
extern const Home put_back;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
