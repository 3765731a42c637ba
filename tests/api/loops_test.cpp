// Loops as users write them: the same values on one device, cut over a mesh, and on isolated devices, which send what
// is planned.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Mesh mesh_2x4() { return make_mesh({2, 4}, {"data", "model"}); }
Array cut(const Array& x, PartitionSpec spec) { return device_put(x, NamedSharding(mesh_2x4(), spec)); }

void near(const Array& a, const Array& b) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(allclose(a, b, 2e-4, 1e-5).item<bool>()) << a << "\n" << b;
}
template <class T> void all_near(const T& a, const T& b) {
  const std::vector<Array> x = tree::leaves(a), y = tree::leaves(b);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) near(x[i], y[i]);
}

// `12.6 MB, 3 messages` of the line that begins with `word`.
std::string total(const std::string& explained, const std::string& word) {
  const std::size_t at = explained.find("\n  " + word);
  if (at == explained.npos) return "no " + word;
  std::string line = explained.substr(at + 3 + word.size());
  line = line.substr(line.find_first_not_of(' '));
  return line.substr(0, line.find(" messages"));
}

// `f` of plain arguments, of the same cut over a mesh, and of these on isolated devices. `counted`: explain knows how
// many steps there are. Returns what explain says.
template <class F, class... A>
std::string check(const F& f, const std::tuple<A...>& plain, const std::tuple<A...>& cut, bool counted = true) {
  const auto want = std::apply(jit(f), plain);
  auto g = jit(f);
  all_near(std::apply(g, cut), want);
  config::isolation(Isolation::per_device);
  auto isolated = jit(f);
  all_near(std::apply(isolated, cut), want);
  const std::string text = std::apply([&](const A&... args) { return isolated.explain(args...).all(); }, cut);
  config::isolation(Isolation::shared);
  if (counted) {
    EXPECT_EQ(total(text, "planned"), total(text, "sent")) << text;
  }
  return text;
}

TEST(Loops, HeatEquation) {
  auto heat = [](const Array& start) {
    return lax::fori_loop(
        0, 20,
        [](const Array&, const Array& u) {
          return u + 0.1f * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u);
        },
        start);
  };
  Array u = sin(arange(96.f * 64.f)).reshape(96, 64);  // neighbours cost less than all of it once
  const std::string text = check(heat, std::tuple{u}, std::tuple{cut(u, P("data", "model"))});
  EXPECT_NE(text.find("x 20"), text.npos) << text;
  EXPECT_EQ(jit(heat)(cut(u, P("data", "model"))).sharding().spec(), P("data", "model"));
}

struct Search {
  Array x, r, p, rr;
};

TEST(Loops, ConjugateGradients) {
  auto solve = [](const Array& a, const Array& b) {
    Search start{b * 0, b, b, dot(b, b)};
    Search end = lax::while_loop([](const Search& s) { return s.rr > 1e-9f; },
                                 [&](const Search& s) {
                                   Array ap = dot(a, s.p), alpha = s.rr / dot(s.p, ap);
                                   Array r = s.r - alpha * ap, rr = dot(r, r);
                                   return Search{s.x + alpha * s.p, r, r + rr / s.rr * s.p, rr};
                                 },
                                 start);
    return end.x;
  };
  Array m = sin(arange(24.f * 24.f)).reshape(24, 24), a = dot(m, transpose(m)) * 0.1f + 3 * eye(24),
        b = cos(arange(24.f));
  for (PartitionSpec s : {P("data"), P("model", "data"), P(none, "model")}) {
    const std::string text = check(solve, std::tuple{a, b}, std::tuple{cut(a, s), cut(b, P())}, false);
    EXPECT_NE(text.find("each step of while_loop"), text.npos) << text;
  }
  near(dot(a, jit(solve)(a, b)), b);
}

struct StackedLayers {
  Array up, down;  // stacked
};

TEST(Loops, GradientOfAScanOverLayers) {
  const std::int64_t layers = 5, batch = 8, width = 16, hidden = 32;
  auto loss = [](const StackedLayers& w, const Array& x) {
    auto [h, none_made] = lax::scan(
        [](const Array& h, const StackedLayers& w) {
          return std::pair{h + dot(tanh(dot(h, w.up)), w.down), none_t()};
        },
        x, w);
    return mean(square(h));
  };
  StackedLayers w{sin(arange(static_cast<float>(layers * width * hidden))).reshape(layers, width, hidden) * 0.1f,
                  cos(arange(static_cast<float>(layers * hidden * width))).reshape(layers, hidden, width) * 0.1f};
  Array x = sin(arange(static_cast<float>(batch * width))).reshape(batch, width);
  StackedLayers cut_w{cut(w.up, P(none, none, "model")), cut(w.down, P(none, "model"))};
  const std::string text = check([&](const StackedLayers& w, const Array& x) { return value_and_grad(loss)(w, x); },
                                 std::tuple{w, x}, std::tuple{cut_w, cut(x, P("data"))});
  // The textbook: activations over 'model' in each step forwards and backwards, gradients over 'data' once.
  EXPECT_EQ(text.find("'data'") == text.npos, false);
  StackedLayers g = jit(grad(loss))(cut_w, cut(x, P("data")));
  EXPECT_EQ(g.up.sharding().spec(), P(none, none, "model"));
  EXPECT_EQ(g.down.sharding().spec(), P(none, "model"));
}

