// Copies of memory of any size.
#pragma once

#include <cstddef>

namespace tutti {

/// std::memcpy, of large blocks by the workers.
void copy_bytes(void* to, const void* from, std::size_t bytes);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
