// Transformers: steps of training, attention alone, one step of decoding with a cache.
#include <cmath>

#include "case.hpp"

namespace bench {
namespace {

struct Block {
  Array qkv{}, out{}, up{}, down{}, scale1{}, bias1{}, scale2{}, bias2{};
};
struct Gpt {
  Array embedding{}, positions{};
  std::vector<Block> blocks{};
  Array scale{}, bias{};
};

Array layer_norm(const Array& x, const Array& scale, const Array& bias) {
  Array c = x - mean(x, -1, true);
  return c * lax::rsqrt(mean(c * c, -1, true) + 1e-5) * scale + bias;
}
Array causal(const Array& q, const Array& k, const Array& v) {
  return nn::dot_product_attention(q, k, v, {.is_causal = true});
}

struct Sizes {
  int width, layers, heads, context, batch;
  int vocabulary = 256;
  bool mixed = false;  // the model is float32, the loss computes in bfloat16
};

Gpt make_gpt(const Sizes& n) {
  int drawn = 0;
  auto normal = [&](const Shape& shape) { return random::normal(random::key(drawn++), shape) * 0.02; };
  const int d = n.width;
  Gpt m{normal({n.vocabulary, d}), normal({n.context, d}), {}, ones({d}), zeros({d})};
  for (int i = 0; i < n.layers; ++i)
    m.blocks.push_back({normal({d, 3 * d}), normal({d, d}), normal({d, 4 * d}), normal({4 * d, d}), ones({d}),
                        zeros({d}), ones({d}), zeros({d})});
  return m;
}

Array gpt_loss(const Gpt& given, const Array& ids, const Array& targets, int heads, bool mixed) {
  const Gpt m = mixed ? tree::map([](const Array& a) { return a.astype(bfloat16); }, given) : given;
  Array x = take(m.embedding, ids, 0) + m.positions;
  const std::int64_t batch = x.shape(0), context = x.shape(1), width = x.shape(2);
  for (const Block& b : m.blocks) {
    std::vector<Array> qkv = split(matmul(layer_norm(x, b.scale1, b.bias1), b.qkv), 3, -1);
    for (Array& a : qkv) a = a.reshape(batch, context, heads, width / heads);
    x = x + matmul(causal(qkv[0], qkv[1], qkv[2]).reshape(batch, context, width), b.out);
    x = x + matmul(nn::gelu(matmul(layer_norm(x, b.scale2, b.bias2), b.up)), b.down);
  }
  Array logits = matmul(layer_norm(x, m.scale, m.bias), m.embedding.T());
  return nn::softmax_cross_entropy(logits.astype(float32), targets).mean();
}

struct Training {
  Gpt model{}, mean{}, square{};
};

Batch gpt_step(const Setup& s, const Sizes& n) {
  Gpt model = make_gpt(n);
  const Gpt none_yet = tree::map([](const Array& a) { return zeros_like(a); }, model);
  Training now = device_put(Training{model, none_yet, none_yet}, s.at(P()));
  auto step = jit([heads = n.heads, mixed = n.mixed](const Training& t, const Array& ids, const Array& targets) {
    auto [value, g] = value_and_grad([&](const Gpt& m) { return gpt_loss(m, ids, targets, heads, mixed); })(t.model);
    Gpt m = tree::map([](const Array& m, const Array& g) { return .9 * m + .1 * g; }, t.mean, g);
    Gpt v = tree::map([](const Array& v, const Array& g) { return .999 * v + .001 * g * g; }, t.square, g);
    Gpt p = tree::map([](const Array& p, const Array& m, const Array& v) { return p - 1e-3 * m / (sqrt(v) + 1e-8); },
                      t.model, m, v);
    return std::pair{Training{p, m, v}, value};
  });
  Array ids =
      device_put(random::randint(random::key(0), {n.batch, n.context}, 0, n.vocabulary), s.at(P(axes("x", "y"), none)));
  return repeat([=]() mutable {
    auto [next, value] = step(now, ids, ids);
    now = std::move(next);
    return value;
  });
}

// 124 million parameters.
Case large_step(const char* name, bool mixed) {
  Case c{name, [=](const Setup& s) { return gpt_step(s, {768, 12, 12, 1024, 4, 50257, mixed}); }};
  c.once = true;
  return by_name(c);
}

struct Heads {
  Array q{}, k{}, v{};
};
Heads make_heads(const Setup& s, const Shape& shape, const PartitionSpec& spec) {
  auto draw = [&](int seed) { return device_put(random::normal(random::key(seed), shape), s.at(spec)); };
  return {draw(0), draw(1), draw(2)};
}
Batch attention(const Setup& s, const Shape& shape, const PartitionSpec& spec) {
  return repeat([h = make_heads(s, shape, spec), f = jit(causal)] { return f(h.q, h.k, h.v); });
}
Batch attention_gradient(const Setup& s, const Shape& shape, const PartitionSpec& spec) {
  auto f = jit(grad([](const Heads& h) { return causal(h.q, h.k, h.v).sum(); }));
  return repeat([=, h = make_heads(s, shape, spec)] { return f(h); });
}

struct DecodedLayer {
  Array qkv{}, out{}, up{}, down{};
};

// One position in, the cache [layers, key or value, positions, heads, size] updated in place.
Batch decode(const Setup& s) {
  constexpr int width = 256, layers = 4, context = 1024, heads = 8;
  std::vector<DecodedLayer> model;
  for (int i = 0; i < layers; ++i) {
    auto draw = [&](const Shape& shape) { return device_put(random::normal(random::key(i), shape), s.at(P())); };
    model.push_back({draw({width, 3 * width}) / 16, draw({width, width}) / 16, draw({width, 4 * width}) / 16,
                     draw({4 * width, width}) / 32});
  }
  auto step = jit(
      [](const std::vector<DecodedLayer>& model, Array cache, Array x, const Array& at) {
        for (int i = 0; i < layers; ++i) {
          const DecodedLayer& w = model[static_cast<std::size_t>(i)];
          std::vector<Array> qkv = split(matmul(x, w.qkv), 3);
          for (Array& a : qkv) a = a.reshape(heads, width / heads);
          Array now = stack({qkv[1], qkv[2]}).reshape(Shape{1, 2, 1, heads, width / heads});
          cache = lax::dynamic_update_slice(cache, now, {Array(i), Array(0), at, Array(0), Array(0)});
          Array logits = einsum("hd,thd->ht", {qkv[0], cache(i, 0)}) / 6;
          Array weights = nn::softmax(where(arange(context) <= at, logits, -1e30));
          x = x + matmul(einsum("ht,thd->hd", {weights, cache(i, 1)}).reshape(width), w.out);
          x = x + matmul(nn::gelu(matmul(x, w.up)), w.down);
        }
        return std::pair{x, cache};
      },
      {.donate_argnums = {1}});
  Array cache = device_put(zeros({layers, 2, context, heads, width / heads}), s.at(P()));
  return repeat([=, x = s.normal({width}, P()), at = array(700)]() mutable {
    auto [y, next] = step(model, cache, x, at);
    cache = std::move(next);
    return y;
  });
}

}  // namespace

std::vector<Case> gpt_cases() {
  const PartitionSpec batch(axes("x", "y"));
  const Shape short_text{8, 512, 8, 64}, middle_text{1, 1024, 12, 64}, long_text{1, 4096, 8, 64};
  return {
      {"gpt_step_d128_l4_t128_b16",
       [](const Setup& s) {
         return gpt_step(s, {128, 4, 4, 128, 16});
       }},
      {"gpt_step_d64_l2_t64_b8",
       [](const Setup& s) {
         return gpt_step(s, {64, 2, 4, 64, 8});
       }},
      large_step("gpt_step_124m_t1024_b4", false),
      large_step("gpt_step_bf16_124m_t1024_b4", true),
      {"attention_b8_h8_t512_d64", [=](const Setup& s) { return attention(s, short_text, batch); }},
      {"attention_grad_b8_h8_t512_d64", [=](const Setup& s) { return attention_gradient(s, short_text, batch); }},
      {"attention_b1_h12_t1024_d64", [=](const Setup& s) { return attention(s, middle_text, P()); }},
      {"attention_grad_b1_h12_t1024_d64", [=](const Setup& s) { return attention_gradient(s, middle_text, P()); }},
      {"attention_b1_h8_t4096_d64", [=](const Setup& s) { return attention(s, long_text, P()); }},
      {"attention_grad_b1_h8_t4096_d64", [=](const Setup& s) { return attention_gradient(s, long_text, P()); }},
      {"decode_step_d256_l4_t1024", decode},
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
