// Values that are a part of a sharded dim, or a little longer: neighbours send each other rows, whatever the spelling.
#include "partition/explain.hpp"
#include "partition/min_cut.hpp"
#include "partition/programs.hpp"
#include "propagate/propagate.hpp"
#include "tutti/lax/windows.hpp"

namespace tutti::testing {
namespace {

constexpr std::int64_t n = 32, m = 12;
constexpr double row = 4.0 * m;

double sent(const Function& f, const PartitionSpec& spec = P("x"), const Mesh& mesh = grid({4}, "x")) {
  const LocalProgram local = check_placed({type({n, m})}, {spec}, mesh, f);
  SCOPED_TRACE(explain(local));
  return total_bytes(local);
}
Array below(const Array& x, std::int64_t k = 1) { return x(slice(none, -k)); }
Array above(const Array& x, std::int64_t k = 1) { return x(slice(k, none)); }

TEST(Alignment, DifferencesSendOneRow) {
  EXPECT_EQ(sent([](const Arrays& in) { return Arrays{sum(square(above(in[0]) - below(in[0])), 1).sum()}; }), row + 6);
  EXPECT_LE(sent([](const Arrays& in) { return Arrays{sum(square(diff(in[0], 2, {.axis = 0})))}; }), 2 * row + 6);
}

TEST(Alignment, TheTextbookStepSendsARowToEitherSide) {
  EXPECT_EQ(sent([](const Arrays& in) {
              const Array& u = in[0];
              return Arrays{u.at(slice(1, -1)).add(0.1f * (above(u, 2) - 2 * u(slice(1, -1)) + below(u, 2)))};
            }),
            2 * row);
  // In the inner of two dims, both sharded: no corners are needed.
  EXPECT_EQ(sent(
                [](const Arrays& in) {
                  const Array& u = in[0];
                  const auto c = slice(1, -1), l = slice(none, -2), h = slice(2, none);
                  return Arrays{u.at(c, c).set(u(l, c) + u(h, c) + u(c, l) + u(c, h) - 4 * u(c, c))};
                },
                P("x", "y"), grid({2, 2}, {"x", "y"})),
            2 * 4.0 * (m / 2) + 2 * 4.0 * (n / 2));
}

TEST(Alignment, EdgesOfTwoShardedDimsAreSeenThrough) {
  EXPECT_LE(sent(
                [](const Arrays& in) {
                  const Array p = pad(in[0], {{1, 1}, {1, 1}}, PadMode::edge);
                  const auto c = slice(1, -1), l = slice(none, -2), h = slice(2, none);
                  return Arrays{p(h, c) + p(l, c) + p(c, h) + p(c, l) - 4 * in[0]};
                },
                P("x", "y"), grid({2, 2}, {"x", "y"})),
            2 * 4.0 * (m / 2) + 2 * 4.0 * (n / 2));
}

TEST(Alignment, WhatIsCheapestToMoveIsMoved) {
  // Logits of all tokens but the last, labels of all but the first.
  const LocalProgram local =
      check_placed({type({n, 64}), type({n})}, {P("x"), P("x")}, grid({4}, "x"), [](const Arrays& in) {
        const Array logits = below(in[0]), labels = above(in[1]);
        return Arrays{(logits.sum(1) * exp(labels * 2.f) - labels).sum()};
      });
  EXPECT_EQ(total_bytes(local), 4 + 6) << explain(local);
}

TEST(Alignment, StepsAreDims) {
  EXPECT_EQ(sent([](const Arrays& in) { return Arrays{in[0](slice(0, none, 2)) + in[0](slice(1, none, 2))}; }), 0);
  EXPECT_EQ(sent([](const Arrays& in) {
              return Arrays{lax::pad(in[0], Array(0.f), {{0, 1, 1}, {0, 0, 0}}) * 2.f};
            }),
            0);
  EXPECT_LE(
      sent([](const Arrays& in) { return Arrays{above(in[0](slice(0, none, 2))) - below(in[0](slice(1, none, 2)))}; }),
      row + 3 * row);  // the result, of 15 rows, lies where propagation left it
}

TEST(Alignment, LeavesNoValueThatIsNotThere) {
  // Of what is beyond the part: infinities and NaN from divisions by zero.
  const Function f = [](const Arrays& in) {
    const Array x = above(in[0] * 0.f + 1.f), y = above(lax::pad(x, Array(0.f), {{0, 1, 0}, {0, 0, 0}}));
    const Array q = x / y;
    return Arrays{q.sum(0), q.max(0), q.min(0), prod(q(slice(0, 3)), 0), matmul(q.T(), q)};
  };
  sent(f);
}

// Chains of what moves rows, and of what computes with them, in one dim or two.
TEST(Alignment, RandomChains) {
  for (int seed = 0; seed < 150; ++seed) {
    std::mt19937 rng(static_cast<unsigned>(seed));
    auto below_n = [&](int k) { return static_cast<std::int64_t>(rng() % static_cast<unsigned>(k)); };
    const std::uint32_t start = rng();
    const bool two = below_n(2) == 0;
    const Function f = [=](const Arrays& in) {
      std::mt19937 rng(start);
      auto any = [&](std::int64_t k) { return static_cast<std::int64_t>(rng() % static_cast<unsigned>(k)); };
      std::vector<Array> values{in[0]};
      for (int k = 0; k < 8; ++k) {
        Array x = values[static_cast<std::size_t>(any(static_cast<std::int64_t>(values.size())))];
        const int d = two ? static_cast<int>(any(2)) : 0;
        const std::int64_t rows = x.shape()[d];
        auto cut = [&](const Array& v, std::int64_t from, std::int64_t to) {
          return lax::slice_in_dim(v, from, to, 1, d);
        };
        auto config = [&](std::int64_t low, std::int64_t high) {
          std::vector<lax::PadDim> c(2);
          c[static_cast<std::size_t>(d)] = {low, high, 0};
          return c;
        };
        switch (any(9)) {
          case 0: values.push_back(cut(x, any(3), rows - any(3))); break;
          case 1: values.push_back(lax::pad(x, Array(0.5f), config(any(3), any(3)))); break;
          case 2: values.push_back(sin(x) * 2.f); break;
          case 3: values.push_back(lax::concatenate({cut(x, 0, 1), x, cut(x, rows - 1, rows)}, d)); break;
          case 4: values.push_back(roll(x, any(3), d)); break;
          case 5: values.push_back(x * lax::broadcasted_iota(float32, x.shape(), d)); break;
          case 6: {
            const std::int64_t from = any(2), to = rows - any(2);
            std::vector<Array> at(2, Array(std::int32_t{0}));
            at[static_cast<std::size_t>(d)] = Array(static_cast<std::int32_t>(from));
            values.push_back(lax::dynamic_update_slice(x, cos(cut(x, from, to)), at));
            break;
          }
          case 7: values.push_back(exp(-square(x)) + x.sum(d, true)); break;
          default: {
            const Array& y = values[static_cast<std::size_t>(any(static_cast<std::int64_t>(values.size())))];
            const std::int64_t a = std::min(x.shape()[0], y.shape()[0]), b = std::min(x.shape()[1], y.shape()[1]);
            auto last = [&](const Array& v) {  // of either the last elements, or the first
              return any(2) ? v(slice(0, a), slice(0, b))
                            : v(slice(v.shape()[0] - a, none), slice(v.shape()[1] - b, none));
            };
            values.push_back(last(x) - 0.5f * last(y));
          }
        }
      }
      return Arrays{values.back(), values[values.size() - 2], values.back().max(0)};
    };
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (two)
      sent(f, P("x", "y"), grid({2, 2}, {"x", "y"}));
    else
      sent(f);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(MinCut, IsTheBestOfAllDecisions) {
  std::mt19937 rng(5);
  auto number = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(rng); };
  for (int round = 0; round < 200; ++round) {
    const int k = 2 + static_cast<int>(rng() % 8);
    MinCut cut(k);
    std::vector<double> yes;
    std::vector<std::tuple<int, int, double>> pairs;
    for (int i = 0; i < k; ++i) {
      yes.push_back(std::round(number(-4, 4)));
      cut.add(i, yes.back());
    }
    for (int p = 0; p < 2 * k; ++p) {
      pairs.emplace_back(static_cast<int>(rng()) & 7, static_cast<int>(rng()) & 7, std::round(number(0, 3)));
      auto& [a, b, cost] = pairs.back();
      a %= k;
      b %= k;
      if (a == b) cost = 0;
      cut.add(a, b, cost);
    }
    auto price = [&](auto is) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += is(i) ? yes[static_cast<std::size_t>(i)] : 0;
      for (const auto& [a, b, cost] : pairs) sum += is(b) && !is(a) ? cost : 0;
      return sum;
    };
    double least = 0;
    for (unsigned all = 0; all < 1u << k; ++all)
      least = std::min(least, price([&](int i) { return (all >> i & 1) != 0; }));
    const std::vector<char> found = cut.solve();
    EXPECT_EQ(price([&](int i) { return found[static_cast<std::size_t>(i)] != 0; }), least) << round;
  }
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
