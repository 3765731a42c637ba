// Work on files in pieces, by several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace tutti::io::detail {

/// Calls `work(i)` for i in [0, count), on this thread and on others of its own, a few together at the same time. The
/// first exception ends it and is thrown here.
void for_pieces(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
