#pragma once

#include "ir/home.hpp"
#include "ops/movement/gather.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct Scatter {  // operands: x, indices, updates
  lax::ScatterDims dims;
  lax::GatherMode mode = lax::GatherMode::fill;
  friend bool operator==(const Scatter&, const Scatter&) = default;
};

extern const Home scatter, scatter_add, scatter_mul, scatter_min, scatter_max;
const Op& scatter_op(lax::ScatterKind kind);
/// Of one of these.
lax::ScatterKind scatter_kind(const Op& op);
/// The gather of its operand and indices that reads what the scatter writes.
Gather mirror_of(const Call& scatter);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
