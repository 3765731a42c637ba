// Random numbers without hidden state: every draw is a function of a key. The numbers are those of jax.random
// (threefry2x32).
//
//     Array key = random::key(0);
//     auto [k1, k2] = random::split<2>(key);            // use each key once
//     Array x = random::normal(k1, {4, 8});             // float32, standard normal
//     Array i = random::randint(k2, {3}, 0, 10);        // int32 in [0, 10)
//
// A key is a typed scalar (random::key) or its two words, uint32[2] (random::PRNGKey); results are of the same kind.
// For many keys use vmap. config::threefry_partitionable chooses the layout. Where no dtype is asked for it is float32,
// int32 or uint32, with enable_x64 the one of 64 bits, as in JAX.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/config.hpp"

namespace tutti::random {

namespace detail {
Array key_of(std::int64_t seed, bool typed, Loc loc);
Array key_of(const Array& seed, bool typed, Loc loc);
std::vector<Array> split(const Array& key, std::int64_t n, Loc loc);
Array permutation_of(const In& key, std::int64_t n);
}  // namespace detail

/// A key from a seed. Seeds beyond 32 bits count in full with enable_x64, else by their low 32 bits, as in JAX. An
/// array seed is an integer scalar.
template <Integer T> Array key(T seed, Loc loc = Loc::current()) {
  return detail::key_of(static_cast<std::int64_t>(seed), true, loc);
}
inline Array key(const Array& seed, Loc loc = Loc::current()) { return detail::key_of(seed, true, loc); }
/// The same as uint32[2].
template <Integer T> Array PRNGKey(T seed, Loc loc = Loc::current()) {
  return detail::key_of(static_cast<std::int64_t>(seed), false, loc);
}
inline Array PRNGKey(const Array& seed, Loc loc = Loc::current()) { return detail::key_of(seed, false, loc); }
/// uint32[..., 2] of typed keys, and back.
Array key_data(const In& keys);
Array wrap_key_data(const In& words);

/// N independent keys: `auto [a, b] = random::split<2>(key);`.
template <int N> std::array<Array, std::size_t{N}> split(const Array& key, Loc loc = Loc::current()) {
  std::vector<Array> keys = detail::split(key, N, loc);
  std::array<Array, std::size_t{N}> out;
  std::move(keys.begin(), keys.end(), out.begin());
  return out;
}
inline std::vector<Array> split(const Array& key, int n = 2, Loc loc = Loc::current()) {
  return detail::split(key, n, loc);
}
/// The same keys as one array of that shape (raw keys: with a last dim of 2), for vmap.
Array split_array(const In& key, const Shape& shape);
/// A key that depends on key and data: for one stream per step or device.
Array fold_in(const In& key, const Operand& data);

/// Uniform random bits: uint8, uint16, uint32 or (x64) uint64.
Array bits(const In& key, const Shape& shape = {}, DType dtype = canonical(uint64));
/// In [lo, hi); bounds broadcast to the shape.
Array uniform(const In& key, const Shape& shape = {}, const Operand& lo = 0.f, const Operand& hi = 1.f,
              DType dtype = canonical(float64));
Array uniform(const In& key, const Shape& shape, DType dtype);
/// Mean 0, standard deviation 1.
Array normal(const In& key, const Shape& shape = {}, DType dtype = canonical(float64));
/// Normal, cut to (lower, upper).
Array truncated_normal(const In& key, const Operand& lower, const Operand& upper, const Shape& shape = {},
                       DType dtype = canonical(float64));

/// A bound of randint: a number of any size, or an integer array.
struct Limit {
  std::optional<std::int64_t> number;
  Array array;
  template <Integer T> Limit(T v) : number(static_cast<std::int64_t>(v)) {}
  Limit(const Array& a) : array(a) {}
};
/// Integers in [lo, hi); where hi <= lo always lo.
Array randint(const In& key, const Shape& shape, const Limit& lo, const Limit& hi, DType dtype = canonical(int64));

/// How finely a draw is resolved near its bounds: `high` takes two random words per element.
enum class Resolution { low, high };
constexpr Choices choices_of(Resolution) { return {"random", "mode", "low high"}; }
/// True with probability p, of p's shape unless one is given.
Array bernoulli(const In& key, const Operand& p = 0.5f);
Array bernoulli(const In& key, const Operand& p, const Shape& shape, OneOf<Resolution> mode = Resolution::low);
Array rademacher(const In& key, const Shape& shape = {}, DType dtype = canonical(int64));
/// 0 to n - 1 in random order.
template <Integer T> Array permutation(const In& key, T n) {
  return detail::permutation_of(key, static_cast<std::int64_t>(n));
}
/// x shuffled along an axis; `independent`: every row on its own.
Array permutation(const In& key, const Array& x, int axis = 0, bool independent = false);

struct ChoiceOptions {
  bool replace = true;
  Array p = {};  // probabilities; empty: all equal
  int axis = 0;
};
namespace detail {
Array choice_of(const In& key, std::int64_t n, const Shape& shape, const ChoiceOptions& options);
}
/// Draws from 0 to n - 1, or from the slices of x along an axis. ValueError when more are asked for than there are
/// without replacement.
template <Integer T> Array choice(const In& key, T n, const Shape& shape = {}, const ChoiceOptions& options = {}) {
  return detail::choice_of(key, static_cast<std::int64_t>(n), shape, options);
}
Array choice(const In& key, const Array& x, const Shape& shape = {}, const ChoiceOptions& options = {});
/// Classes by unnormalised log probabilities along `axis`; without a shape one per row of the others. Without
/// replacement always int32, as in JAX.
Array categorical(const In& key, const Array& logits, int axis = -1);
Array categorical(const In& key, const Array& logits, int axis, const Shape& shape, bool replace = true);

Array gumbel(const In& key, const Shape& shape = {}, DType dtype = canonical(float64),
             OneOf<Resolution> mode = Resolution::low);
Array exponential(const In& key, const Shape& shape = {}, DType dtype = canonical(float64));
Array laplace(const In& key, const Shape& shape = {}, DType dtype = canonical(float64));
Array logistic(const In& key, const Shape& shape = {}, DType dtype = canonical(float64));
Array cauchy(const In& key, const Shape& shape = {}, DType dtype = canonical(float64));
/// exp(sigma * normal).
Array lognormal(const In& key, const Operand& sigma = 1.f, const Shape& shape = {}, DType dtype = canonical(float64));

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
