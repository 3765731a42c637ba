// The type in which sums and products of elements are computed.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "base/half.hpp"

namespace tutti::ops {

/// Integers: 64 unsigned bits, whose low bits are exact for every integer type, so that results wrap around. 16-bit
/// floats: float. Others: themselves.
template <class T>
using Wide = std::conditional_t<std::integral<T> && !std::same_as<T, bool>, std::uint64_t,
                                std::conditional_t<std::same_as<T, BFloat16> || std::same_as<T, Float16>, float, T>>;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
