// Boundary rows: made of others of their own block without a message, of those of another block by a permutation.
#include "partition/explain.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

constexpr std::int64_t grid_rows = 32, grid_columns = 12;
constexpr double grid_row = 4.0 * grid_columns;

double sent_at_borders(const Function& f) {
  const LocalProgram local = check_placed({type({grid_rows, grid_columns})}, {P("x")}, grid({4}, "x"), f);
  SCOPED_TRACE(explain(local));
  return total_bytes(local);
}

TEST(RowsInBlocks, SendNothingWithinABlock) {
  EXPECT_EQ(sent_at_borders([](const Arrays& in) { return Arrays{in[0].at(0).set(2 * in[0](3) - sin(in[0](5)))}; }), 0);
  EXPECT_EQ(sent_at_borders([](const Arrays& in) {
              return Arrays{in[0].at(0).set(in[0](1)).at(-1).set(in[0](-2)).at(10).add(in[0](slice(8, 12)).sum(0))};
            }),
            0);
  // Reversed, and more than one.
  EXPECT_EQ(sent_at_borders(
                [](const Arrays& in) { return Arrays{in[0].at(slice(0, 3)).set(flip(in[0](slice(4, 7)), 0) * 2)}; }),
            0);
}

TEST(RowsInBlocks, NeighboursOfEdgesAreHalos) {
  EXPECT_EQ(sent_at_borders([](const Arrays& in) { return Arrays{in[0] - 0.1f * gradient(in[0], {}, {0})[0]}; }),
            2 * grid_row);
  EXPECT_EQ(sent_at_borders([](const Arrays& in) {
              const Array p = pad(in[0], {{2, 2}, {0, 0}}, PadMode::reflect);
              return Arrays{p(slice(4, none)) + p(slice(none, -4)) - p(slice(1, -3)) * p(slice(2, -2))};
            }),
            4 * grid_row);
}

TEST(RowsInBlocks, GoFromBlockToBlock) {
  EXPECT_EQ(sent_at_borders([](const Arrays& in) { return Arrays{in[0].at(0).set(in[0](-1) - in[0](-2))}; }),
            2 * grid_row);
  // Rows of the first block are the last device's, whose own are those of the last block.
  EXPECT_EQ(sent_at_borders([](const Arrays& in) { return Arrays{in[0].at(-1).set(in[0](0) + in[0](-2))}; }), grid_row);
}

TEST(RowsInBlocks, InTwoShardedDims) {
  const LocalProgram local =
      check_placed({type({grid_rows, grid_columns})}, {P("x", "y")}, grid({4, 2}, {"x", "y"}), [](const Arrays& in) {
        Array u = in[0];
        u = u.at(0).set(u(1)).at(-1).set(u(-2));
        return Arrays{u.at(all, 0).set(u(all, 2) * u(all, 1)).at(all, -1).set(-u(all, -2))};
      });
  EXPECT_EQ(total_bytes(local), 0) << explain(local);
}

// What is not so, such as rows that lie in two blocks, is left alone.
TEST(RowsInBlocks, RandomRows) {
  for (int seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    sent_at_borders([seed](const Arrays& in) {
      std::mt19937 rng(static_cast<unsigned>(seed));
      auto any = [&](std::int64_t k) { return static_cast<std::int64_t>(rng() % static_cast<unsigned>(k)); };
      Array u = in[0];
      for (int k = 0; k < 4; ++k) {
        const std::int64_t rows = any(4) + 1;
        auto read = [&] {
          const std::int64_t from = any(grid_rows - rows + 1);
          return u(slice(from, from + rows));
        };
        Array x = read();
        if (any(2) == 0) x = x * read() + 1;
        if (any(3) == 0) x = flip(x, 0);
        if (any(3) == 0) x = x - x.sum(0);
        if (any(4) == 0) x = cos(u) + 0.5f * lax::reshape(x, {rows * grid_columns}).max();
        const std::int64_t at = any(grid_rows - rows + 1);
        if (x.shape(0) == grid_rows)
          u = x;
        else if (any(2) == 0)
          u = u.at(slice(at, at + rows)).set(x);
        else
          u = u + lax::pad(x, Array(0.5f), {{at, grid_rows - rows - at, 0}, {0, 0, 0}});
      }
      return Arrays{u};
    });
  }
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
