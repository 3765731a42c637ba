// The devices that golden files name by number.
#pragma once

#include "tutti/base/config.hpp"
#include "tutti/mesh/mesh.hpp"

namespace tutti::golden {

/// Of the platform that the tests run on.
inline Device device(int id) {
  return config::platform() == "simulated" ? Device(id, "simulated", "simulated") : Device(id);
}

}  // namespace tutti::golden

namespace golden {
using tutti::golden::device;
}

// SPDX-License-Identifier: Apache-2.0
