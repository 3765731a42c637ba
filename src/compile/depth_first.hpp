// Products and loops that run a few rows at a time, all of them, from the first to the last.
#pragma once

#include "compile/plan.hpp"

namespace tutti::compile {

/// Brings steps in an order in which those of a stage by rows follow each other: these stages, with what they keep for
/// a chunk of rows alone. Nothing but the order of steps and the kinds of storages changes.
std::vector<Stage> depth_first(Plan& plan);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
