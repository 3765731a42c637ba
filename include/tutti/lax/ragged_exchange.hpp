// The exchange of slices of different lengths. Not part of tutti.hpp: include this file.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::lax {

/// Rows that each device sends to the others: entry i of these arrays (int32[k n] for n devices along `axes`) is
/// for device i / k.
struct RaggedBlocks {
  Array input_offsets;   // where the slice begins in this device's operand
  Array send_sizes;      // how many rows it has
  Array output_offsets;  // where the receiver's output takes it
  Array recv_sizes;      // how many rows this device gets: send_sizes, exchanged by all_to_all
};
/// `output` with the slices that the devices along `axes` send here, each at its place; slices do not overlap. Every
/// operand travels whole, since messages have one size. Inside shard_map, pmap and vmap(axis_name). Throws ShapeError
/// and TypeError when the arrays do not fit. Source: jax.lax.ragged_all_to_all.
Array ragged_all_to_all(const In& operand, const In& output, const RaggedBlocks& blocks, const Names& axes);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
