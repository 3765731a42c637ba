// What is done to elements as often as they are named.
#pragma once

#include <functional>

#include "tutti/array/array.hpp"

namespace tutti::lax {

/// x after `once`, which may change what `times[i] > 0`, and again where `times[i] > 1`, and so on; at most `most`
/// times.
Array as_often(const Array& times, std::int64_t most, const Array& x, const std::function<Array(const Array&)>& once);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
