#include <cmath>

#include "nn/draw.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/nn/nn.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/optim/losses.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::nn {
namespace {

// Norms are computed in float32 at least.
DType wide(DType d) { return promote_types(d, float32); }
Array affine(Array y, const Array& weight, const Array& bias) {
  if (weight.has_value()) y = weight.astype(y.dtype()) * y;
  return bias.has_value() ? y + bias.astype(y.dtype()) : y;
}
Array normalized(const Array& x, const Axes& axes, const Array& eps) {
  return (x - mean(x, axes, true)) * lax::rsqrt(maximum(0, var(x, axes, true)) + eps);
}
void check_shape(const char* layer, const Array& x, const Shape& shape) {
  if (x.shape() != shape)
    raise<ShapeError>(layer,
                      "x is " + type_text(x) + ", of shape " + x.shape().str() + ", the layer has shape " + shape.str(),
                      "A layer takes one example: vmap it for a batch.");
}
// Masked logits get the lowest finite number, not -inf: a row without any position left then has equal weights instead
// of NaN.
double lowest_finite(DType d) {
  return d == float16 ? -65504 : d == bfloat16 ? -0x1.FEp127 : d == float64 ? -1.7976931348623157e308 : -0x1.FFFFFEp127;
}
void check_size(const char* what, int n) {
  std::string name(what);  // Linear: in
  std::size_t colon = name.find(':');
  if (n < 0)
    raise<ValueError>(name.substr(0, colon), name.substr(colon + 2) + " is " + std::to_string(n),
                      "Sizes are not negative.");
}
// Whether matmul takes the two.
bool contracts(const Array& weight, const Array& x) {
  return x.ndim() > 0 && x.shape(x.ndim() == 1 ? 0 : -2) == weight.shape(-1);
}
void check_cell(const char* cell, const Array& weight_ih, const Array& weight_hh, const Array& input,
                const Array& hidden) {
  if (!contracts(weight_ih, input) || !contracts(weight_hh, hidden))
    raise<ShapeError>(cell,
                      "the input is " + type_text(input) + ", the hidden state " + type_text(hidden) +
                          "; the layer has input size " + std::to_string(weight_ih.shape(1)) + " and hidden size " +
                          std::to_string(weight_hh.shape(1)),
                      "It takes one example: vmap the layer for a batch.");
}

}  // namespace

Linear Linear::init(Size in, Size out, const Array& key, bool use_bias, DType dtype) {
  check_size("Linear: in", in.value);
  check_size("Linear: out", out.value);
  double limit = in.value == 0 ? 1 : 1 / std::sqrt(static_cast<double>(in.value));
  auto keys = random::split<2>(key);
  return {uniform_within(keys[0], {out.value, in.value}, limit, dtype),
          use_bias ? uniform_within(keys[1], {out.value}, limit, dtype) : Array(), in.is_scalar, out.is_scalar};
}

Array Linear::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  if (scalar_in)
    check_shape("Linear", x, {});
  else if (!contracts(weight, x))
    raise<ShapeError>(
        "Linear", "x is " + type_text(x) + ", of shape " + x.shape().str() + ", the weight " + type_text(weight),
        "x has " + std::to_string(weight.shape(1)) + " features and no other dims: vmap the layer for a batch.");
  Array y = matmul(weight, scalar_in ? expand_dims(x, 0) : x);
  if (bias.has_value()) y = y + bias;
  return scalar_out ? squeeze(y) : y;
}

MLP MLP::init(const MLPOptions& o, const Array& key) {
  check_size("MLP: depth", o.depth);
  auto keys = random::split(key, o.depth + 1);
  MLP model{{}, o.activation, o.final_activation};
  Size in = o.in_size;
  for (int i = 0; i < o.depth; ++i) {
    model.layers.push_back(Linear::init(in, o.width_size, keys[static_cast<std::size_t>(i)], o.use_bias, o.dtype));
    in = o.width_size;
  }
  model.layers.push_back(
      Linear::init(in, o.out_size, keys[static_cast<std::size_t>(o.depth)], o.use_final_bias, o.dtype));
  return model;
}

Array MLP::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  Array h = x;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) h = activation(layers[i](h));
  Array y = layers.back()(h);
  return layers.size() > 1 ? final_activation(y)
                           : y;  // as in Equinox, a model without hidden layers is the linear layer alone
}

Embedding Embedding::init(Dim num_embeddings, Dim embedding_size, const Array& key, DType dtype) {
  check_size("Embedding: num_embeddings", num_embeddings);
  check_size("Embedding: embedding_size", embedding_size);
  return {random::normal(key, {num_embeddings, embedding_size}, dtype)};
}

Array Embedding::operator()(const Array& index, Loc loc) const {
  CallScope scope(loc);
  return take(weight, index, 0);
}

