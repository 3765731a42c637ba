#include "base/copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/stream.hpp"
#include "base/tasks.hpp"

namespace tutti {

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kShared = 1 << 20;
  constexpr std::int64_t kBlock = 1 << 12;
  if (bytes == 0) return;
  if (bytes < kShared) {
    std::memcpy(to, from, bytes);
    return;
  }
  const auto n = static_cast<std::int64_t>(bytes);
  in_pieces((n + kBlock - 1) / kBlock, 400, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * kBlock, length = std::min(n, end * kBlock) - at;
    char* const target = static_cast<char*>(to) + at;
    const char* const source = static_cast<const char*>(from) + at;
    if (n < kPastCache) return void(std::memcpy(target, source, static_cast<std::size_t>(length)));
    stream_copy(source, length, target);
    processor::finish_streams();
  });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
