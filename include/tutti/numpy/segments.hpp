// Reductions over segments, gcd and lcm, bits as bytes. Source of names and meanings: jax.ops, jax.numpy.
#pragma once

#include <optional>

#include "tutti/array/array.hpp"

namespace tutti {

struct SegmentOptions {
  /// The extent of the result; needed where the ids are traced, else the largest id and 1.
  std::optional<Dim> num_segments = {};
};
/// Sum (product, maximum, minimum) of the slices of x[n, ...] with the same id; ids[n] are integers, others than 0 to
/// num_segments - 1 leave their slices out. What an empty segment gives: 0, 1, the least and the greatest number.
Array segment_sum(const In& x, const In& ids, const SegmentOptions& options = {});
Array segment_prod(const In& x, const In& ids, const SegmentOptions& options = {});
Array segment_max(const In& x, const In& ids, const SegmentOptions& options = {});
Array segment_min(const In& x, const In& ids, const SegmentOptions& options = {});
/// The same with the number of segments alone: `segment_sum(x, ids, 3)`.
template <Integer T> Array segment_sum(const In& x, const In& ids, T num_segments) {
  return segment_sum(x, ids, SegmentOptions{Dim(num_segments)});
}
template <Integer T> Array segment_prod(const In& x, const In& ids, T num_segments) {
  return segment_prod(x, ids, SegmentOptions{Dim(num_segments)});
}
template <Integer T> Array segment_max(const In& x, const In& ids, T num_segments) {
  return segment_max(x, ids, SegmentOptions{Dim(num_segments)});
}
template <Integer T> Array segment_min(const In& x, const In& ids, T num_segments) {
  return segment_min(x, ids, SegmentOptions{Dim(num_segments)});
}

/// For integers, not negative: the greatest common divisor and the least common multiple.
Array gcd(const Operand& x, const Operand& y);
Array lcm(const Operand& x, const Operand& y);

enum class BitOrder { big, little };
constexpr Choices choices_of(BitOrder) { return {"packbits", "bit order", "big little"}; }
/// Eight elements (0, or not) in one uint8, the first in the highest (big) or lowest bit; along an axis or of the flat
/// array, whose end is filled with 0.
Array packbits(const In& x, std::optional<int> axis = {}, OneOf<BitOrder> order = BitOrder::big);
/// The bits of uint8s, as uint8; `count` elements, cut or filled with 0.
Array unpackbits(const In& x, std::optional<int> axis = {}, std::optional<Dim> count = {},
                 OneOf<BitOrder> order = BitOrder::big);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
