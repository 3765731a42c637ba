#pragma once

#include "ir/home.hpp"
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

}  // namespace tutti::ops
