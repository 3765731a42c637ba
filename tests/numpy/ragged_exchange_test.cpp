#include <gtest/gtest.h>

#include "tutti/lax/ragged_exchange.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using F = std::vector<float>;

// The example of JAX's documentation: two devices, of three rows each.
TEST(RaggedExchange, PutsSlicesWhereTheReceiverHasThem) {
  const Array operand = array({{1.f, 2.f, 2.f}, {3.f, 4.f, 0.f}}), output = zeros({2, 4}) - 1;
  const lax::RaggedBlocks blocks{array({{0, 1}, {0, 1}}), array({{1, 2}, {1, 1}}), array({{0, 0}, {1, 2}}),
                                 array({{1, 1}, {2, 1}})};
  auto f = [](const Array& x, const Array& y, const Array& from, const Array& sizes, const Array& to,
              const Array& got) {
    return lax::ragged_all_to_all(x, y, {from, sizes, to, got}, "i");
  };
  auto mapped = vmap(f, {.axis_name = "i"});
  auto run = [&](const Array& x) {
    return mapped(x, output, blocks.input_offsets, blocks.send_sizes, blocks.output_offsets, blocks.recv_sizes);
  };
  EXPECT_EQ(run(operand).to_vector<float>(), F({1, 3, -1, -1, 2, 2, 4, -1}));
  const Array weights = arange(8.f).reshape(2, 4);
  const Array g = grad([&](const Array& x) { return sum(weights * run(x)); })(operand);
  EXPECT_EQ(g.to_vector<float>(), F({0, 4, 5, 1, 6, 0}));
  const Array wide = stack({operand, 10 * operand}, 2), out = zeros({2, 4, 2});
  const Array both =
      mapped(wide, out, blocks.input_offsets, blocks.send_sizes, blocks.output_offsets, blocks.recv_sizes);
  EXPECT_EQ(both(1).to_vector<float>(), F({2, 20, 2, 20, 4, 40, 0, 0}));
  EXPECT_THROW(run(operand.astype(int32)), TypeError);
  EXPECT_THROW(
      mapped(operand, output, blocks.input_offsets, blocks.send_sizes, blocks.output_offsets, zeros({2, 3}, int32)),
      ShapeError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
