// Keys: from seeds, split, folded, wrapped.
#include "random/threefry.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::random {
namespace {

// Two arrays of words side by side in a new last dim.
Array paired(const Array& high, const Array& low) {
  Shape shape = high.shape();
  shape.push_back(1);
  return lax::concatenate({lax::reshape(high, shape), lax::reshape(low, shape)}, shape.ndim() - 1);
}
Array as_key(const Array& words, bool typed) { return typed ? lax::random_wrap(words) : words; }

Array split_data(const Words& key, const Shape& shape) {
  if (config::threefry_partitionable()) {
    auto [high, low] = positions(shape);
    auto [a, b] = threefry2x32(key, high, low);
    return paired(a, b);
  }
  Shape out = shape;
  out.push_back(2);
  return lax::reshape(hash_counts(key, out.num_elements()), out);
}

}  // namespace

namespace detail {

Array key_of(std::int64_t seed, bool typed, Loc loc) {
  CallScope scope(loc, {"", typed ? "random::key" : "random::PRNGKey", 0});
  std::vector<std::uint32_t> words = {
      static_cast<std::uint32_t>(x64_enabled() ? static_cast<std::uint64_t>(seed) >> 32 : 0),
      static_cast<std::uint32_t>(seed)};
  return as_key(array(words, Shape{2}, loc), typed);
}

Array key_of(const Array& seed, bool typed, Loc loc) {
  const char* function = typed ? "random::key" : "random::PRNGKey";
  CallScope scope(loc, {"", function, 0});
  if (seed.ndim() != 0 || !seed.dtype().is_integer())
    raise<TypeError>(function, "the seed is " + type_text(seed), "A seed is an integer scalar.");
  Array high = constant(uint32, 0), low = lax::convert_element_type(seed, uint32);
  if (seed.dtype().size() == 8) {
    Array all = lax::convert_element_type(seed, uint64);
    high = lax::convert_element_type(lax::shift_right_logical(all, constant(uint64, 32)), uint32);
    low = lax::convert_element_type(lax::bitwise_and(all, constant(uint64, 4294967295.0)), uint32);
  }
  return as_key(paired(high, low), typed);
}

std::vector<Array> split(const Array& key, std::int64_t n, Loc loc) {
  CallScope scope(loc, {"", "random::split", 0});
  return composite(
      "random::split",
      [](const Array& key, std::int64_t n) {
        if (n < 0) raise<ValueError>("random::split", std::to_string(n) + " keys of one", "Ask for 0 or more.");
        Words w = words_of(key, "random::split");
        Array data = split_data(w, Shape{n});
        std::vector<Array> out;
        for (std::int64_t i = 0; i < n; ++i)
          out.push_back(as_key(lax::reshape(lax::slice(data, {i, 0}, {i + 1, 2}), Shape{2}), w.typed));
        return out;
      },
      key, n);
}

}  // namespace detail

Array key_data(const In& keys) {
  CallScope scope(keys.loc);
  return keys.array.dtype().is_key() ? lax::random_unwrap(keys) : keys.array;
}
Array wrap_key_data(const In& words) {
  CallScope scope(words.loc);
  return lax::random_wrap(words);
}

Array split_array(const In& key, const Shape& shape) {
  CallScope scope(key.loc);
  return composite(
      "random::split_array",
      [](const Array& key, const Shape& shape) {
        check_shape("random::split_array", shape);
        Words w = words_of(key, "random::split_array");
        return as_key(split_data(w, shape), w.typed);
      },
      key.array, shape);
}

Array fold_in(const In& key, const Operand& data) {
  CallScope scope(key.loc);
  return composite(
      "random::fold_in",
      [](const Array& key, const Array& data) {
        Words w = words_of(key, "random::fold_in");
        if (data.ndim() != 0 || !data.dtype().is_integer())
          raise<TypeError>("random::fold_in", "the data are " + type_text(data),
                           "Fold in an integer scalar; map over arrays with vmap.");
        auto [a, b] = threefry2x32(w, constant(uint32, 0), lax::convert_element_type(data, uint32));
        return as_key(paired(a, b), w.typed);
      },
      key.array, data.array);
}

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
