#pragma once

#include <vector>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

/// Decides comparisons and choices among constants, makes one rotation of two shifts by constants and their union, and
/// leaves out what nobody reads: so that a body is as long, and holds as many registers, as its machine code. Keeps
/// bits.
void fold(KernelSpec& spec);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