TEST(Loops, BranchesInLoops) {
  auto f = [](const Array& x, const Array& w) {
    return lax::scan(
               [&](const Array& c, const Array& i) {
                 Array next = lax::cond(
                     i % 2 == 0, [&](const Array& c) { return tanh(dot(c, w)); },
                     [](const Array& c) { return c - mean(c, 0, true); }, c);
                 return std::pair{next, sum(next)};
               },
               x, arange(6))
        .second;
  };
  Array x = sin(arange(64.f)).reshape(8, 8), w = cos(arange(64.f)).reshape(8, 8);
  check(f, std::tuple{x, w}, std::tuple{cut(x, P("data")), cut(w, P("model"))}, false);
  check(f, std::tuple{x, w}, std::tuple{cut(x, P("model", "data")), cut(w, P(none, "data"))}, false);
}

// Each step's sum is made small before it is added: all of them first would be more than a half float holds.
TEST(Loops, HalvesAreAddedUpAsWritten) {
  auto f = [](const Array& rows) {
    return lax::scan(
               [](const Array& c, const Array& row) {
                 return std::pair{c + sum(row) * 0.0009765625f, c};
               },
               zeros({}, float16), rows)
        .first;
  };
  EXPECT_EQ(jit(f)(full({16, 64}, 1000.f, float16)).astype(float32).item<float>(), 1000.f);
}

TEST(Loops, HoldCollectivesInManualRegions) {
  Mesh mesh = mesh_2x4();
  auto f = [&](const Array& x) {
    return shard_map(
        [](const Array& block) {
          auto [last, sums] = lax::scan(
              [](const Array& c, const Array& row) {
                Array total = lax::psum(sum(c), "data");
                return std::pair{c * 0.5f + row, total};
              },
              block[0], block);
          return std::pair{last, sums};
        },
        {.mesh = mesh, .in_specs = P(none, "data"), .out_specs = {P("data"), P()}})(x);
  };
  Array x = sin(arange(64.f)).reshape(8, 8);
  const std::string text = check(f, std::tuple{x}, std::tuple{cut(x, P())});
  EXPECT_NE(text.find("x 8"), text.npos) << text;
}

TEST(Loops, HoldManualRegions) {
  Mesh mesh = mesh_2x4();
  auto f = [&](const Array& x) {
    auto region = shard_map([](const Array& block) { return block - lax::pmean(block, "model"); },
                            {.mesh = mesh, .in_specs = P("data", "model"), .out_specs = P("data", "model")});
    return lax::fori_loop(
        0, 3, [&](const Array&, const Array& c) { return sin(region(c)) + c; }, x);
  };
  Array x = sin(arange(64.f)).reshape(8, 8);
  const std::string text = check(f, std::tuple{x}, std::tuple{cut(x, P("data"))});
  EXPECT_NE(text.find("x 3"), text.npos) << text;
}

// Devices go round as often as each of them needs; a collective behind the loop brings them together.
TEST(Loops, ConditionsMayDifferFromDeviceToDevice) {
  auto halvings = shard_map(
      [](const Array& block) {
        Array steps = lax::while_loop([](const std::pair<Array, Array>& c) { return max(c.first) > 1; },
                                      [](const std::pair<Array, Array>& c) {
                                        return std::pair{c.first * 0.5f, c.second + 1};
                                      },
                                      std::pair{block, block * 0})
                          .second;
        return steps + lax::psum(max(steps), "data");
      },
      {.mesh = mesh_2x4(), .in_specs = P(Names{"data", "model"}), .out_specs = P(Names{"data", "model"})});
  auto f = [&](const Array& x) { return halvings(x); };
  Array x = arange(16.f) * arange(16.f);
  check(f, std::tuple{x}, std::tuple{cut(x, P("model"))});
}

// What stands in a branch that is taken by some devices of a group only cannot be sent.
TEST(Loops, RefuseCollectivesUnderConditionsThatDiffer) {
  auto f = shard_map(
      [](const Array& block) {
        return lax::cond(
            sum(block) > 120, [](const Array& b) { return lax::psum(b, "model"); },
            [](const Array& b) { return lax::psum(b * 2, "model"); }, block);
      },
      {.mesh = mesh_2x4(), .in_specs = P(none, "model"), .out_specs = P(), .check_vma = false});
  config::isolation(Isolation::per_device);
  EXPECT_THROW(f(arange(32.f).reshape(4, 8)), Error);
  config::isolation(Isolation::shared);
}

TEST(Loops, ShardingsAreInspectedInBodies) {
  std::vector<Sharding> seen;
  auto f = jit([&](const Array& x) {
    return lax::scan(
        [&](const Array& c, const Array& row) {
          debug::inspect_array_sharding(c, [&](const Sharding& s) { seen.push_back(s); });
          return std::pair{c + row, sum(c)};
        },
        x.sum(0), x);
  });
  Array x = cut(arange(64.f).reshape(8, 8), P(none, "model"));
  f(x);
  f(x);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].spec(), P("model"));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
