// What means and sums of squares are made of, for stages that look for them.
#pragma once

#include <optional>
#include <utility>

#include "ir/program.hpp"

namespace tutti::ops {

/// What an Eqn squares; the two whose difference it is; dividend and divisor.
std::optional<Atom> squared(const Eqn& e);
std::optional<std::pair<Atom, Atom>> difference(const Eqn& e);
std::optional<std::pair<Atom, Atom>> quotient(const Eqn& e);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
