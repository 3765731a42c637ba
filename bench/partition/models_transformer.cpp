// A decoder over tokens: embedding, blocks of attention and two-layer perceptrons with RMS norms, logits by the
// embedding's transpose, cross-entropy. Megatron placements: tokens over d, heads and hidden units over m.
#include <fmt/format.h>

#include "models.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/eval_shape.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/transforms.hpp"

namespace bench {
namespace {

constexpr std::int64_t width = 512, hidden = 2048, attention_heads = 8, vocabulary = 32768, tokens = 256,
                       sequences = 16;

struct Block {
  Array wq{}, wk{}, wv{}, wo{}, w1{}, w2{}, g1{}, g2{};
};
struct Decoder {
  Array embedding{}, g{};
  std::vector<Block> blocks{};  // one of stacked weights where they are scanned
};

Array normed(const Array& x, const Array& g) { return x * lax::rsqrt(mean(x * x, -1, true) + 1e-6) * g; }

Array block_of(const Block& b, const Array& before) {
  const Array h = normed(before, b.g1);
  auto by_head = [&](const Array& w) { return matmul(h, w).reshape({h.shape(0), h.shape(1), attention_heads, -1}); };
  const Array q = by_head(b.wq), k = by_head(b.wk), v = by_head(b.wv);
  const Array scores = einsum("bthd,bshd->bhts", {q, k}) / 8.0f;
  const Array seen = tri(h.shape(1), h.shape(1)) > 0;
  const Array p = nn::softmax(where(seen, scores, -1e30f), -1);
  const Array x = before + matmul(einsum("bhts,bshd->bthd", {p, v}).reshape(h.shape()), b.wo);
  return x + matmul(nn::gelu(matmul(normed(x, b.g2), b.w1)), b.w2);
}

Array loss_after(const Decoder& m, const Array& x, const Array& labels) {
  const Array logits = matmul(normed(x, m.g), transpose(m.embedding));
  const Array at = take_along_axis(logits, expand_dims(labels, -1), -1).reshape(labels.shape());
  return mean(nn::logsumexp(logits, -1) - at);
}
Array loss(const Decoder& m, const Array& ids, const Array& labels) {
  Array x = take(m.embedding, ids, 0);
  for (const Block& b : m.blocks) x = block_of(b, x);
  return loss_after(m, x, labels);
}
Array loss_by_scan(const Decoder& m, const Array& ids, const Array& labels) {
  auto step = [](const Array& x, const Block& b) { return std::pair{block_of(b, x), std::vector<Array>()}; };
  return loss_after(m, lax::scan(step, take(m.embedding, ids, 0), m.blocks[0]).first, labels);
}

// A tree of types, and of specs in the order of its leaves.
struct Parameters {
  Decoder shapes;
  std::vector<PartitionSpec> specs;
};
void add_block(Parameters& to, std::int64_t stacked, const SpecEntry& heads_over) {
  auto array = [&](Shape shape, std::vector<SpecEntry> spec) {
    if (stacked > 0) {
      shape.insert(0, stacked);
      spec.insert(spec.begin(), none);
    }
    to.specs.push_back(PartitionSpec::from(spec));
    return Array(ShapeDtypeStruct(shape));
  };
  Block b;
  b.wq = array({width, width}, {none, heads_over});
  b.wk = array({width, width}, {none, heads_over});
  b.wv = array({width, width}, {none, heads_over});
  b.wo = array({width, width}, {heads_over, none});
  b.w1 = array({width, hidden}, {none, heads_over});
  b.w2 = array({hidden, width}, {heads_over, none});
  b.g1 = array({width}, {none});
  b.g2 = array({width}, {none});
  to.shapes.blocks.push_back(b);
}

std::vector<Type> types_of(const std::vector<Array>& arrays) {
  std::vector<Type> out;
  for (const Array& x : arrays) out.push_back({x.dtype(), x.shape(), false, {}});
  return out;
}

}  // namespace

Model transformer(int layers, bool as_scan, std::optional<double> bytes, std::optional<double> seconds,
                  std::optional<double> xla) {
  const Mesh mesh = make_mesh({2, 4}, {"d", "m"});
  Parameters p;
  p.shapes.embedding = ShapeDtypeStruct({vocabulary, width});
  p.shapes.g = ShapeDtypeStruct({width});
  p.specs = {P("m", none), P()};
  for (int i = 0; i < (as_scan ? 1 : layers); ++i) add_block(p, as_scan ? layers : 0, "m");

  Model out{fmt::format("transformer, {} layers{}, loss gradient, 2x4", layers, as_scan ? " as a scan" : "")};
  for (const PartitionSpec& s : p.specs) out.inputs.push_back(NamedSharding(mesh, s));
  out.outputs.push_back(NamedSharding(mesh, P()));
  out.outputs.insert(out.outputs.end(), out.inputs.begin(), out.inputs.end());
  for (int i = 0; i < 2; ++i) out.inputs.push_back(NamedSharding(mesh, P("d", none)));
  out.record = [p, as_scan] {
    std::vector<Type> types = types_of(tree::leaves(p.shapes));
    const std::size_t n = types.size();
    for (int i = 0; i < 2; ++i) types.push_back({int32, {sequences, tokens}, false, {}});
    return recorded_program(types, [&](const Arrays& in) {
      const Decoder m = tree::rebuild(p.shapes, std::span<const Array>(in.data(), n));
      auto [value, gradient] = value_and_grad(as_scan ? loss_by_scan : loss)(m, in[n], in[n + 1]);
      Arrays results = tree::leaves(gradient);
      results.insert(results.begin(), value);
      return results;
    });
  };
  out.bytes = bytes;
  out.seconds = seconds;
  out.xla = xla;
  return out;
}

Model transformer_block_on_four_axes(double seconds) {
  const Mesh mesh = make_mesh({2, 2, 2, 2}, {"a", "b", "c", "d"});
  Parameters p;
  add_block(p, 0, axes("c", "d"));
  const Sharding data = NamedSharding(mesh, P(axes("a", "b"), none, none));
  Model out{"transformer block, value and gradients, 2x2x2x2"};
  for (const PartitionSpec& s : p.specs) out.inputs.push_back(NamedSharding(mesh, s));
  out.outputs = out.inputs;
  out.outputs.insert(out.outputs.begin(), 2, data);
  out.inputs.insert(out.inputs.end(), 2, data);
  out.record = [p] {
    std::vector<Type> types = types_of(tree::leaves(p.shapes.blocks[0]));
    const std::size_t n = types.size();
    for (int i = 0; i < 2; ++i) types.push_back({float32, {sequences, tokens, width}, false, {}});
    return recorded_program(types, [&](const Arrays& in) {
      const Block b = tree::rebuild(p.shapes.blocks[0], std::span<const Array>(in.data(), n));
      auto [y, pullback] = vjp(block_of, b, in[n]);
      auto [db, dx] = pullback(in[n + 1]);
      Arrays results{y, dx};
      for (const Array& g : tree::leaves(db)) results.push_back(g);
      return results;
    });
  };
  out.seconds = seconds;
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
