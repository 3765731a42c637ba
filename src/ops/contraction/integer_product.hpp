// Products of integer matrices in tiles: wrapped sums come out the same in any order.
#pragma once

#include <cstdint>

#include "ir/op.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {

/// Where elements of one operand lie: the sum of one number of each list.
struct IntegerMatrices {
  HostView data;
  Dims batch, free, contract;
};

/// out[b, m, n] = sum over k of lhs[b, m, k] rhs[b, n, k], modulo two to the power of the bits of `out`, which are
/// integers or bools (of these it is "or"). Both operands have one dtype.
void integer_product(const IntegerMatrices& lhs, const IntegerMatrices& rhs, const HostView& out);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
