#include "tutti/data/permutation.hpp"

#include <algorithm>
#include <bit>

#include "tutti/base/call_scope.hpp"

namespace tutti::data {
namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;  // of SplitMix64, whose last lines `mixed` is

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

}  // namespace

Permutation::Permutation(std::int64_t n, Key key, std::int64_t epoch) : n_(n) {
  if (n < 0) raise<ValueError>("Permutation", std::to_string(n) + " numbers in another order", "Give n of 0 or more.");
  const auto needed = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1) - 1));
  const unsigned bits = std::max(2u, static_cast<unsigned>(needed));
  high_bits_ = bits / 2;
  low_bits_ = bits - high_bits_;
  std::uint64_t state = mixed(mixed(static_cast<std::uint64_t>(key[0]) << 32 | key[1]) + kStep) +
                        kStep * (static_cast<std::uint64_t>(epoch) + 1);
  state = mixed(state);
  for (std::uint64_t& k : keys_) k = mixed(state += kStep);
}

std::int64_t Permutation::operator()(std::int64_t i) const {
  if (n_ < 2) return i;
  auto x = static_cast<std::uint64_t>(i);
  do {
    unsigned high = high_bits_, low = low_bits_;
    std::uint64_t left = x >> low, right = x & ((std::uint64_t(1) << low) - 1);
    for (std::uint64_t key : keys_) {
      left ^= mixed(right + key) >> (64 - high);  // as many bits as `left` has
      std::swap(left, right);
      std::swap(high, low);
    }
    x = left << low | right;
  } while (x >= static_cast<std::uint64_t>(n_));
  return static_cast<std::int64_t>(x);
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
