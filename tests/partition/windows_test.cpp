// Convolutions and reductions over windows of sharded dims: any number of them, strides, dilations, any padding.
#include "tutti/lax/windows.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "partition/explain.hpp"
#include "partition/programs.hpp"
#include "tutti/transform/linear_maps.hpp"

namespace tutti::testing {
namespace {

Array convolved(const Array& x, const Array& w, lax::ConvOptions options) {
  options.dimension_numbers = {"NHWC", "HWIO", "NHWC"};
  return lax::conv_general_dilated(x, w, options);
}
// The value and both gradients, or one of these.
Function whole_step(const lax::ConvOptions& options) {
  return [=](const Arrays& in) {
    auto [y, back] = tutti::vjp([&](const Array& x, const Array& w) { return convolved(x, w, options); }, in[0], in[1]);
    auto [dx, dw] = back(sin(y));
    return Arrays{y, dx, dw};
  };
}
Function forward(const lax::ConvOptions& options) {
  return [=](const Arrays& in) { return Arrays{convolved(in[0], in[1], options)}; };
}

TEST(Windows, ConvolutionsOfTwoShardedDimsSendBordersAndCorners) {
  const LocalProgram local = check_placed({type({2, 8, 12, 3}), type({3, 3, 3, 5})}, {P(none, "x", "y"), P()},
                                          grid({2, 3}, {"x", "y"}), forward({.padding = "SAME"}));
  // A row of 4 that the two devices exchange, then columns of 4 rows on both sides and their corners.
  EXPECT_EQ(total_bytes(local), 4.0 * 2 * 3 * (4 + 2 * (4 + 2))) << explain(local);
  check_placed({type({2, 8, 12, 3}), type({3, 3, 3, 5})}, {P(none, "x", "y"), P()}, grid({2, 3}, {"x", "y"}),
               whole_step({.padding = "SAME"}));
}

TEST(Windows, StridesReadWhatTheirWindowsReach) {
  const Mesh mesh = grid({4}, "x");
  const double row = 4.0 * 2 * 6 * 3;
  auto sent = [&](std::int64_t n, std::int64_t k, lax::ConvOptions options) {
    const LocalProgram local =
        check_placed({type({2, n, 6, 3}), type({k, 1, 3, 5})}, {P(none, "x"), P()}, mesh, forward(options));
    SCOPED_TRACE(explain(local));
    return total_bytes(local) / row;
  };
  EXPECT_EQ(sent(32, 3, {.window_strides = {2, 1}, .padding = "SAME"}), 1);
  EXPECT_EQ(sent(32, 2, {.window_strides = {2, 1}, .padding = "VALID"}), 0);
  EXPECT_EQ(sent(32, 7, {.window_strides = {2, 1}, .padding = "SAME"}), 5);
  EXPECT_EQ(sent(32, 3, {.padding = "VALID"}), 2);
  // 32 rows in blocks of 8, 28 results in blocks of 7: the run of the last device begins three rows before its block,
  // that of the first ends three rows behind.
  EXPECT_EQ(sent(32, 5, {.padding = "VALID"}), 3 + 3);
  EXPECT_EQ(sent(32, 3, {.window_strides = {1, 1}, .padding = {{4, 0}, {0, 0}}, .rhs_dilation = {2, 1}}), 4);
  EXPECT_EQ(sent(32, 3, {.window_strides = {1, 1}, .padding = {{1, 2}, {0, 0}}, .lhs_dilation = {2, 1}}), 1);
  // Rows of two blocks further.
  EXPECT_EQ(sent(16, 3, {.window_strides = {1, 1}, .padding = {{10, 0}, {0, 0}}, .rhs_dilation = {5, 1}}), 10);
}

TEST(Windows, GradientsOfStridesSendRowsToo) {
  const Mesh mesh = grid({4}, "x");
  const lax::ConvOptions by_two{.window_strides = {2, 1}, .padding = "SAME"};
  const Type x = type({2, 32, 6, 3}), w = type({3, 1, 3, 5}), y = type({2, 16, 6, 5});
  const double row = 4.0 * 2 * 6;
  const LocalProgram to_input = check_placed({y, w}, {P(none, "x"), P()}, mesh, [&](const Arrays& in) {
    auto [value, back] = tutti::vjp([&](const Array& a) { return convolved(a, in[1], by_two); }, zeros(x.shape));
    return Arrays{std::get<0>(back(in[0]))};
  });
  EXPECT_EQ(total_bytes(to_input), 5 * row) << explain(to_input);
  const LocalProgram to_kernel = check_placed({x, y}, {P(none, "x"), P(none, "x")}, mesh, [&](const Arrays& in) {
    auto [value, back] = tutti::vjp([&](const Array& a) { return convolved(in[0], a, by_two); }, zeros(w.shape));
    return Arrays{std::get<0>(back(in[1]))};
  });
  EXPECT_EQ(total_bytes(to_kernel), 3 * row + 2.0 * 3 / 4 * static_cast<double>(w.nbytes())) << explain(to_kernel);
}

// Groups that are cut beside a spatial dim.
TEST(Windows, GroupsMayBeShardedToo) {
  const LocalProgram local =
      check_placed({type({2, 8, 6, 4}), type({3, 3, 1, 8})}, {P(none, "x", none, "y"), P(none, none, none, "y")},
                   grid({2, 2}, {"x", "y"}), whole_step({.padding = "SAME", .feature_group_count = 4}));
  EXPECT_LT(total_bytes(local), 4.0 * 8 * 8 * 6 * 4) << explain(local);
}

TEST(Windows, RandomConvolutions) {
  for (int seed = 0; seed < 80; ++seed) {
    std::mt19937 rng(static_cast<unsigned>(seed));
    auto any = [&](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(rng() % static_cast<unsigned>(most - least + 1));
    };
    lax::ConvOptions options;
    std::vector<std::pair<std::int64_t, std::int64_t>> padding;
    Shape x{any(1, 2)}, w;
    const bool named = any(0, 2) == 0;
    for (int d = 0; d < 2; ++d) {
      x.push_back(any(4, 40));
      w.push_back(any(1, 4));
      options.window_strides.push_back(any(1, 3));
      options.rhs_dilation.push_back(any(0, 2) == 0 ? any(1, 3) : 1);
      options.lhs_dilation.push_back(!named && any(0, 3) == 0 ? any(1, 3) : 1);
      const std::int64_t reach = (w[d] - 1) * options.rhs_dilation[static_cast<std::size_t>(d)];
      padding.emplace_back(any(-1, reach + 1), any(-1, reach + 1));
      if ((x[d + 1] - 1) * options.lhs_dilation[static_cast<std::size_t>(d)] + padding.back().first +
              padding.back().second <
          reach)
        padding.back() = {reach, reach};
    }
    const std::int64_t groups = any(0, 3) == 0 ? 2 : 1;
    x.push_back(2 * groups);
    w.push_back(2);
    w.push_back(2 * groups);
    options.feature_group_count = groups;
    if (named)
      options.padding = any(0, 1) ? "SAME" : "VALID";
    else
      options.padding = padding;
    const std::vector<std::pair<Mesh, PartitionSpec>> places{
        {grid({4}, "x"), P(none, "x")},
        {grid({3}, "x"), P(none, none, "x")},
        {grid({2, 2}, {"x", "y"}), P(none, "x", "y")},
        {grid({2, 3}, {"x", "y"}), P(none, axes("x", "y"))},
        {grid({2, 2}, {"x", "y"}), P(none, "x", none, "y")},
    };
    const auto& [mesh, spec] = places[static_cast<std::size_t>(any(0, 4))];
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_placed({type(x), type(w)}, {spec, P()}, mesh, whole_step(options));
    if (::testing::Test::HasFailure()) return;
  }
}

Array pooled(const Array& x, lax::WindowReduction reduction, const lax::WindowOptions& options) {
  return lax::reduce_window(x, reduction, options);
}
// Bytes that are sent for results that lie as the operand does.
double sent_by(const Type& x, const PartitionSpec& spec, const Mesh& mesh, const Function& f) {
  const LocalProgram local = check_placed({x}, {spec}, mesh, [&](const Arrays& in) {
    Arrays out = f(in);
    for (Array& y : out)
      if (y.ndim() == x.ndim()) y = bind1(ops::sharding_constraint, ops::Constrain{named(mesh, spec)}, {y});
    return out;
  });
  SCOPED_TRACE(explain(local));
  return total_bytes(local);
}

TEST(Windows, PoolsByStridesSendWhatTheirWindowsReach) {
  const Mesh mesh = grid({4}, "x");
  const Type x = type({2, 32, 6, 3});
  const double row = 4.0 * 2 * 6 * 3;
  using lax::WindowReduction;
  auto sent = [&](WindowReduction reduction, const lax::WindowOptions& options) {
    return sent_by(x, P(none, "x"), mesh, [&](const Arrays& in) { return Arrays{pooled(in[0], reduction, options)}; }) /
           row;
  };
  for (const auto reduction : {WindowReduction::max, WindowReduction::sum, WindowReduction::min}) {
    EXPECT_EQ(sent(reduction, {.window_dimensions = {1, 2, 1, 1}, .window_strides = {1, 2, 1, 1}}), 0);
    EXPECT_EQ(sent(reduction, {.window_dimensions = {1, 3, 3, 1}, .window_strides = {1, 2, 1, 1}, .padding = "SAME"}),
              1.0 * 8 / 6);  // with columns that are padded
    EXPECT_EQ(sent(reduction, {.window_dimensions = {1, 3, 1, 1},
                               .window_strides = {1, 2, 1, 1},
                               .padding = {{0, 0}, {1, 1}, {0, 0}, {0, 0}}}),
              1);
    EXPECT_EQ(sent(reduction, {.window_dimensions = {1, 6, 1, 1},
                               .window_strides = {1, 4, 1, 1},
                               .padding = {{0, 0}, {1, 1}, {0, 0}, {0, 0}}}),
              2);
  }
  // Both dims, and the gradient.
  const lax::WindowOptions same{.window_dimensions = {1, 3, 3, 1}, .window_strides = {1, 2, 2, 1}, .padding = "SAME"};
  EXPECT_LE(sent_by(type({2, 16, 16, 3}), P(none, "x", "y"), grid({2, 2}, {"x", "y"}),
                    [&](const Arrays& in) { return Arrays{pooled(in[0], WindowReduction::max, same)}; }),
            4.0 * 2 * 3 * (8 + 3 * 4));
  EXPECT_LE(sent_by(x, P(none, "x"), mesh,
                    [&](const Arrays& in) {
                      auto [y, back] =
                          tutti::vjp([&](const Array& a) { return pooled(a, WindowReduction::max, same); }, in[0]);
                      return Arrays{std::get<0>(back(sin(y)))};
                    }),
            6 * row);
}

TEST(Windows, RandomPools) {
  for (int seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(static_cast<unsigned>(seed));
    auto any = [&](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(rng() % static_cast<unsigned>(most - least + 1));
    };
    lax::WindowOptions o;
    std::vector<std::pair<std::int64_t, std::int64_t>> padding;
    Shape x;
    for (int d = 0; d < 2; ++d) {
      x.push_back(any(0, 1) ? 12 * any(1, 4) : any(6, 40));
      o.window_dimensions.push_back(any(1, 5));
      o.window_strides.push_back(any(1, 4));
      o.window_dilation.push_back(any(0, 3) == 0 ? 2 : 1);
      o.base_dilation.push_back(any(0, 3) == 0 ? any(1, 3) : 1);
      const std::int64_t reach = (o.window_dimensions.back() - 1) * o.window_dilation.back();
      padding.emplace_back(any(0, reach + 1), any(0, reach + 1));
      if (x[d] + padding.back().first + padding.back().second <= reach) padding.back() = {reach, reach};
    }
    o.padding = padding;
    if (any(0, 1)) o.padding = any(0, 1) ? "SAME" : "VALID";
    if (o.padding.name() == "VALID") o.window_dimensions = {any(1, 3), any(1, 3)};
    const auto reduction = any(0, 1) ? lax::WindowReduction::max : lax::WindowReduction::sum;
    const std::vector<std::pair<Mesh, PartitionSpec>> places{
        {grid({4}, "x"), P("x")},
        {grid({3}, "x"), P(none, "x")},
        {grid({2, 2}, {"x", "y"}), P("x", "y")},
        {grid({2, 3}, {"x", "y"}), P(axes("x", "y"))},
    };
    const auto& [mesh, spec] = places[static_cast<std::size_t>(any(0, 3))];
    SCOPED_TRACE("seed " + std::to_string(seed));
    sent_by(type(x), spec, mesh, [&](const Arrays& in) {
      auto [y, back] = tutti::vjp([&](const Array& a) { return pooled(a, reduction, o); }, in[0]);
      return Arrays{y, std::get<0>(back(sin(y)))};
    });
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Windows, UpdatesWithStepsLieWhereTheyAre) {
  const Mesh mesh = grid({4}, "x");
  const Type x = type({32, 5});
  const double row = 4.0 * 5;
  auto sent = [&](const Function& f) { return sent_by(x, P("x"), mesh, f); };
  EXPECT_EQ(sent([](const Arrays& in) { return Arrays{in[0].at(slice(0, none, 2)).set(3.f)}; }), 0);
  EXPECT_EQ(sent([](const Arrays& in) {
              return Arrays{in[0].at(slice(1, none, 2)).add(in[0](slice(0, none, 2))),
                            in[0].at(slice(1, none, 4)).multiply(in[0](slice(2, none, 4))),
                            in[0].at(slice(0, none, 2), slice(1, none, 2)).set(7.f),
                            in[0].at(slice(0, none, 2), 3).max(0.f), in[0].at(none, slice(0, none, 2)).min(0.f)};
            }),
            0);
  // Red reads a row before it, black one behind it.
  EXPECT_EQ(sent([](const Arrays& in) {
              const Array red = in[0](slice(0, none, 2)), black = in[0](slice(1, none, 2));
              const Array next = 0.5f * (black + roll(black, 1, 0));
              const Array u = in[0].at(slice(0, none, 2)).set(next);
              return Arrays{u.at(slice(1, none, 2)).set(0.5f * (next + roll(next, -1, 0)) + 0.f * red)};
            }),
            2 * row);
  // Inside the borders, by rows that are no whole steps.
  EXPECT_LE(sent([](const Arrays& in) {
              const Array& u = in[0];
              return Arrays{u.at(slice(1, -1, 2)).set(u(slice(0, -2, 2)) + u(slice(2, none, 2)))};
            }),
            2 * row);
}

TEST(Windows, RandomStepsAndUpdates) {
  for (int seed = 0; seed < 80; ++seed) {
    std::mt19937 rng(static_cast<unsigned>(seed));
    const std::uint32_t start = rng();
    const bool two = rng() % 2 == 0;
    const std::int64_t n = rng() % 3 == 0 ? 30 : 48;
    const Function f = [=](const Arrays& in) {
      std::mt19937 rng(start);
      auto any = [&](std::int64_t k) { return static_cast<std::int64_t>(rng() % static_cast<unsigned>(k)); };
      std::vector<Array> values{in[0]};
      for (int k = 0; k < 6; ++k) {
        const Array x = values[static_cast<std::size_t>(any(static_cast<std::int64_t>(values.size())))];
        const int d = two ? static_cast<int>(any(2)) : 0;
        const std::int64_t rows = x.shape()[d], step = 1 + any(4), first = any(4), last = rows - any(4);
        if (rows < 12) continue;
        auto piece = [&](std::int64_t from, std::int64_t to, std::int64_t by) {
          return d == 0 ? Index(slice(from, to, by)) : Index(slice(none));
        };
        auto other = [&](std::int64_t from, std::int64_t to, std::int64_t by) {
          return d == 1 ? Index(slice(from, to, by)) : Index(slice(none));
        };
        const Array part = x(piece(first, last, step), other(first, last, step));
        std::vector<lax::PadDim> config(2);
        config[static_cast<std::size_t>(d)] = {any(3), any(3), 0};
        const auto at = x.at(piece(first, last, step), other(first, last, step));
        switch (any(7)) {
          case 0: values.push_back(part); break;
          case 1: values.push_back(at.set(sin(part) + 1.f)); break;
          case 2: values.push_back(at.add(part)); break;
          case 3: values.push_back(at.multiply(0.5f)); break;
          case 4: values.push_back(lax::pad(x, Array(0.5f), config)); break;
          case 5: {
            config[static_cast<std::size_t>(d)] = {any(3), any(3), any(3)};
            values.push_back(lax::pad(part, Array(0.25f), config));
            break;
          }
          default: values.push_back(sin(x) + roll(x, 1, d));
        }
      }
      return Arrays{values.back(), values[values.size() / 2]};
    };
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (two)
      sent_by(type({n, n}), P("x", "y"), grid({2, 2}, {"x", "y"}), f);
    else
      sent_by(type({n, 5}), P("x"), grid({4}, "x"), f);
    if (::testing::Test::HasFailure()) return;
  }
}

// Results whose blocks begin elsewhere: the rows between are sent.
TEST(Windows, SlicesAndPadsSendWhatLiesBetweenBlocks) {
  const Type x = type({64, 5});
  const double row = 4.0 * 5;
  auto sent = [&](const Function& f) { return sent_by(x, P("x"), grid({4}, "x"), f) / row; };
  EXPECT_EQ(sent([](const Arrays& in) { return Arrays{in[0](slice(0, 60))}; }), 3);
  EXPECT_EQ(sent([](const Arrays& in) { return Arrays{in[0](slice(4, none))}; }), 3);
  EXPECT_EQ(sent([](const Arrays& in) { return Arrays{lax::pad(in[0], Array(0.5f), {{2, 2, 0}, {1, -1, 0}})}; }), 2);
  EXPECT_EQ(sent([](const Arrays& in) { return Arrays{in[0](slice(none, none, 3))}; }), 4);
  // Over two axes, of which blocks of the result are not all in line.
  sent_by(type({16, 5}), P(axes("x", "y")), grid({2, 4}, {"x", "y"}), [](const Arrays& in) {
    return Arrays{in[0](slice(0, 10)), in[0](slice(3, 12)), in[0](slice(none, none, 2))};
  });
}

// Reflected borders are rows that neighbours in the stencil need, too.
TEST(Windows, ReflectedBordersSendNothingMore) {
  const double row = 4.0 * 5;
  for (const PadMode mode : {PadMode::reflect, PadMode::symmetric, PadMode::edge})
    for (const std::int64_t reach : {1, 2})
      EXPECT_LE(sent_by(type({32, 5}), P("x"), grid({4}, "x"),
                        [&](const Arrays& in) {
                          const Array p = pad(in[0], {{reach, reach}, {0, 0}}, mode);
                          Array out = zeros(in[0].shape());
                          for (std::int64_t k = 0; k <= 2 * reach; ++k)
                            out = out + p(slice(k, k + 32)) * static_cast<float>(k + 1);
                          return Arrays{out};
                        }),
                2 * static_cast<double>(reach) * row)
          << reach;
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
