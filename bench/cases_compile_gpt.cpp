// Compiling the gradient of a small transformer: layer after layer, and all layers as one loop; and planning it for
// eight devices, which is recording, propagation, partition and the report.
#include "case.hpp"

namespace bench {
namespace {

constexpr int width = 64, heads = 4, context = 64, batch = 4;

struct Layer {
  Array qkv{}, out{}, up{}, down{}, scale{};
};

Array layer_norm(const Array& x, const Array& scale) {
  const Array c = x - mean(x, -1, true);
  return c * lax::rsqrt(mean(c * c, -1, true) + 1e-5) * scale;
}

Array one_layer(Array x, const Layer& k) {
  std::vector<Array> qkv = split(matmul(layer_norm(x, k.scale(0)), k.qkv), 3, -1);
  for (Array& a : qkv) a = a.reshape(batch, context, heads, width / heads);
  const Array mixed = nn::dot_product_attention(qkv[0], qkv[1], qkv[2], {.is_causal = true});
  x = x + matmul(mixed.reshape(batch, context, width), k.out);
  return x + matmul(nn::gelu(matmul(layer_norm(x, k.scale(1)), k.up)), k.down);
}

Layer ones_of(const Shape& stack) {
  auto of = [&](std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> dims = stack.dims();
    dims.insert(dims.end(), {rows, columns});
    return ones(Shape(dims));
  };
  return {of(width, 3 * width), of(width, width), of(width, 4 * width), of(4 * width, width), of(2, width)};
}

Array loss_of(const std::vector<Layer>& layers, Array x) {
  for (const Layer& k : layers) x = one_layer(x, k);
  return square(x).mean();
}

Batch unrolled(const Setup& s, int count) {
  const auto model = device_put(std::vector<Layer>(static_cast<std::size_t>(count), ones_of({})), s.at(P()));
  const Array x = device_put(ones({batch, context, width}), s.at(P("x")));
  return [=](std::int64_t) { jit(grad(loss_of)).lower(model, x).compile(); };
}

// Hidden units over y, examples over x.
Batch planned(const Setup& s, int count) {
  const Layer one = device_put(ones_of({}), s.mesh, {{"up", P(none, "y")}, {"down", P("y")}, {"**", P()}});
  const std::vector<Layer> model(static_cast<std::size_t>(count), one);
  const Array x = device_put(ones({batch, context, width}), s.at(P("x")));
  return [=](std::int64_t) { jit(grad(loss_of)).plan(model, x); };
}

Batch as_loop(const Setup& s, int count) {
  const Layer model = device_put(ones_of({count}), s.at(P()));
  const Array x = device_put(ones({batch, context, width}), s.at(P("x")));
  auto loss = [](const Layer& layers, const Array& x) {
    auto step = [](const Array& x, const Layer& k) { return std::pair{one_layer(x, k), none}; };
    return square(lax::scan(step, x, layers).first).mean();
  };
  return [=](std::int64_t) { jit(grad(loss)).lower(model, x).compile(); };
}

}  // namespace

std::vector<Case> compile_gpt_cases() {
  std::vector<Case> cases;
  for (int count : {1, 4, 12})
    cases.push_back(
        {"compile_gpt_grad_" + std::to_string(count), [=](const Setup& s) { return unrolled(s, count); }, true, true});
  for (int count : {1, 24})
    cases.push_back({"compile_gpt_grad_" + std::to_string(count) + "_scan",
                     [=](const Setup& s) { return as_loop(s, count); }, true, true});
  for (int count : {12, 64})
    cases.push_back(
        {"plan_gpt_grad_" + std::to_string(count), [=](const Setup& s) { return planned(s, count); }, true});
  return cases;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
