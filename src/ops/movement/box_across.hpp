// Boxes of an array along a dim that is cut: where every device has one block of it, what dynamic_slice, slice and
// dynamic_update_slice mean is what each does with the part of the box that lies in its block.
#pragma once

#include "ir/across.hpp"
#include "ir/op.hpp"

namespace tutti::ops {

/// Of `block` the box of `sizes` that starts, in the whole array, at `starts` (one scalar per dim, in bounds but for
/// line.dim, which is clamped here): each device gives its part, the sum of all is the box. `sizes` are those of the
/// box on this device.
Array read_across(const Array& block, std::vector<Array> starts, const Shape& sizes, const Line& line);
/// Bytes that each of `blocks` devices receives for it; nothing for elements that do not add.
std::optional<double> received_to_read(DType dtype, const Shape& sizes, std::int64_t blocks);

/// `block` with the part of `update` that lies in it; starts as above. Nothing is sent.
Array write_across(const Array& block, const Array& update, std::vector<Array> starts, const Line& line);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
