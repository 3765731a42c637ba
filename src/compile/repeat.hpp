// Plans of what loops and branches hold, and the room that they need.
#pragma once

#include "compile/looping.hpp"
#include "compile/plan.hpp"

namespace tutti::compile {

/// The loop with its Plans and its places in a scratch of as many bytes as are returned. Storages, apart from the
/// scratch's size, are the caller's business.
std::int64_t plan_repeat(const Looping& loop, Repeat& repeat);
/// The same of a branch, whose operands are those of every one of `branches`.
std::int64_t plan_branch(const std::vector<ProgramPtr>& branches, Branch& branch);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
