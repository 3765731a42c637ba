// What array and trace need from the stages above them; src/api fills it in.
#pragma once

#include <vector>

#include "ir/op.hpp"
#include "ir/program.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

/// Runs one operation on concrete arrays, now: a one-Eqn program, cached by op, parameters and operand types with
/// shardings.
std::vector<Array> run_eagerly(const Op& op, const Params& params, const std::vector<Array>& operands,
                               const std::vector<ProgramPtr>& subs);

/// A concrete array with the same values under another sharding, which fits it.
Array relocated(const Array& x, const Sharding& sharding, bool committed);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