LayerNorm LayerNorm::init(const Shape& shape, const NormOptions& o) {
  return {o.use_weight ? ones(shape, o.dtype) : Array(), o.use_bias ? zeros(shape, o.dtype) : Array(), shape, o.eps};
}
Array LayerNorm::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  check_shape("LayerNorm", x, shape);
  return composite(
      "LayerNorm",
      [](const Array& x, const Array& weight, const Array& bias, const Array& eps) {
        return affine(normalized(x.astype(wide(x.dtype())), {}, eps), weight, bias).astype(x.dtype());
      },
      x, weight, bias, eps);
}

RMSNorm RMSNorm::init(const Shape& shape, const NormOptions& o) {
  return {o.use_weight ? ones(shape, o.dtype) : Array(), o.use_bias ? zeros(shape, o.dtype) : Array(), shape, o.eps};
}
Array RMSNorm::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  check_shape("RMSNorm", x, shape);
  return composite(
      "RMSNorm",
      [](const Array& x, const Array& weight, const Array& bias, const Array& eps) {
        Array v = x.astype(wide(x.dtype()));
        return affine(lax::rsqrt(mean(square(v)) + eps) * v, weight, bias).astype(x.dtype());
      },
      x, weight, bias, eps);
}

GroupNorm GroupNorm::init(Dim groups, Dim channels, double eps, bool channelwise_affine) {
  if (groups < 1 || channels % groups)
    raise<ValueError>("GroupNorm",
                      std::to_string(channels) + " channels do not divide into " + std::to_string(groups) + " groups",
                      "Choose a number of groups that divides the channels.");
  return {channelwise_affine ? ones({channels}) : Array(), channelwise_affine ? zeros({channels}) : Array(), groups,
          eps};
}
Array GroupNorm::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  if (x.ndim() == 0 || x.shape(0) % groups)
    raise<ShapeError>("GroupNorm",
                      "x is " + type_text(x) + ", its dim 0 does not divide into " + std::to_string(groups) + " groups",
                      "Dim 0 of x is the channels; vmap the layer for a batch.");
  if (weight.has_value() && x.shape(0) != weight.size())
    raise<ShapeError>("GroupNorm", "x is " + type_text(x) + ", the weight " + type_text(weight),
                      "Dim 0 of x is the channels, as many as the layer has.");
  return composite(
      "GroupNorm",
      [](const Array& x, const Array& weight, const Array& bias, const Array& eps, int groups) {
        Array y = normalized(x.astype(wide(x.dtype())).reshape(Shape{groups, -1}), 1, eps).reshape(x.shape());
        Shape per_channel(std::vector<std::int64_t>(static_cast<std::size_t>(x.ndim()), 1));
        per_channel[0] = x.shape(0);
        auto left = [&](const Array& p) { return p.has_value() ? p.reshape(per_channel) : p; };
        return affine(y, left(weight), left(bias)).astype(x.dtype());
      },
      x, weight, bias, eps, groups);
}

Array Dropout::operator()(const Array& x, const Array& key, Loc loc) const {
  CallScope scope(loc);
  if (!(0 <= p && p <= 1))
    raise<ValueError>("Dropout", "the probability p is " + std::to_string(p), "Probabilities are from 0 to 1.");
  if (inference || p == 0) return x;
  if (!key.has_value())
    raise<ValueError>("Dropout", "there is no key to drop elements of " + type_text(x) + " by",
                      "Pass one, dropout(x, key), or set inference.");
  double keep = 1 - p;
  return composite(
      "Dropout",
      [](const Array& x, const Array& key, const Array& keep) {
        return where(random::bernoulli(key, keep, x.shape()), x / keep, 0);
      },
      x, key, keep);
}

MultiheadAttention MultiheadAttention::init(const AttentionOptions& o, const Array& key) {
  if (o.num_heads < 1)
    raise<ValueError>("MultiheadAttention", "num_heads is " + std::to_string(o.num_heads), "Give one head or more.");
  auto or_query = [&](int n) { return n ? n : o.query_size; };
  int qk = o.qk_size ? o.qk_size : o.query_size / o.num_heads, vo = o.vo_size ? o.vo_size : o.query_size / o.num_heads;
  auto keys = random::split<4>(key);
  return {Linear::init(o.query_size, o.num_heads * qk, keys[0], o.use_query_bias, o.dtype),
          Linear::init(or_query(o.key_size), o.num_heads * qk, keys[1], o.use_key_bias, o.dtype),
          Linear::init(or_query(o.value_size), o.num_heads * vo, keys[2], o.use_value_bias, o.dtype),
          Linear::init(o.num_heads * vo, or_query(o.output_size), keys[3], o.use_output_bias, o.dtype),
          Dropout{o.dropout_p, o.inference},
          o.num_heads};
}

