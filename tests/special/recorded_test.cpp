// Of each function and precision 37 points of `./dev sweep special`, every k-th one, whatever ours are there. The
// values are SciPy's, or mpmath's where the sweep asked it; made by tools/record_special.py --small.
#include <gtest/gtest.h>

#include <fstream>

#include "special/functions.hpp"
#include "special/points.hpp"
#include "tutti/tutti.hpp"

namespace tutti::sweep {
namespace {

TEST(SpecialSweep, SelectedPointsAreWithinTheirBounds) {
  std::ifstream file("tests/special/recorded.bin", std::ios::binary);
  ASSERT_TRUE(file);
  enable_x64(true);
  std::size_t blocks = 0;
  while (const std::optional<Block> block = read_block(file)) {
    ++blocks;
    for (const Function& f : functions()) {
      if (f.name != block->name) continue;
      const Deviation d = compare(f, *block);
      EXPECT_TRUE(d.outside.empty()) << "float" << block->precision << ": "
                                     << described(*block, d.worst, d.got[d.worst]);
    }
  }
  enable_x64(false);
  EXPECT_GT(blocks, 80u);
}

}  // namespace
}  // namespace tutti::sweep

// SPDX-License-Identifier: Apache-2.0
