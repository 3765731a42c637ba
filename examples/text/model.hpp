// The language model of train_text: plain structs. The next byte from the last `context` bytes.
#pragma once

#include <cmath>
#include <vector>

#include <tutti/tutti.hpp>

namespace text {
using namespace tutti;

struct Layer {
  Array weight{}, bias{};  // float32[in, out], float32[out]
};
struct Model {
  nn::Embedding embedding{};
  std::vector<Layer> layers{};  // two hidden layers and the head
};

inline Model init_model(int context, int size, int width, const Array& key) {
  auto keys = random::split(key, 4);
  Model m;
  m.embedding = nn::Embedding::init(256, size, keys[0]);
  int sizes[] = {context * size, width, width, 256};
  for (std::size_t i = 0; i < 3; ++i) {
    int in = sizes[i], out = sizes[i + 1];
    double scale = i < 2 ? std::sqrt(2.0 / in) : 0.1 / std::sqrt(in);
    m.layers.push_back({random::normal(keys[i + 1], {in, out}) * scale, zeros({out})});
  }
  return m;
}

/// bytes: uint8[batch, context] -> logits float32[batch, 256].
inline Array predict(const Model& m, const Array& bytes) {
  Array h = m.embedding(bytes.astype(int32)).reshape(Shape{bytes.shape(0), -1});
  for (std::size_t i = 0; i < m.layers.size(); ++i) {
    h = matmul(h, m.layers[i].weight) + m.layers[i].bias;
    if (i + 1 < m.layers.size()) h = nn::relu(h);
  }
  return h;
}

/// Mean cross-entropy in nats; next: uint8[batch].
inline Array loss(const Model& m, const Array& bytes, const Array& next) {
  return nn::softmax_cross_entropy(predict(m, bytes), next.astype(int32)).mean();
}

/// The first hidden layer's columns and the second's rows lie over the axis "model": one product needs the other's
/// split.
inline Model place(const Model& m, const Mesh& mesh) {
  return device_put(m, mesh,
                    {{"layers[0].weight", P(none, "model")},
                     {"layers[0].bias", P("model")},
                     {"layers[1].weight", P("model", none)},
                     {"**", P()}});
}

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
