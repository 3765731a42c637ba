// What convolutions and window reductions share: the extents of windows, and the array as the elements of a window see
// it.
#pragma once

#include <utility>
#include <vector>

#include "tutti/lax/windows.hpp"

namespace tutti::lax {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The extent of `n` elements with `dilation` - 1 others between them.
std::int64_t spread(std::int64_t n, std::int64_t dilation);
Dims spread(const Dims& extents, const Dims& dilation);
/// `list`, or ones; every entry at least 1.
Dims ones_or(const char* op, const char* what, const Dims& list, std::size_t n);
/// The last dims of x with `value` around (pairs) and between (dilation) their elements.
Array padded(const Array& x, const Array& value, const Pairs& pairs, const Dims& dilation);
/// How many windows fit in each of these dims.
Dims counts(const Shape& padded, const Dims& window, const Dims& strides, const Dims& dilation);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
