// The machine that a user has described, for those who have to know whether one was.
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/base/machine.hpp"

namespace tutti::config {

/// Nothing as long as it is the default one.
std::optional<Machine> given_machine();
/// Its number among all that were described: 0 is the default one. Throws as config::machine.
std::uint64_t number_of(const Machine& machine, Loc loc);

}  // namespace tutti::config

// SPDX-License-Identifier: Apache-2.0