Array MultiheadAttention::operator()(const Array& query, const Array& key, const Array& value, const Array& mask,
                                     const Array& dropout_key, Loc loc) const {
  CallScope scope(loc);
  if (query.ndim() != 2 || key.ndim() != 2 || value.ndim() != 2 || key.shape(0) != value.shape(0))
    raise<ShapeError>(
        "MultiheadAttention",
        "query has shape " + query.shape().str() + ", key " + key.shape().str() + ", value " + value.shape().str(),
        "Each is [positions, size], and key and value have the same positions; vmap the layer for a batch.");
  auto heads = [&](const Linear& proj, const Array& x) {  // [positions, heads, size]; proj of every row
    if (x.shape(1) != proj.weight.shape(1))
      raise<ShapeError>("MultiheadAttention",
                        "an input is " + type_text(x) + ", its projection's weight " + type_text(proj.weight),
                        "The last dim of query, key and value has the size that the layer was made for.");
    Array y = matmul(x, proj.weight.T());
    if (proj.bias.has_value()) y = y + proj.bias;
    return y.reshape(Shape{x.shape(0), num_heads, -1});
  };
  Array q = heads(query_proj, query), k = heads(key_proj, key), v = heads(value_proj, value);
  Array logits = einsum("qhd,khd->hqk", {q / std::sqrt(static_cast<double>(q.shape(2))), k});
  if (mask.has_value()) {
    if (mask.shape() != logits.shape() &&
        (mask.ndim() != 2 || mask.shape(0) != query.shape(0) || mask.shape(1) != key.shape(0)))
      raise<ShapeError>("MultiheadAttention",
                        "the mask has shape " + mask.shape().str() + " for " + std::to_string(query.shape(0)) +
                            " queries and " + std::to_string(key.shape(0)) + " positions",
                        "It has the shape (queries, positions), with a dim of the heads before them or without.");
    logits = where(mask, logits, full({}, lowest_finite(logits.dtype()), logits.dtype()));
  }
  Array weights = softmax(logits.astype(wide(logits.dtype()))).astype(logits.dtype());
  if (dropout_key.has_value() && !dropout.inference && dropout.p != 0) {
    std::vector<Array> keys = random::split(dropout_key, num_heads), dropped;
    for (int h = 0; h < num_heads; ++h) dropped.push_back(dropout(weights[h], keys[static_cast<std::size_t>(h)]));
    weights = stack(dropped);
  } else {
    weights = dropout(weights, dropout_key);
  }
  Array attended = einsum("hqk,khd->qhd", {weights, v}).reshape(Shape{query.shape(0), -1});
  Array y = matmul(attended, output_proj.weight.T());
  return output_proj.bias.has_value() ? y + output_proj.bias : y;
}

GRUCell GRUCell::init(Dim input_size, Dim hidden_size, const Array& key, bool use_bias, DType dtype) {
  check_size("GRUCell: input_size", input_size);
  check_size("GRUCell: hidden_size", hidden_size);
  auto keys = random::split<4>(key);
  double limit = std::sqrt(1. / hidden_size);
  auto bias = [&](const Array& k, int n) { return use_bias ? uniform_within(k, {n}, limit, dtype) : Array(); };
  return {uniform_within(keys[0], {3 * hidden_size, input_size}, limit, dtype),
          uniform_within(keys[1], {3 * hidden_size, hidden_size}, limit, dtype), bias(keys[2], 3 * hidden_size),
          bias(keys[3], hidden_size)};
}
Array GRUCell::operator()(const Array& input, const Array& hidden, Loc loc) const {
  CallScope scope(loc);
  check_cell("GRUCell", weight_ih, weight_hh, input, hidden);
  Array in = matmul(weight_ih, input);
  if (bias.has_value()) in = in + bias;
  std::vector<Array> i = split(in, 3), h = split(matmul(weight_hh, hidden), 3);
  Array reset = sigmoid(i[0] + h[0]), update = sigmoid(i[1] + h[1]);
  Array fresh = tanh(i[2] + reset * (bias_n.has_value() ? h[2] + bias_n : h[2]));
  return fresh + update * (hidden - fresh);
}

LSTMCell LSTMCell::init(Dim input_size, Dim hidden_size, const Array& key, bool use_bias, DType dtype) {
  check_size("LSTMCell: input_size", input_size);
  check_size("LSTMCell: hidden_size", hidden_size);
  auto keys = random::split<3>(key);
  double limit = std::sqrt(1. / hidden_size);
  return {uniform_within(keys[0], {4 * hidden_size, input_size}, limit, dtype),
          uniform_within(keys[1], {4 * hidden_size, hidden_size}, limit, dtype),
          use_bias ? uniform_within(keys[2], {4 * hidden_size}, limit, dtype) : Array()};
}
std::pair<Array, Array> LSTMCell::operator()(const Array& input, const std::pair<Array, Array>& hidden, Loc loc) const {
  CallScope scope(loc);
  const auto& [h, c] = hidden;
  check_cell("LSTMCell", weight_ih, weight_hh, input, h);
  Array all = matmul(weight_ih, input) + matmul(weight_hh, h);
  if (bias.has_value()) all = all + bias;
  std::vector<Array> gate = split(all, 4);  // input, forget, cell, output
  Array cell = sigmoid(gate[1]) * c + sigmoid(gate[0]) * tanh(gate[2]);
  return {sigmoid(gate[3]) * tanh(cell), cell};
}

Array softmax_cross_entropy(const In& logits, const In& labels) {
  CallScope scope(logits.loc);
  return optim::softmax_cross_entropy_with_integer_labels(logits, labels);
}

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
