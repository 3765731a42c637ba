// Results that are put together of boxes of operands: what the engine reads where it lies, without a copy.
#pragma once

#include "ir/op.hpp"

namespace tutti::ops {

/// The box of the result from `start` on is the box of an operand from `from` on (all of it the same element where the
/// operand is a scalar).
struct Piece {
  int operand = 0;
  std::vector<std::int64_t> start, extents, from;
};

/// Boxes that cover the result of concatenate, roll or pad, each element once; none where an op is not like that.
std::vector<Piece> pieces_of(const Call& call, const Type& result);

}  // namespace tutti::ops
