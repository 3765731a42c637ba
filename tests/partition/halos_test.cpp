// Several reads of a neighbour's block are one exchange: of the widest halo with its corners, or of what it is computed
// of.
#include "partition/explain.hpp"
#include "partition/programs.hpp"
#include "tutti/lax/windows.hpp"

namespace tutti::testing {
namespace {

constexpr std::int64_t halo_rows = 32, halo_columns = 24;

struct SentOf {
  double bytes;
  std::int64_t messages;
};
SentOf exchanged(const Function& f, std::vector<Type> inputs, const PartitionSpec& spec, const Mesh& mesh) {
  const std::vector<PartitionSpec> specs(inputs.size(), spec);
  const LocalProgram local = check_placed(std::move(inputs), specs, mesh, f);
  SCOPED_TRACE(explain(local));
  return {total_bytes(local), total_messages(local)};
}
SentOf in_rows(const Function& f, std::vector<Type> inputs = {type({halo_rows, halo_columns})}) {
  return exchanged(f, std::move(inputs), P("x"), grid({4}, "x"));
}
SentOf in_tiles(const Function& f, std::vector<Type> inputs = {type({halo_rows, halo_columns})}) {
  return exchanged(f, std::move(inputs), P("x", "y"), grid({4, 2}, {"x", "y"}));
}
constexpr double bytes_of_row = 4 * halo_columns;

TEST(Halos, TheWidestIsSentOnce) {
  const SentOf rolls = in_rows([](const Arrays& in) {
    const Array& x = in[0];
    return Arrays{x + roll(x, 1, 0) * 2.f + roll(x, 2, 0) * 3.f + roll(x, 3, 0) - roll(x, -1, 0) * roll(x, -2, 0)};
  });
  EXPECT_EQ(rolls.bytes, 5 * bytes_of_row);
  EXPECT_EQ(rolls.messages, 2);
  EXPECT_EQ(in_rows([](const Arrays& in) {
              return Arrays{lax::reduce_window(in[0], lax::WindowReduction::max,
                                               {.window_dimensions = {5, 1}, .padding = {{4, 0}, {0, 0}}})};
            }).bytes,
            4 * bytes_of_row);
}

TEST(Halos, CornersComeWithTheSecondDim) {
  const SentOf life = in_tiles([](const Arrays& in) {
    Array k = zeros_like(in[0]);
    for (int i : {-1, 0, 1})
      for (int j : {-1, 0, 1}) k = k + roll(in[0], {i, j}, {0, 1}) * static_cast<float>(3 * i + j);
    return Arrays{k};
  });
  EXPECT_EQ(life.bytes, 4.0 * 2 * (halo_columns / 2) + 4.0 * 2 * (halo_rows / 4 + 2));
}

TEST(Halos, OperandsAreSentWhereTheyAreLess) {
  // Fluxes at faces: the states behind, then one flux from before, of which the others are made with what is here.
  const SentOf fluxes = in_rows(
      [](const Arrays& in) {
        const Array &h = in[0], &u = in[1], hr = roll(h, -1, 0), ur = roll(u, -1, 0);
        const Array a = 0.5f * (h * u + hr * ur), b = a * a + exp(hr), c = sin(a) - b;
        return Arrays{h - a + roll(a, 1, 0), u - b + roll(b, 1, 0), c - roll(c, 1, 0)};
      },
      {type({halo_rows, 1024}), type({halo_rows, 1024})});
  EXPECT_EQ(fluxes.bytes, 3 * 4 * 1024);
  // One array computed of two is less than both.
  EXPECT_EQ(in_rows([](const Arrays& in) { return Arrays{roll(sin(in[0]) * in[1], 1, 0)}; },
                    {type({halo_rows, halo_columns}), type({halo_rows, halo_columns})})
                .bytes,
            bytes_of_row);
  // Positions are known on every device; to compute a few elements again is no less than to send them.
  const Function masked = [](const Arrays& in) {
    const Array x = in[0], inside = lax::broadcasted_iota(int32, x.shape(), 0) < 20;
    return Arrays{roll(x, 1, 0) + roll(where(inside, x, exp(x)), 1, 0)};
  };
  EXPECT_EQ(in_rows(masked, {type({halo_rows, 1024})}).bytes, 4 * 1024);
  EXPECT_EQ(in_rows(masked, {type({halo_rows, 8})}).bytes, 2 * 4 * 8);
}

TEST(Halos, Loops) {
  const Function f = [](const Arrays& in) {
    return Arrays{lax::fori_loop(
        0, 3,
        [](const Array&, const Array& x) { return 0.3f * (roll(x, 1, 0) + roll(x, 2, 0)) + 0.1f * roll(x, -1, 0); },
        in[0])};
  };
  EXPECT_EQ(in_rows(f).bytes, 3 * 3 * bytes_of_row);
}

// What is computed a second time goes back a few operations, not to the start of an unrolled loop.
TEST(Halos, GrowLinearly) {
  auto eqns = [](int steps) {
    const Function f = [steps](const Arrays& in) {
      Array u = in[0];
      for (int k = 0; k < steps; ++k) {
        const Array p = pad(u, {{1, 1}, {1, 1}}, PadMode::edge);
        u = u + 0.1f * (p(slice(2, none), slice(none, -2)) + p(slice(none, -2), slice(2, none)) - 2 * u);
      }
      return Arrays{u};
    };
    const ShardedProgram sharded = propagated({type({2048, 2048})}, {P("x", "y")}, grid({4, 2}, {"x", "y"}), f);
    return partition(sharded, BoundaryAxes::every()).program->eqns.size();
  };
  const std::size_t some = eqns(8);
  EXPECT_LE(eqns(16), 3 * some);
  EXPECT_LE(some, 8 * 1000);
}

// Chains of turns and arithmetic in two sharded dims: the same bits as on one device.
TEST(Halos, RandomChains) {
  for (int seed = 0; seed < 100; ++seed) {
    const Function f = [seed](const Arrays& in) {
      std::mt19937 rng(static_cast<unsigned>(seed));
      auto any = [&](int k) { return static_cast<int>(rng() % static_cast<unsigned>(k)); };
      Arrays values{in[0], in[1]};
      for (int k = 0; k < 14; ++k) {
        const Array x = values[static_cast<std::size_t>(any(static_cast<int>(values.size())))];
        const Array y = values[static_cast<std::size_t>(any(static_cast<int>(values.size())))];
        switch (any(7)) {
          case 0:
          case 1:
          case 2: values.push_back(roll(x, any(7) - 3, any(2))); break;
          case 3: values.push_back(x * y - 1); break;
          case 4: values.push_back(where(lax::broadcasted_iota(int32, x.shape(), any(2)) < 11, x, y)); break;
          case 5: values.push_back(x + expand_dims(y.max(1), 1)); break;
          default: values.push_back(roll(x + y, {any(3) - 1, any(3) - 1}, {0, 1}));
        }
      }
      return Arrays{values.back(), values[values.size() - 3], values[values.size() - 5]};
    };
    SCOPED_TRACE(seed);
    in_tiles(f, {type({halo_rows, halo_columns}, int32), type({halo_rows, halo_columns}, int32)});
  }
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
