// Selections by position: known on all devices but at borders, they are made there alone; and they are no work.
#include "partition/explain.hpp"
#include "partition/position_ranges.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

// Elements of selections in the program of one device.
std::int64_t selected_elements(const LocalProgram& local) {
  std::int64_t out = 0;
  for (const Eqn& e : local.program->eqns)
    if (e.op->name == "select") out += local.program->types[e.results[0]].num_elements();
  return out;
}
LocalProgram placed_in_rows(const Function& f) { return check_placed({type({32, 24})}, {P("x")}, grid({4}, "x"), f); }
Array row_numbers(const Array& x) { return lax::broadcasted_iota(int32, x.shape(), 0); }

TEST(Selections, AtBordersOnly) {
  const LocalProgram edges = placed_in_rows([](const Arrays& in) {
    const Array p = pad(in[0], {{1, 1}, {0, 0}}, PadMode::edge);
    return Arrays{p(slice(2, none)) + p(slice(none, -2)) - 2 * in[0]};
  });
  EXPECT_EQ(selected_elements(edges), 2 * 24) << str(edges);
  const LocalProgram written = placed_in_rows([](const Arrays& in) {
    const Array& u = in[0];
    return Arrays{where(row_numbers(u) == 31, u, roll(u, -1, 0)) + where(row_numbers(u) <= 1, u, roll(u, 2, 0))};
  });
  EXPECT_EQ(selected_elements(written), 3 * 24) << str(written);
  const LocalProgram tiles =
      check_placed({type({32, 24})}, {P("x", "y")}, grid({2, 2}, {"x", "y"}), [](const Arrays& in) {
        const Array& u = in[0];
        const Array j = lax::broadcasted_iota(int32, u.shape(), 1);
        return Arrays{where((row_numbers(u) == 0) | (j >= 22), u, roll(u, {1, -2}, {0, 1}))};
      });
  EXPECT_EQ(selected_elements(tiles), 12 + 15 * 2) << str(tiles);
}

TEST(Selections, KnownEverywhereAndNowhere) {
  EXPECT_EQ(selected_elements(placed_in_rows(
                [](const Arrays& in) { return Arrays{where(row_numbers(in[0]) < 32, in[0], sin(in[0]))}; })),
            0);
  // In the middle of some block: nothing is the same on all devices.
  EXPECT_EQ(selected_elements(placed_in_rows(
                [](const Arrays& in) { return Arrays{where(row_numbers(in[0]) < 12, in[0], roll(in[0], 1, 0))}; })),
            8 * 24);
  // By values.
  EXPECT_EQ(selected_elements(
                placed_in_rows([](const Arrays& in) { return Arrays{where(in[0] < 0, in[0], roll(in[0], 1, 0))}; })),
            8 * 24);
}

TEST(Selections, InLoops) {
  placed_in_rows([](const Arrays& in) {
    return Arrays{lax::fori_loop(
        0, 3,
        [](const Array&, const Array& u) {
          const Array p = lax::pad(u, Array(0.5f), {{1, 1, 0}, {0, 0, 0}});
          return 0.4f * (p(slice(2, none)) + p(slice(none, -2))) + 0.1f * u;
        },
        in[0])};
  });
}

TEST(Selections, AreNoWork) {
  const Function step = [](const Arrays& in) {
    const Array& u = in[0];
    return Arrays{u.at(slice(1, -1)).add(0.1f * (u(slice(2, none)) - 2 * u(slice(1, -1)) + u(slice(none, -2))))};
  };
  auto inflation = [](const Function& f, const PartitionSpec& spec = P("x")) {
    const ShardedProgram sharded = propagated({type({1024, 24})}, {spec}, grid({4}, "x"), f);
    return explain(partition(sharded, BoundaryAxes::every()), {}, sharded.program.get()).flop_inflation;
  };
  EXPECT_NEAR(inflation(step), 1, 0.01);
  EXPECT_NEAR(inflation([](const Arrays& in) { return Arrays{in[0].at(0).set(1).at(-1).set(sin(Array(2.f)))}; }), 1,
              0.01);
  // What all devices do counts, a sum as well as arithmetic.
  EXPECT_GT(inflation([](const Arrays& in) { return Arrays{cumsum(in[0], 0)}; }, P()), 2);
}

TEST(Selections, RangesOfPositions) {
  const ProgramPtr p = record({}, [](const Arrays&) {
    const Array i = lax::iota(int32, {10}, 0), j = i * 3 - 2, mask = (j >= 7) & (i != 5);
    const Array narrow = lax::iota(int8, {10}, 0);
    return Arrays{j, mask, narrow + narrow};
  });
  const PositionRanges ranges(*p);
  EXPECT_EQ(ranges.of(p->outputs[0], {{2, 5}})->least, 4);
  EXPECT_EQ(ranges.of(p->outputs[0], {{2, 5}})->most, 10);
  EXPECT_EQ(ranges.of(p->outputs[1], {{0, 3}})->most, 0);
  EXPECT_EQ(ranges.of(p->outputs[1], {{6, 10}})->least, 1);
  EXPECT_FALSE(ranges.of(p->outputs[1], {{3, 6}})->is_one());
  EXPECT_FALSE(ranges.of(p->outputs[2], {{0, 3}}).has_value());  // 8 bits wrap round
}

// Masks of comparisons, in one dim or two: the same values.
TEST(Selections, RandomMasks) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    check_placed({type({32, 24}, int32)}, {P("x", "y")}, grid({4, 2}, {"x", "y"}), [seed](const Arrays& in) {
      std::mt19937 rng(static_cast<unsigned>(seed));
      auto any = [&](int k) { return static_cast<int>(rng() % static_cast<unsigned>(k)); };
      Array u = in[0];
      auto mask = [&] {
        const int d = any(2), n = static_cast<int>(u.shape(d));
        const Array at = lax::broadcasted_iota(int32, u.shape(), d) + any(3);
        const int border = any(2) ? any(4) : n - any(4);
        switch (any(5)) {
          case 0: return at < border;
          case 1: return at >= border;
          case 2: return at == border;
          case 3: return at != border;
          default: return ~(at <= border);
        }
      };
      for (int k = 0; k < 5; ++k) {
        Array m = mask();
        if (any(2)) m = any(2) ? m & mask() : m | mask();
        const Array moved = roll(u, any(5) - 2, any(2));
        u = any(3) == 0 ? where(m, moved, 7) : any(2) ? where(m, moved, u) : where(m, u + 1, moved);
      }
      return Arrays{u};
    });
  }
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
