// Flax's attention: its names, shapes and numbers (flax 0.12.8), its masks, and its cache.
#include "nn/check.hpp"

namespace tutti::testing {
namespace {

Array sequences() { return linspace(-1, 1, 48).reshape(2, 3, 8); }
std::vector<std::string> places(const Dict& d) {
  std::vector<std::string> out;
  for (auto& [path, leaf] : tree::leaves_with_path(d)) out.push_back(path.str() + leaf.shape().str());
  return out;
}

TEST(FlaxAttention, ProjectionsAreNamedAndDrawnAsInFlax) {
  linen::MultiHeadDotProductAttention m{.num_heads = 2, .qkv_features = 4, .out_features = 3};
  Dict v = linen::init(m, random::key(0), sequences());
  EXPECT_EQ(places(v), (std::vector<std::string>{"params.key.bias(2, 2)", "params.key.kernel(8, 2, 2)",
                                                 "params.out.bias(3,)", "params.out.kernel(2, 2, 3)",
                                                 "params.query.bias(2, 2)", "params.query.kernel(8, 2, 2)",
                                                 "params.value.bias(2, 2)", "params.value.kernel(8, 2, 2)"}));
  expect_close(v["params"]["query"]["kernel"][0], {.33888707f, -.16670486f, .1848439f, -.09739092f});
  Array y = linen::apply(m, v, sequences(), Array(), Array(), linen::make_causal_mask(ones({2, 3})));
  expect_close(y, {.022623762f, -.61950767f, 1.0059017f, -.019663494f, -.5055846f, .83501637f, -.05821854f, -.41128445f,
                   .67003596f, -.21393146f, -.03070215f, .0034684623f, -.24987516f, .049273118f, -.15795124f,
                   -.27817681f, .08912805f, -.30722255f});
  // Keys and values given, one or both, are those used.
  Array other = sequences() * 2 + 1;
  expect_close(linen::apply(m, v, sequences(), sequences()), linen::apply(m, v, sequences()));
  expect_close(linen::apply(m, v, sequences(), other), linen::apply(m, v, sequences(), other, other));
  EXPECT_GT(float(max(abs(linen::apply(m, v, sequences(), other) - linen::apply(m, v, sequences())))), 1e-2);
}

TEST(FlaxAttention, SelfAttentionDropsAndNormalizes) {
  linen::SelfAttention m{{.num_heads = 2, .dropout_rate = .5}};
  linen::Rngs keys{{"params", random::key(0)}, {"dropout", random::key(1)}};
  Dict v = linen::init(m, keys, sequences());
  Array y = linen::apply(m, v, linen::ApplyOptions{.rngs = {{"dropout", random::key(2)}}}, sequences());
  expect_close(y[0](slice(0, 1), slice(0, 6)),
               {.0042625368f, 1.850067f, -2.6222222f, -.96725667f, 1.5257599f, -.79473472f});
  m.deterministic = true;
  Array still = linen::apply(m, v, sequences());
  EXPECT_GT(float(max(abs(y - still))), 1e-2);
  expect_close(linen::apply(linen::MultiHeadAttention{{.num_heads = 2}}, v, sequences()), still);
  linen::MultiHeadDotProductAttention normal{.num_heads = 2, .normalize_qk = true};
  Dict w = linen::init(normal, random::key(3), sequences());
  expect_close(linen::apply(normal, w, sequences())[0](slice(0, 1), slice(0, 6)),
               {-.40261167f, -.23910461f, -.20380622f, -.468368f, -.29555166f, -.013805166f});
}

TEST(FlaxAttention, WeightsSumToOneAndDropTogether) {
  Array q = random::normal(random::key(1), {2, 4, 3, 5}), k = random::normal(random::key(2), {2, 6, 3, 5});
  Array w = linen::dot_product_attention_weights(q, k);
  EXPECT_EQ(w.shape(), (Shape{2, 3, 4, 6}));
  expect_close(w.sum(-1), ones({2, 3, 4}));
  Array logits = einsum("bqhd,bkhd->bhqk", {q, k}) / std::sqrt(5.);
  Array bias = arange(6.), mask = arange(6) != 2;
  expect_close(linen::dot_product_attention_weights(q, k, {.bias = bias, .mask = mask}),
               nn::softmax(where(mask, logits + bias, -1e30)));
  Array dropped = linen::dot_product_attention_weights(q, k, {.dropout_rng = random::key(0), .dropout_rate = .5});
  Array kept = dropped[0](0) != 0;
  EXPECT_TRUE(bool(any(kept)) && !bool(all(kept)));
  expect_close(dropped, where(kept, 2 * w, 0));  // the same places in every head and example
  Array apart = linen::dot_product_attention_weights(
      q, k, {.broadcast_dropout = false, .dropout_rng = random::key(0), .dropout_rate = .5});
  EXPECT_FALSE(bool(array_equal(apart[0] != 0, apart[1] != 0)));
  EXPECT_THROW(linen::dot_product_attention_weights(q, k, {.dropout_rate = .5}), ValueError);
  EXPECT_THROW(linen::dot_product_attention_weights(q, k[0]), ShapeError);
  EXPECT_THROW(linen::dot_product_attention(q, k, k(all, slice(0, 5))), ShapeError);
}

TEST(FlaxAttention, DecodesWithItsCache) {
  linen::MultiHeadDotProductAttention m{.num_heads = 2, .decode = true}, whole{.num_heads = 2};
  Dict v = linen::init(m, random::key(0), sequences());
  EXPECT_EQ(v["cache"]["cached_key"].shape(), (Shape{2, 3, 2, 4}));
  Array want = linen::apply(whole, v, sequences(), Array(), Array(), linen::make_causal_mask(ones({2, 3})));
  for (int t = 0; t < 3; ++t) {
    auto [y, changed] = linen::apply_mutable(m, v, {"cache"}, sequences()(all, slice(t, t + 1)));
    expect_close(y, want(all, slice(t, t + 1)));
    v["cache"] = changed["cache"];
    EXPECT_EQ(v["cache"]["cache_index"].item<int>(), t + 1);
  }
  EXPECT_THROW(linen::apply_mutable(m, v, {"cache"}, sequences()), ShapeError);
}

TEST(FlaxAttention, Masks) {
  Array lengths = array({{1, 1, 0}, {1, 1, 1}});
  Array causal = linen::make_causal_mask(lengths);
  EXPECT_EQ(causal.shape(), (Shape{2, 1, 3, 3}));
  EXPECT_TRUE(bool(array_equal(causal, broadcast_to(tri(3, 3), {2, 1, 3, 3}))));
  Array pairs = linen::make_attention_mask(lengths, lengths, multiply, 1, bool_);
  EXPECT_EQ(pairs.shape(), (Shape{1, 2, 1, 3, 3}));
  EXPECT_TRUE(bool(array_equal(pairs[0](0, 0), (outer(lengths[0], lengths[0]) != 0))));
  Array both = linen::combine_masks({causal, Array(), pairs[0]});
  EXPECT_TRUE(bool(array_equal(both, causal * pairs[0])));
  EXPECT_EQ(both.dtype(), float32);
  EXPECT_FALSE(linen::combine_masks({Array(), Array()}).has_value());
  EXPECT_THROW(linen::combine_masks({causal, pairs}), ShapeError);
  EXPECT_THROW(linen::make_causal_mask(Array(1.f)), ShapeError);
  EXPECT_THROW(linen::make_causal_mask(lengths, -1), ValueError);
}

TEST(FlaxAttention, DenseGeneral) {
  linen::DenseGeneral m{.features = {2, 3}, .axis = {1, -1}, .batch_dims = {0}};
  Dict v = linen::init(m, random::key(1), sequences());
  EXPECT_EQ(places(v), (std::vector<std::string>{"params.bias(2, 2, 3)", "params.kernel(2, 3, 8, 2, 3)"}));
  expect_close(linen::apply(m, v, sequences()),
               {-.33391324f, .1614587f, -.08098854f, .26123473f, .18118015f, -.25057995f, .17383274f, -.66576743f,
                -.358635813f, -.32230014f, -.46369383f, -.3782908f});
  // One axis and one number of features: Dense. Two, in the order given.
  Dict w = linen::init(linen::Dense{5}, random::key(2), sequences());
  expect_trees_close(linen::init(linen::DenseGeneral{{5}}, random::key(2), sequences()), w);
  expect_close(linen::apply(linen::DenseGeneral{{5}}, w, sequences()), linen::apply(linen::Dense{5}, w, sequences()));
  linen::DenseGeneral turned{.features = {4}, .axis = {-1, 1}};
  Dict u = linen::init(turned, random::key(3), sequences());
  u["params"]["bias"] = arange(4.);
  expect_close(linen::apply(turned, u, sequences()),
               einsum("btf,ftn->bn", {sequences(), u["params"]["kernel"]}) + arange(4.));
  EXPECT_THROW(linen::init(linen::DenseGeneral{.axis = {3}}, random::key(0), sequences()), IndexError);
  EXPECT_THROW(linen::init(linen::DenseGeneral{.axis = {2, -1}}, random::key(0), sequences()), IndexError);
  EXPECT_THROW(linen::init(linen::DenseGeneral{.batch_dims = {1}}, random::key(0), sequences()), ValueError);
  EXPECT_THROW(linen::init(linen::MultiHeadDotProductAttention{.num_heads = 3}, random::key(0), sequences()),
               ValueError);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
