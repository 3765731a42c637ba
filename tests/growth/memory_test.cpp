// Bytes an element that live at once in functions whose result is small beside their operand.
// bugreports-3, 19
#include <gtest/gtest.h>

#include <functional>

#include "device/buffer.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

constexpr std::int64_t kElements = std::int64_t{1} << 23;

// Beside what lives before; the peak is that of the process, so a call that needs less than one before it shows none.
double bytes_an_element(const std::function<void()>& call) {
  const std::size_t before = memory_stats().in_use, highest = memory_stats().peak;
  call();
  const std::size_t peak = memory_stats().peak;
  return peak == highest ? 0 : static_cast<double>(peak - before) / static_cast<double>(kElements);
}
Array bytes() { return (arange(kElements, int32) % 251).astype(uint8); }

}  // namespace

TEST(GrowthOfMemory, UniqueIsLittleMoreThanASort) {
  const Array x = bytes();
  EXPECT_LE(bytes_an_element([&] { EXPECT_EQ(unique(x).size(), 251); }), 4);
  EXPECT_LE(bytes_an_element([&] { EXPECT_EQ(unique_counts(x).second.sum().item<std::int64_t>(), kElements); }), 4);
}
TEST(GrowthOfMemory, NonzeroIsItsMaskAndWhatIsAskedFor) {
  const Array x = bytes();
  EXPECT_LE(bytes_an_element([&] { EXPECT_EQ(nonzero(x, {.size = 1})[0].item<std::int64_t>(), 1); }), 2.5);
  EXPECT_LE(bytes_an_element([&] { EXPECT_EQ(argwhere(x == 3, {.size = 2}).size(), 2); }), 2.5);
  EXPECT_LE(bytes_an_element([&] { flatnonzero(x, {.size = 10}); }), 2.5);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
