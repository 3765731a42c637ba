// The generator: threefry2x32 and what is counted with it.
#pragma once

#include <utility>

#include "tutti/array/array.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::random {

/// The two words of one key, scalars, and which kind of key they came from.
struct Words {
  Array high, low;
  bool typed = false;
};
/// TypeError unless `key` is one key; ValueError for an array of keys.
Words words_of(const Array& key, const char* function);

/// 20 rounds on pairs of counters of equal shape.
std::pair<Array, Array> threefry2x32(const Words& key, Array x0, Array x1);
/// The row-major position of every element, in words (high, low).
std::pair<Array, Array> positions(const Shape& shape);
/// Original layout: the first half of the counters is paired with the second.
Array hash_counts(const Words& key, std::int64_t n);
/// uint{8,16,32,64} bits in the layout that is set.
Array random_bits(const Words& key, const Shape& shape, DType dtype);
/// Two keys, as words.
std::pair<Words, Words> split_words(const Words& key);

/// ShapeError, naming the function, for a negative extent; UnsupportedError for more elements than one draw can have.
void check_shape(const char* function, const Shape& shape);
/// A strong scalar of `dtype`; and one repeated to a shape.
Array constant(DType dtype, double value);
Array constant(DType dtype, double value, const Shape& shape);
/// x broadcast to `shape`, aligned at the right.
Array spread(const Array& x, const Shape& shape, const char* function);

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
