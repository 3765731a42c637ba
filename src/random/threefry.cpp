#include "random/threefry.hpp"

#include <array>

#include "tutti/base/call_scope.hpp"
#include "tutti/base/config.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::random {
namespace {

Array u32(std::uint32_t v) { return array_from_scalar(Scalar(v), false); }

Array rotated(const Array& x, int by) {
  return lax::bitwise_or(lax::shift_left(x, u32(by)), lax::shift_right_logical(x, u32(32 - by)));
}

Array piece(const Array& x, std::int64_t from, std::int64_t to) { return lax::slice(x, {from}, {to}); }
Array element(const Array& x, std::int64_t i) { return lax::reshape(piece(x, i, i + 1), Shape{}); }

}  // namespace

Words words_of(const Array& key, const char* function) {
  if (!key.has_value())
    raise<TypeError>(function, "the key is empty (no array here)", "A key comes from random::key(seed).");
  bool typed = key.dtype().is_key();
  if (!typed && (key.dtype() != uint32 || key.ndim() == 0 || key.shape().back() != 2))
    raise<TypeError>(function, "the key is " + type_text(key), "A key comes from random::key(seed), or is uint32[2].");
  if (key.ndim() != (typed ? 0 : 1))
    raise<ValueError>(function, "it takes one key, not " + type_text(key), "Map over keys with vmap.");
  Array data = typed ? lax::random_unwrap(key) : key;
  return {element(data, 0), element(data, 1), typed};
}

std::pair<Array, Array> threefry2x32(const Words& key, Array x0, Array x1) {
  static constexpr std::array<std::array<int, 4>, 2> rotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};
  const std::array<Array, 3> ks = {key.high, key.low,
                                   lax::bitwise_xor(lax::bitwise_xor(key.high, key.low), u32(0x1BD11BDA))};
  x0 = lax::add(x0, ks[0]);
  x1 = lax::add(x1, ks[1]);
  for (int group = 0; group < 5; ++group) {
    for (int by : rotations[group % 2]) {
      x0 = lax::add(x0, x1);
      x1 = lax::bitwise_xor(rotated(x1, by), x0);
    }
    x0 = lax::add(x0, ks[(group + 1) % 3]);
    x1 = lax::add(x1, lax::add(ks[(group + 2) % 3], u32(group + 1)));
  }
  return {x0, x1};
}

void check_shape(const char* function, const Shape& shape) {
  std::int64_t elements = 1;
  bool many = false, empty = false;
  for (std::int64_t d : shape) {
    if (d < 0)
      raise<ShapeError>(function, "the shape " + shape.str() + " has a negative extent", "Extents are 0 or more.");
    many = many || __builtin_mul_overflow(elements, d, &elements) || elements >> 32;
    empty = empty || d == 0;
  }
  if (many && !empty)
    raise<UnsupportedError>(function, "the shape " + shape.str() + " has 2^32 elements or more",
                            "Split the key and draw parts.");
}

std::pair<Array, Array> positions(const Shape& shape) {
  if (shape.empty()) return {u32(0), u32(0)};
  std::int64_t stride = 1;
  Array high = constant(uint32, 0, shape), low;
  // The high words stay 0 below 2^32 elements; with more, carries would be needed between them.
  for (int d = shape.ndim() - 1; d >= 0; --d) {
    Array i = lax::iota(uint32, shape, d);
    if (stride != 1) i = lax::mul(i, u32(static_cast<std::uint32_t>(stride)));
    low = low.has_value() ? lax::add(i, low) : i;
    stride = extent::mul(stride, shape[d]);  // too large only where another extent is 0
  }
  return {high, low};
}

Array hash_counts(const Words& key, std::int64_t n) {
  std::int64_t half = (n + 1) / 2;
  Array counts = lax::iota(uint32, Shape{n}, 0);
  if (n % 2) counts = lax::pad(counts, u32(0), {{0, 1, 0}});
  auto [a, b] = threefry2x32(key, piece(counts, 0, half), piece(counts, half, 2 * half));
  Array out = lax::concatenate({a, b}, 0);
  return n % 2 ? piece(out, 0, n) : out;
}

Array random_bits(const Words& key, const Shape& shape, DType dtype) {
  int width = static_cast<int>(dtype.size()) * 8;
  if (!dtype.is_unsigned())
    raise<TypeError>("random::bits", "dtype " + std::string(dtype.name()), "Bits are unsigned integers.");
  auto joined = [&](const Array& high, const Array& low) {
    return lax::bitwise_or(lax::shift_left(lax::convert_element_type(high, uint64), constant(uint64, 32)),
                           lax::convert_element_type(low, uint64));
  };
  if (config::threefry_partitionable()) {
    auto [high, low] = positions(shape);
    auto [a, b] = threefry2x32(key, high, low);
    if (width == 64) return joined(a, b);
    return lax::convert_element_type(lax::bitwise_xor(a, b), dtype);
  }
  std::int64_t size = shape.num_elements(), per_word = 32 / std::min(width, 32);
  std::int64_t count = width == 64 ? 2 * size : (size + per_word - 1) / per_word;
  Array words = hash_counts(key, count);
  if (width == 64) words = joined(piece(words, 0, size), piece(words, size, count));
  if (width < 32) {  // little end first
    Shape wide{count, per_word};
    Array shift = lax::mul(lax::iota(uint32, wide, 1), u32(width));
    Array parts = lax::shift_right_logical(lax::broadcast_in_dim(words, wide, {0}), shift);
    parts = lax::convert_element_type(lax::bitwise_and(parts, u32((1u << width) - 1)), dtype);
    words = piece(lax::reshape(parts, Shape{count * per_word}), 0, size);
  }
  return lax::reshape(words, shape);
}

std::pair<Words, Words> split_words(const Words& key) {
  if (config::threefry_partitionable()) {
    auto [high, low] = positions(Shape{2});
    auto [a, b] = threefry2x32(key, high, low);
    return {{element(a, 0), element(b, 0), key.typed}, {element(a, 1), element(b, 1), key.typed}};
  }
  Array w = hash_counts(key, 4);
  return {{element(w, 0), element(w, 1), key.typed}, {element(w, 2), element(w, 3), key.typed}};
}

Array constant(DType dtype, double value) { return array_from_scalar(Scalar(value).to(dtype), false); }
Array constant(DType dtype, double value, const Shape& shape) {
  Array x = constant(dtype, value);
  return shape.empty() ? x : lax::broadcast_in_dim(x, shape, {});
}
Array spread(const Array& x, const Shape& shape, const char* function) {
  if (x.shape() == shape || x.ndim() == 0) return x.shape() == shape ? x : lax::broadcast_in_dim(x, shape, {});
  try {
    return broadcast_to(x, shape);
  } catch (const ShapeError&) {
    raise<ShapeError>(function,
                      "a parameter of shape " + x.shape().str() + " does not broadcast to the shape " + shape.str(),
                      "Give a shape that holds it.");
  }
}

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
