// What a process holds of an array lies side by side (mesh/places.hpp). Under a sharding that cuts a dim first over an
// axis within processes and then over one across, such as P(("within", "across")), what its devices hold does not.
#pragma once

#include <optional>

#include "tutti/array/array.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// The sharding under which a dim is cut first over the axes across; nothing where `sharding` does so.
std::optional<Sharding> side_by_side(const Sharding& sharding, int ndim);
/// The array under `sharding` each of whose devices holds what it holds of `x`, an array under side_by_side(sharding).
/// All processes take part: blocks are sent. UnsupportedError, for operation `what`, where an extent does not divide.
Array set_apart(const char* what, const Array& x, const Sharding& sharding);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
