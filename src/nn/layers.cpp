#include <cmath>

#include "tutti/call_scope.hpp"
#include "tutti/lax.hpp"
#include "tutti/nn.hpp"
#include "tutti/ops.hpp"
#include "tutti/random.hpp"

namespace tutti::nn {

Linear Linear::init(int in, int out, const Array& key, bool use_bias) {
  if (in < 0 || out < 0) throw ValueError("Linear: sizes must not be negative, got in=" + std::to_string(in) + ", out=" + std::to_string(out));
  double limit = in == 0 ? 1 : 1 / std::sqrt(static_cast<double>(in));
  auto keys = random::split(key, 2);
  Linear layer;
  layer.weight = random::uniform(keys[0], {out, in}, -limit, limit);
  if (use_bias) layer.bias = random::uniform(keys[1], {out}, -limit, limit);
  return layer;
}

Array Linear::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  Array y = matmul(weight, x);
  return bias.has_value() ? y + bias : y;
}

MLP MLP::init(const MLPOptions& o, const Array& key) {
  if (o.depth < 0) throw ValueError("MLP: depth must not be negative, got " + std::to_string(o.depth));
  auto keys = random::split(key, o.depth + 1);
  MLP model{{}, o.activation, o.final_activation};
  int in = o.in_size;
  for (int i = 0; i < o.depth; ++i) {
    model.layers.push_back(Linear::init(in, o.width_size, keys[static_cast<std::size_t>(i)]));
    in = o.width_size;
  }
  model.layers.push_back(Linear::init(in, o.out_size, keys[static_cast<std::size_t>(o.depth)]));
  return model;
}

Array MLP::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  Array h = x;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) h = activation(layers[i](h));
  return final_activation(layers.back()(h));
}

Embedding Embedding::init(int num_embeddings, int embedding_size, const Array& key) {
  return {random::normal(key, {num_embeddings, embedding_size})};
}

Array Embedding::operator()(const Array& index, Loc loc) const {
  CallScope scope(loc);
  return take(weight, index, 0);
}

}  // namespace tutti::nn
