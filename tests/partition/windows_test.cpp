// Convolutions and reductions over windows of sharded dims: any number of them, strides, dilations, any padding.
#include "tutti/lax/windows.hpp"
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
  // A row of 4 on both sides, then a column of 4 rows and two corners.
  EXPECT_EQ(total_bytes(local), 4.0 * 2 * 3 * (2 * 4 + 2 * (4 + 2))) << explain(local);
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
  for (int seed = 0; seed < 150; ++seed) {
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

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
