// How rows are sorted: their elements as words (the element's order above its position), by digits where there are
// many.
#pragma once

#include <cstdint>
#include <span>

#include "ir/op.hpp"
#include "ops/reduction/sort.hpp"

namespace tutti::ops {

/// Writes the rows of `in`, sorted as `how` says, to `out`. The dtypes of the keys have an order. Many rows, and a long
/// one, are shared among the workers; what comes out does not depend on them.
void sort_rows(const Sort& how, std::span<const HostView> in, std::span<const HostView> out);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
