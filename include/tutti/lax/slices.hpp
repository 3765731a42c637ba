// Slices along one dim, by numbers known now or by scalar arrays. Source: jax.lax.
#pragma once

#include <optional>

#include "tutti/array/array.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::lax {

/// x[start:limit:stride] along a dim; bounds count from the end where they are negative, and are clipped.
Array slice_in_dim(const In& x, std::optional<std::int64_t> start, std::optional<std::int64_t> limit,
                   std::int64_t stride = 1, int axis = 0);
Array index_in_dim(const In& x, std::int64_t index, int axis = 0, bool keepdims = true);
/// `start` is a scalar integer array or a number; negative ones count from the end, then it is clamped so that the
/// slice fits.
Array dynamic_slice_in_dim(const In& x, const Operand& start, std::int64_t size, int axis = 0);
Array dynamic_index_in_dim(const In& x, const Operand& index, int axis = 0, bool keepdims = true);
/// x with `update` from `start` on; update's other extents are x's, or less from 0 on.
Array dynamic_update_slice_in_dim(const In& x, const In& update, const Operand& start, int axis);
/// The same with an update of extent 1, which may be without the dim.
Array dynamic_update_index_in_dim(const In& x, const In& update, const Operand& index, int axis);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
