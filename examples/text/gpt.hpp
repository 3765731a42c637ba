// A transformer over bytes (GPT): plain structs. Blocks with a norm before attention and before the hidden layer, the
// head tied to the embedding.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tutti/tutti.hpp>

namespace text {
using namespace tutti;

struct GptOptions {
  int layers = 4, width = 128, heads = 4, context = 128;
  bool rotary = false;                 // positions as rotations of queries and keys, in place of a learned table
  bool scan = false;                   // the layers as one loop, over stacked parameters
  DType dtype = float32;               // of the computation; parameters are float32
  std::optional<RematPolicy> remat{};  // what a layer computes is computed again for its gradient, but for that
  int size() const { return width / heads; }
};

struct Norm {
  Array scale{}, bias{};
};
struct Dense {
  Array weight{}, bias{};
};
struct Block {
  Norm before_attention{}, before_hidden{};
  Array query{}, key{}, value{};  // [width, heads, size]
  Array out{};                    // [heads, size, width]
  Dense up{}, down{};             // [width, 4 width] and back
};
struct Gpt {
  Array embedding{};            // [256, width], of the bytes and of the head
  Array positions{};            // [context, width]; none with rotary
  std::vector<Block> blocks{};  // with scan a single one, whose arrays have a leading dim of layers
  Norm last{};
};

/// All layers as one, whose arrays have a leading dim of layers.
inline Block stacked(const std::vector<Block>& blocks) {
  std::vector<std::vector<Array>> columns;
  for (const Block& b : blocks) {
    const std::vector<Array> leaves = tree::leaves(b);
    columns.resize(leaves.size());
    for (std::size_t i = 0; i < leaves.size(); ++i) columns[i].push_back(leaves[i]);
  }
  std::vector<Array> all;
  for (const std::vector<Array>& column : columns) all.push_back(stack(column));
  return tree::rebuild(blocks.front(), std::span<const Array>(all));
}
/// The layers one by one, however the model holds them.
inline std::vector<Block> layers_of(const Gpt& m, const GptOptions& o) {
  if (!o.scan) return m.blocks;
  std::vector<Block> out;
  for (int i = 0; i < o.layers; ++i) out.push_back(tree::map([&](const Array& a) { return a[i]; }, m.blocks.front()));
  return out;
}

/// Weights are normal with deviation 0.02, those that add to the stream smaller by the root of how many there are.
inline Gpt init_gpt(const GptOptions& o, const Array& key) {
  auto draw = [o](const Array& key) {
    int drawn = 0;
    auto normal = [&](const Shape& shape, double deviation = 0.02) {
      return random::normal(random::fold_in(key, drawn++), shape) * deviation;
    };
    const double into_stream = 0.02 / std::sqrt(2.0 * o.layers);
    auto norm = [&] { return Norm{ones({o.width}), zeros({o.width})}; };
    Gpt m{.embedding = normal({256, o.width}), .last = norm()};
    if (!o.rotary) m.positions = normal({o.context, o.width});
    for (int i = 0; i < o.layers; ++i) {
      const Shape to_heads{o.width, o.heads, o.size()};
      m.blocks.push_back({.before_attention = norm(),
                          .before_hidden = norm(),
                          .query = normal(to_heads),
                          .key = normal(to_heads),
                          .value = normal(to_heads),
                          .out = normal({o.heads, o.size(), o.width}, into_stream),
                          .up = {normal({o.width, 4 * o.width}), zeros({4 * o.width})},
                          .down = {normal({4 * o.width, o.width}, into_stream), zeros({o.width})}});
    }
    if (o.scan) m.blocks = {stacked(m.blocks)};
    return m;
  };
  return jit(draw)(key);
}

/// Heads and hidden units lie over the axis "model": each block completes two sums over it. The rest is whole on every
/// device. Of a model, or of what an optimiser keeps of one.
template <class T> T place(const T& m, const GptOptions& o, const Mesh& mesh) {
  auto layered = [&](const PartitionSpec& spec) {
    if (!o.scan) return spec;
    std::vector<SpecEntry> entries{none};
    entries.insert(entries.end(), spec.begin(), spec.end());
    return PartitionSpec::from(entries);
  };
  return device_put(m, mesh,
                    {{"**.blocks.*.query", layered(P(none, "model"))},
                     {"**.blocks.*.key", layered(P(none, "model"))},
                     {"**.blocks.*.value", layered(P(none, "model"))},
                     {"**.blocks.*.out", layered(P("model"))},
                     {"**.blocks.*.up.weight", layered(P(none, "model"))},
                     {"**.blocks.*.up.bias", layered(P("model"))},
                     {"**.blocks.*.down.weight", layered(P("model"))},
                     {"**", P()}});
}

/// LayerNorm over the last dim, in float32.
inline Array normalize(const Norm& n, const Array& x) {
  Array wide = x.astype(float32), centred = wide - mean(wide, -1, true);
  return (centred * lax::rsqrt(mean(square(centred), -1, true) + 1e-5) * n.scale + n.bias).astype(x.dtype());
}

/// One layer. x: [batch, positions, width]; `attend(q, k, v)` -> values, all [batch, positions, heads, size]; `at`:
/// where the positions lie in the text, for rotations.
template <class Attend>
Array layer(const Array& x, const Block& b, const Array& at, const GptOptions& o, const Attend& attend) {
  Array h = normalize(b.before_attention, x);
  Array q = tensordot(h, b.query, 1), k = tensordot(h, b.key, 1), v = tensordot(h, b.value, 1);
  if (o.rotary) {
    auto rope = nn::RotaryPositionalEmbedding::init(o.size());
    auto turn = [&](const Array& rows) { return rope(rows, at); };  // [positions, size]
    auto heads = vmap(vmap(turn, {.in_axes = 1, .out_axes = 1}));
    q = heads(q);
    k = heads(k);
  }
  Array y = x + tensordot(attend(q, k, v), b.out, 2);
  h = normalize(b.before_hidden, y);
  return y + matmul(nn::gelu(matmul(h, b.up.weight) + b.up.bias), b.down.weight) + b.down.bias;
}

/// The model in the dtype of the computation.
inline Gpt cast(const Gpt& m, const GptOptions& o) {
  return tree::map([&](const Array& a) { return a.astype(o.dtype); }, m);
}
/// Bytes at their positions as [batch, positions, width].
inline Array embedded(const Gpt& m, const Array& bytes, const Array& at) {
  Array x = take(m.embedding, bytes.astype(int32), 0);
  return m.positions.has_value() ? x + take(m.positions, at, 0) : x;
}
/// float32[batch, positions, 256].
inline Array head(const Gpt& m, const Array& x) {
  return lax::dot_general(normalize(m.last, x), m.embedding, {{2}, {1}, {}, {}}, float32);
}

/// bytes: uint8[batch, positions] -> logits float32[batch, positions, 256], of the byte after each.
inline Array predict(const Gpt& master, const GptOptions& o, const Array& bytes) {
  const Gpt m = cast(master, o);
  const Array at = arange(bytes.shape(1));
  Array x = embedded(m, bytes, at);
  auto causal = [](const Array& q, const Array& k, const Array& v) {
    return nn::dot_product_attention(q, k, v, {.is_causal = true});
  };
  auto plain = [&](const Array& x, const Block& b) { return layer(x, b, at, o, causal); };
  auto recomputed = remat(plain, {.policy = o.remat.value_or(RematPolicy{})});
  auto one = [&](const Array& x, const Block& b) { return o.remat ? recomputed(x, b) : plain(x, b); };
  if (o.scan)
    x = lax::scan(
            [&](const Array& x, const Block& b) {
              return std::pair{one(x, b), std::vector<Array>()};
            },
            x, m.blocks.front())
            .first;
  else
    for (const Block& b : m.blocks) x = one(x, b);
  return head(m, x);
}

/// Mean cross-entropy in nats; next: uint8[batch, positions].
inline Array loss(const Gpt& m, const GptOptions& o, const Array& bytes, const Array& next) {
  return nn::softmax_cross_entropy(predict(m, o, bytes), next.astype(int32)).mean();
}

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
