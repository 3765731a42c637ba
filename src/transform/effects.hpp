// Programs that tell somebody outside (Op::effect), where a transformation computes them twice or for elements that do
// not take part.
#pragma once

#include <cstddef>

#include "ir/op.hpp"

namespace tutti {

/// The program with one more input, a bool scalar, as number `at`: its effects happen where that holds. `axes`: those
/// that it may name.
ProgramPtr guarded(const Program& program, std::size_t at, const NamedAxes& axes = {});
/// The program without its effects, also in sub-programs: for what is computed again. Itself when it has none.
/// UnsupportedError where an effect has results, which nobody could compute again.
ProgramPtr without_effects(const ProgramPtr& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
