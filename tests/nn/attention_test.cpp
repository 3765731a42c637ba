// Attention against its definition, summed on the host in double, head by head.
#include "nn/check.hpp"

namespace tutti::testing {
namespace {

using Options = nn::DotProductAttentionOptions;

Array draw(int seed, const Shape& shape) { return random::normal(random::key(seed), shape); }

// What the definition says of one query: its logits over the keys it sees, in order. Everything row-major.
struct Case {
  int batch = 2, queries = 5, keys = 5, heads = 4, groups = 4, size = 3;
  Array q = draw(1, {batch, queries, heads, size}), k = draw(2, {batch, keys, groups, size});
  Array v = draw(3, {batch, keys, groups, size});

  template <class Sees, class Bias> Array expected(double scale, const Sees& sees, const Bias& bias) const {
    const auto fq = q.to_vector<float>(), fk = k.to_vector<float>(), fv = v.to_vector<float>();
    std::vector<float> out(fq.size());
    for (int b = 0; b < batch; ++b)
      for (int h = 0; h < heads; ++h)
        for (int i = 0; i < queries; ++i) {
          const int group = h / (heads / groups);
          auto key = [&](int j, int d) { return std::size_t(((b * keys + j) * groups + group) * size + d); };
          const std::size_t row = std::size_t(((b * queries + i) * heads + h) * size);
          std::vector<double> weight(std::size_t(keys), 0.);
          double total = 0;
          for (int j = 0; j < keys; ++j) {
            if (!sees(b, h, i, j)) continue;
            double dot = 0;
            for (int d = 0; d < size; ++d) dot += double(fq[row + std::size_t(d)]) * fk[key(j, d)];
            total += weight[std::size_t(j)] = std::exp(scale * dot + bias(b, h, i, j));
          }
          for (int d = 0; d < size; ++d) {
            double sum = 0;
            for (int j = 0; j < keys; ++j) sum += weight[std::size_t(j)] / total * fv[key(j, d)];
            out[row + std::size_t(d)] = float(sum);
          }
        }
    return array(out, q.shape());
  }
  template <class Sees> Array expected(const Sees& sees) const {
    return expected(1 / std::sqrt(double(size)), sees, [](int, int, int, int) { return 0.; });
  }
  Array attend(const Options& options) const { return nn::dot_product_attention(q, k, v, options); }
};

TEST(Attention, IsItsDefinition) {
  Case c;
  expect_close(c.attend({}), c.expected([](int, int, int, int) { return true; }), 1e-6);
  expect_close(c.attend({.is_causal = true}), c.expected([](int, int, int i, int j) { return j <= i; }), 1e-6);
  expect_close(c.attend({.local_window_size = std::pair{2, 1}}),
               c.expected([](int, int, int i, int j) { return j >= i - 2 && j <= i + 1; }), 1e-6);
  expect_close(c.attend({.is_causal = true, .local_window_size = std::pair{1, 3}}),
               c.expected([](int, int, int i, int j) { return j >= i - 1 && j <= i; }), 1e-6);
  expect_close(c.attend({.key_value_seq_lengths = array({2, 5})}),
               c.expected([](int b, int, int, int j) { return j < (b == 0 ? 2 : 5); }), 1e-6);
  Array bias = draw(4, {1, 4, 5, 5});
  const auto numbers = bias.to_vector<float>();
  expect_close(c.attend({.bias = bias, .scale = 0.3}),
               c.expected(
                   0.3, [](int, int, int, int) { return true; },
                   [&](int, int h, int i, int j) { return double(numbers[std::size_t((h * 5 + i) * 5 + j)]); }),
               1e-6);
}

TEST(Attention, MasksBroadcast) {
  Case c;
  Array by_key = array({1, 0, 1, 1, 0}) != 0;
  auto sees = [](int, int, int, int j) { return j != 1 && j != 4; };
  expect_close(c.attend({.mask = by_key}), c.expected(sees), 1e-6);
  expect_close(c.attend({.mask = by_key.reshape(1, 1, 1, 5)}), c.expected(sees), 1e-6);
  Array by_head = array({1, 0, 1, 0}).reshape(4, 1, 1) != (arange(5) < 2);
  expect_close(c.attend({.mask = by_head}), c.expected([](int, int h, int, int j) { return (h % 2 == 0) != (j < 2); }),
               1e-6);
  // A query that sees no key has equal weights; one behind the end of its text is 0.
  Array none = c.attend({.mask = zeros({5}, bool_)});
  expect_close(none, broadcast_to(mean(c.v, 1, true), none.shape()), 1e-6);
  Array cut = c.attend({.query_seq_lengths = array({3, 5})});
  EXPECT_EQ(float(max(abs(cut(0, slice(3, 5))))), 0);
  expect_close(cut(1), c.attend({})(1), 1e-6);
}

TEST(Attention, HeadsShareKeysInGroups) {
  for (int groups : {1, 2}) {
    Case c{.queries = 3, .keys = 6, .groups = groups};
    auto sees = [](int, int, int, int) { return true; };
    expect_close(c.attend({}), c.expected(sees), 1e-6);
    Array mask = draw(5, {2, 4, 3, 6}) > -1.;
    Array whole =
        nn::dot_product_attention(c.q, repeat(c.k, 4 / groups, 2), repeat(c.v, 4 / groups, 2), {.mask = mask});
    expect_close(c.attend({.mask = mask}), whole, 1e-6);
  }
}

TEST(Attention, TransformsAndDtypes) {
  Case c;
  auto f = [](const Array& q, const Array& k, const Array& v) {
    return nn::dot_product_attention(q, k, v, {.is_causal = true});
  };
  expect_close(jit(f)(c.q, c.k, c.v), f(c.q, c.k, c.v));
  expect_close(f(c.q[0], c.k[0], c.v[0]), f(c.q, c.k, c.v)[0]);  // without the batch dim
  expect_close(vmap(f)(c.q, c.k, c.v), f(c.q, c.k, c.v));
  struct In {
    Array q, k, v, bias;
  };
  expect_gradient(
      [](const In& x) {
        return sum(sin(nn::dot_product_attention(x.q, x.k, x.v, {.bias = x.bias, .is_causal = true})));
      },
      In{c.q, c.k, c.v, draw(6, {1, 4, 5, 5})});
  Array narrow = f(c.q.astype(bfloat16), c.k.astype(bfloat16), c.v.astype(bfloat16));
  EXPECT_EQ(narrow.dtype(), bfloat16);
  expect_close(narrow.astype(float32), f(c.q, c.k, c.v), 2e-2);
}

TEST(Attention, OnAMeshByHeads) {
  Case c;
  NamedSharding heads(make_mesh({2, 4}, {"data", "model"}), P("data", none, "model"));
  auto f = jit([](const Array& q, const Array& k, const Array& v) {
    return nn::dot_product_attention(q, k, v, {.is_causal = true});
  });
  Array q = device_put(c.q, heads), k = device_put(c.k, heads), v = device_put(c.v, heads);
  EXPECT_EQ(f(q, k, v).sharding(), Sharding(heads));
  EXPECT_TRUE(bool(array_equal(f(q, k, v), f(c.q, c.k, c.v))));
  EXPECT_NE(f.explain(q, k, v).str().find("none"), std::string::npos) << f.explain(q, k, v);  // heads do not meet
}

TEST(Attention, RefusesWhatDoesNotFit) {
  Case c;
  EXPECT_THROW(nn::dot_product_attention(c.q, c.k, c.v[0]), ShapeError);
  EXPECT_THROW(nn::dot_product_attention(c.q, c.k(all, all, slice(0, 3)), c.v(all, all, slice(0, 3))), ShapeError);
  EXPECT_THROW(nn::dot_product_attention(c.q, c.k.astype(bfloat16), c.v), TypeError);
  EXPECT_THROW(c.attend({.mask = ones({5, 5})}), TypeError);
  EXPECT_THROW(c.attend({.mask = ones({4, 5}, bool_)}), ShapeError);
  EXPECT_THROW(c.attend({.bias = ones({3, 5, 5})}), ShapeError);
  EXPECT_THROW(c.attend({.key_value_seq_lengths = array({1, 2, 3})}), ShapeError);
  EXPECT_THROW(c.attend({.key_value_seq_lengths = array({1., 2.})}), TypeError);
  EXPECT_THROW(c.attend({.local_window_size = std::pair{-1, 0}}), ValueError);
  EXPECT_THROW(nn::RotaryPositionalEmbedding::init(3), ValueError);
  EXPECT_THROW(nn::RotaryPositionalEmbedding::init(4)(ones({5, 6})), ShapeError);
  EXPECT_THROW(nn::RotaryPositionalEmbedding::init(4)(ones({5, 4}), ones({4})), ShapeError);
}

TEST(Attention, RotaryPositionsTurnPairs) {
  auto rope = nn::RotaryPositionalEmbedding::init(6, 100);
  Array x = draw(1, {4, 6});
  const auto in = x.to_vector<float>();
  std::vector<float> want(in.size());
  for (std::size_t t = 0; t < 4; ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = double(t) / std::pow(100., double(2 * i) / 6), a = in[6 * t + i], b = in[6 * t + i + 3];
      want[6 * t + i] = float(a * std::cos(angle) - b * std::sin(angle));
      want[6 * t + i + 3] = float(b * std::cos(angle) + a * std::sin(angle));
    }
  expect_close(rope(x), want, 1e-6);
  expect_close(rope(x(slice(2, 4)), array({2, 3})), rope(x)(slice(2, 4)), 1e-6);
  // Products of a query with a key depend on their distance alone.
  Array q = draw(2, {1, 6}), k = draw(3, {1, 6});
  auto product = [&](double i, double j) { return float(sum(rope(q, array({i})) * rope(k, array({j})))); };
  EXPECT_NEAR(product(7, 3), product(14, 10), 1e-5);
  EXPECT_GT(std::abs(product(7, 3) - product(7, 5)), 1e-3);
  EXPECT_EQ(rope(x.astype(bfloat16)).dtype(), bfloat16);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
