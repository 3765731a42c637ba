// What the NumPy-like functions do before the strict layer: JAX's type promotion (weak types included) and
// broadcasting.
#pragma once

#include <vector>

#include "tutti/array/array.hpp"

namespace tutti::ops {

/// A dtype that operands are brought to. Weak: no array decided it, only C++ numbers did.
struct Promotion {
  DType dtype;
  bool weak = false;
};
/// The least type above all of them in JAX's lattice: int32 + float16 = float16, bfloat16 + float16 = float32, int32
/// + 2.5 = weak float32.
Promotion promote(const std::vector<Array>& xs);
/// The same, but integers and bools become float32.
Promotion promote_inexact(const std::vector<Array>& xs);
Promotion inexact(Promotion p);

/// `x`, or a ValueError of function `what` if it holds no array.
const Array& given(const Array& x, const char* what);
/// `x` in that dtype; a number stays a literal.
Array converted(Array x, Promotion p);
/// NumPy's common shape; ShapeError names `what`, the operands and the dim.
Shape common_shape(const char* what, const std::vector<Shape>& shapes);
Shape common_shape(const char* what, const std::vector<Array>& xs);
/// `x` repeated to `shape`, their last dims aligned.
Array spread_to(Array x, const Shape& shape);
/// The same, but scalars stay scalars, because elementwise ops take them beside arrays.
Array spread(Array x, const Shape& shape);
/// Converts and broadcasts all of `xs` for an elementwise op.
void bring_together(const char* what, std::vector<Array>& xs, Promotion p);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
