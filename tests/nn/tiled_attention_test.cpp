// Attention in tiles is attention with all logits in memory, in every option and derivative, without that memory.
#include "nn/tiled_attention.hpp"

#include "nn/check.hpp"

namespace tutti::testing {
namespace {

using nn::AttentionOperands;
using Options = nn::DotProductAttentionOptions;

Array normal(int seed, const Shape& shape) { return random::normal(random::key(seed), shape); }

struct Inputs {
  Array q, k, v, bias{};
};
Inputs inputs(int queries = 13, int keys = 13, int heads = 4, int groups = 4, const Shape& bias = {}) {
  return {normal(1, {2, queries, heads, 3}), normal(2, {2, keys, groups, 3}), normal(3, {2, keys, groups, 3}),
          bias.ndim() ? normal(4, bias) : Array()};
}
// With tiles of 5 queries and 4 keys, which fill up neither.
auto tiled(const Options& o) {
  return [o](const Inputs& x) {
    const auto window = o.local_window_size.value_or(std::pair{0, 0});
    return nn::attend_in_tiles({x.q, x.k, x.v, x.bias, o.mask, Array(o.scale.value_or(0.6)), o.key_value_seq_lengths},
                               {o.is_causal, o.local_window_size.has_value(), window.first, window.second}, {5, 4});
  };
}
auto at_once(const Options& o) {
  return [o](const Inputs& x) {
    Options all = o;
    all.bias = x.bias;
    all.scale = o.scale.value_or(0.6);
    all.tiled = false;
    return nn::dot_product_attention(x.q, x.k, x.v, all);
  };
}
template <class F> auto loss(const F& f) {
  return [f](const Inputs& x) { return sum(sin(f(x)) * arange(3.f)); };
}

struct TiledCase {
  const char* name;
  Inputs x;
  Options options;
};
std::vector<TiledCase> cases() {
  const Array some = normal(9, {2, 4, 13, 13}) > -0.5;
  return {
      {"plain", inputs(), {}},
      {"causal", inputs(), {.is_causal = true}},
      {"other lengths, causal", inputs(9, 16), {.is_causal = true}},
      {"whole tiles", inputs(10, 8), {.scale = 0.2}},
      {"groups", inputs(13, 13, 4, 2), {.is_causal = true}},
      {"one group", inputs(7, 12, 4, 1, {2, 4, 7, 12}), {}},
      {"bias", inputs(13, 13, 4, 4, {2, 4, 13, 13}), {.is_causal = true}},
      {"bias of heads and keys", inputs(13, 13, 4, 4, {1, 4, 1, 13}), {}},
      {"bias of queries", inputs(13, 13, 4, 2, {2, 1, 13, 1}), {}},
      {"bias of nothing", inputs(13, 13, 4, 4, {1, 1, 1, 1}), {}},
      {"mask", inputs(), {.mask = some}},
      {"mask, causal: some see nothing", inputs(), {.mask = some(slice(0, 1), slice(0, 1)), .is_causal = true}},
      {"window", inputs(), {.local_window_size = std::pair{3, 2}}},
      {"window past the keys", inputs(16, 6), {.local_window_size = std::pair{1, 0}}},
      {"lengths", inputs(), {.is_causal = true, .key_value_seq_lengths = array({3, 13})}},
      {"no keys", inputs(), {.is_causal = true, .key_value_seq_lengths = array({0, 7})}},
  };
}

}  // namespace

TEST(TiledAttention, IsAttentionAtOnce) {
  for (const TiledCase& c : cases()) {
    SCOPED_TRACE(c.name);
    expect_close(jit(tiled(c.options))(c.x), at_once(c.options)(c.x), 1e-6);
    const Inputs got = jit(grad(loss(tiled(c.options))))(c.x), want = jit(grad(loss(at_once(c.options))))(c.x);
    const std::vector<Array> a = tree::leaves(got), b = tree::leaves(want);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_TRUE(bool(allclose(a[i], b[i], 1e-5, 5e-6))) << a[i] << b[i];
  }
}

TEST(TiledAttention, DerivativesInEveryOrder) {
  const Options o{.mask = normal(9, {1, 1, 13, 13}) > -1.5, .is_causal = true};
  const Inputs x = inputs(13, 13, 4, 2, {1, 4, 1, 13}), dx = tree::map([](const Array&a) { return cos(a * 3); }, x);
  auto modes = [&](const auto& f) {
    auto l = loss(f);
    auto slope = [=](const Inputs& x) {
      return tree::leaves(tree::map([](const Array& a, const Array& d) { return sum(a * d); }, grad(l)(x), dx));
    };
    auto total = [=](const Inputs& x) {
      Array out = Array(0.f);
      for (const Array& a : slope(x)) out = out + a;
      return out;
    };
    return std::tuple{jit([=](const Inputs& x) { return jvp(f, std::tuple{x}, std::tuple{dx}).second; })(x),
                      jit([=](const Inputs& x) { return jvp(grad(l), std::tuple{x}, std::tuple{dx}).second; })(x),
                      jit(grad(total))(x)};
  };
  auto [forward, forward_reverse, reverse_reverse] = modes(tiled(o));
  auto [forward2, forward_reverse2, reverse_reverse2] = modes(at_once(o));
  expect_close(forward, forward2, 1e-5);
  expect_trees_close(forward_reverse, forward_reverse2, 1e-5);
  expect_trees_close(reverse_reverse, reverse_reverse2, 1e-5);
}

TEST(TiledAttention, MapsAndNarrowTypes) {
  const Inputs x = inputs();
  auto rows = [&](const Inputs& x) { return tree::map([](const Array& a) { return stack({a, a * 0.5}); }, x); };
  const Options o{.is_causal = true};
  expect_trees_close(jit(vmap(grad(loss(tiled(o)))))(rows(x)), jit(vmap(grad(loss(at_once(o)))))(rows(x)), 4e-6);
  const Inputs narrow = tree::map([](const Array& a) { return a.astype(bfloat16); }, x);
  EXPECT_EQ(tiled(o)(narrow).dtype(), bfloat16);
  expect_close(tiled(o)(narrow).astype(float32), at_once(o)(x), 2e-2);
  expect_close(grad(loss(tiled(o)))(narrow).q.astype(float32), grad(loss(at_once(o)))(x).q, 5e-2);
}

// Twice the positions take twice the memory; the logits alone would be 32 and 128 MiB.
TEST(TiledAttention, MemoryGrowsWithThePositions) {
  auto bytes = [](int positions, bool gradient, std::optional<bool> tiled) {
    auto f = [=](const Inputs& x) {
      return nn::dot_product_attention(x.q, x.k, x.v, {.is_causal = true, .tiled = tiled}).sum();
    };
    const Inputs x{zeros({1, positions, 2, 32}), zeros({1, positions, 2, 32}), zeros({1, positions, 2, 32})};
    const auto m =
        gradient ? jit(grad(f)).lower(x).compile().memory_analysis() : jit(f).lower(x).compile().memory_analysis();
    return static_cast<double>(m.temporary_bytes);
  };
  for (bool gradient : {false, true}) {
    const double few = bytes(2048, gradient, true), many = bytes(4096, gradient, true);
    const double input = 2048. * 2 * 32 * 4, logits = 2. * 2048 * 2048 * 4;
    EXPECT_LT(many, 2.1 * few);
    EXPECT_LT(few, (gradient ? 14 : 5) * input + (4 << 20));
    EXPECT_GT(bytes(2048, gradient, false), logits);
    EXPECT_EQ(bytes(4096, gradient, std::nullopt), many);  // so it is chosen
    EXPECT_EQ(bytes(256, gradient, std::nullopt), bytes(256, gradient, false));
  }
}

TEST(TiledAttention, HeadsAndExamplesDoNotMeet) {
  set_cpu_devices(8);
  const NamedSharding by_head(make_mesh({2, 4}, {"data", "model"}), P("data", none, "model"));
  const Inputs x = inputs(), placed = device_put(x, by_head);
  auto value = jit(tiled({.is_causal = true}));
  auto gradient = jit(grad(loss(tiled({.is_causal = true}))));
  expect_close(value(placed), value(x), 1e-6);
  EXPECT_EQ(value(placed).sharding(), Sharding(by_head));
  for (const std::string& plan : {value.explain(placed).all(), gradient.explain(placed).all()})
    EXPECT_NE(plan.find("planned  0 B, 0 messages, 0 collectives"), std::string::npos) << plan;
  config::isolation(Isolation::per_device);
  const Inputs isolated = gradient(placed);
  config::isolation(Isolation::shared);
  expect_trees_close(isolated, gradient(x), 1e-5);
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
