// The machine that a user has described, for those who have to know whether one was.
#pragma once

#include <optional>

#include "tutti/base/machine.hpp"

namespace tutti::config {

/// Nothing as long as it is the default one.
std::optional<Machine> given_machine();
/// A number that changes with it.
unsigned long machine_generation();

}  // namespace tutti::config

// SPDX-License-Identifier: Apache-2.0
