#include "base/copy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tutti {
namespace {

TEST(CopyBytes, AllOfThemAndNoMore) {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, (std::size_t{1} << 20) - 1, std::size_t{1} << 20,
                            (std::size_t{5} << 20) + 4097, (std::size_t{33} << 20) + 4097}) {
    std::vector<std::uint8_t> from(bytes + 3), to(bytes + 5, 7);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
    copy_bytes(to.data() + 2, from.data() + 3, bytes);
    EXPECT_TRUE(std::equal(from.begin() + 3, from.end(), to.begin() + 2));
    for (std::size_t at : {std::size_t{0}, std::size_t{1}, bytes + 2, bytes + 4}) EXPECT_EQ(to[at], 7);
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
