#include "tutti/linen/attention.hpp"

#include <cmath>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/linen/layers.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::linen {
namespace {

double lowest(DType d) {
  if (d == float16) return -65504;
  if (d == bfloat16) return -0x1.FEp127;
  return d == float64 ? -1.7976931348623157e308 : -0x1.FFFFFEp127;
}
DType common(const std::vector<Array>& xs) {
  const DType d = result_type(xs);
  return d.is_inexact() ? d : float32;
}
// The extents before the last three are the same.
bool same_batch(const Array& x, const Array& y) {
  if (x.ndim() < 3 || x.ndim() != y.ndim()) return false;
  for (int d = 0; d < x.ndim() - 3; ++d)
    if (x.shape(d) != y.shape(d)) return false;
  return true;
}
std::string texts(const Array& q, const Array& k) { return "query is " + type_text(q) + ", key " + type_text(k); }

// Drop some weights, the others grow; `heads_and_batch`: the same ones everywhere.
Array dropped(const Array& weights, const Array& key, double rate, bool heads_and_batch) {
  Shape shape = weights.shape();
  for (int d = 0; heads_and_batch && d < shape.ndim() - 2; ++d) shape[d] = 1;
  Array keep = random::bernoulli(key, 1 - rate, shape);
  return weights * (keep.astype(weights.dtype()) / array(1 - rate).astype(weights.dtype()));
}

}  // namespace

Array dot_product_attention_weights(const In& query, const In& key, const DotProductAttentionOptions& o) {
  CallScope scope(query.loc);
  const Array &q = query.array, &k = key.array;
  if (!same_batch(q, k) || q.shape(-2) != k.shape(-2) || q.shape(-1) != k.shape(-1))
    raise<ShapeError>("dot_product_attention", texts(q, k),
                      "They are [batch..., queries, heads, size] and [batch..., keys, heads, size].");
  Array weights = composite(
      "dot_product_attention_weights",
      [](const Array& q, const Array& k, const Array& bias, const Array& mask, DType dtype) {
        Array scaled = q.astype(dtype) / sqrt(array(double(q.shape(-1)))).astype(dtype);
        Array logits = einsum("...qhd,...khd->...hqk", {scaled, k.astype(dtype)});
        if (bias.has_value()) logits = logits + bias;
        if (mask.has_value()) logits = where(mask != 0, logits, full({}, lowest(dtype), dtype));
        return nn::softmax(logits).astype(dtype);
      },
      q, k, o.bias, o.mask, common({q, k}));
  if (o.deterministic || o.dropout_rate == 0) return weights;
  if (!(0 <= o.dropout_rate && o.dropout_rate < 1))
    raise<ValueError>("dot_product_attention", "dropout_rate is " + std::to_string(o.dropout_rate),
                      "It is at least 0 and less than 1.");
  if (!o.dropout_rng.has_value())
    raise<ValueError>("dot_product_attention", "there is no key to drop weights by",
                      "Give dropout_rng, or set deterministic.");
  return dropped(weights, o.dropout_rng, o.dropout_rate, o.broadcast_dropout);
}

Array dot_product_attention(const In& query, const In& key, const In& value, const DotProductAttentionOptions& o) {
  CallScope scope(query.loc);
  const Array &k = key.array, &v = value.array;
  if (!same_batch(k, v) || k.shape(-2) != v.shape(-2) || k.shape(-3) != v.shape(-3))
    raise<ShapeError>("dot_product_attention", "key is " + type_text(k) + ", value " + type_text(v),
                      "They have the same batch, positions and heads: [batch..., keys, heads, size].");
  Array weights = dot_product_attention_weights(query, key, o);
  const DType dtype = common({query.array, k, v});
  return einsum("...hqk,...khd->...qhd", {weights.astype(dtype), v.astype(dtype)});
}

namespace {

// What a position attends to: the keys and values so far, its own included, and which positions they are of.
struct Decoded {
  Array keys, values;
  Array there;  // empty: all
};

// Puts the key and the value of one more position into the cache, which it makes while the module is initialised.
Decoded decoded(Scope& s, const char* name, const Array& q, const Array& k, const Array& v) {
  Array keys = s.variable("cache", "cached_key", [&] { return zeros(k.shape(), k.dtype()); });
  Array values = s.variable("cache", "cached_value", [&] { return zeros(v.shape(), v.dtype()); });
  Array index = s.variable("cache", "cache_index", [] { return zeros({}, int32); });
  if (s.is_initializing()) return {k, v, {}};
  Shape one = keys.shape();
  one[one.ndim() - 3] = 1;
  if (q.shape() != one || k.shape() != one)
    raise<ShapeError>(name, "one step of decoding has the query " + type_text(q) + ", the cache is " + type_text(keys),
                      "Give one position at a time, of the batch that the cache was made for.");
  std::vector<Array> at(static_cast<std::size_t>(keys.ndim()), zeros({}, int32));
  at[at.size() - 3] = index;
  keys = lax::dynamic_update_slice(keys, k.astype(keys.dtype()), at);
  values = lax::dynamic_update_slice(values, v.astype(values.dtype()), at);
  s.set("cache", "cached_key", keys);
  s.set("cache", "cached_value", values);
  s.set("cache", "cache_index", index + 1);
  return {keys, values, (arange(keys.shape(-3)) <= index).reshape(Shape{1, 1, keys.shape(-3)})};
}

}  // namespace

Array MultiHeadDotProductAttention::operator()(Scope& s, const Array& inputs_q, const Array& inputs_k,
                                               const Array& inputs_v, const Array& mask) const {
  const char* name = "MultiHeadDotProductAttention";
  if (inputs_v.has_value() && !inputs_k.has_value())
    raise<ValueError>(name, "there are values without keys", "Give inputs_k for both, or inputs_k and inputs_v.");
  if (inputs_q.ndim() < 2)
    raise<ShapeError>(name, "inputs_q is " + type_text(inputs_q), "Inputs are [batch..., positions, features].");
  const Array& in_k = inputs_k.has_value() ? inputs_k : inputs_q;
  const Array& in_v = inputs_v.has_value() ? inputs_v : in_k;
  const int given = static_cast<int>(inputs_q.shape(-1)), wide = qkv_features.value_or(given);
  if (num_heads < 1 || wide % num_heads)
    raise<ValueError>(name,
                      std::to_string(wide) + " features do not divide into " + std::to_string(num_heads) + " heads",
                      "Choose a number of heads that divides qkv_features.");
  auto projected = [&](const char* to, const Array& x) {
    return s.apply(to,
                   DenseGeneral{.features = {num_heads, wide / num_heads},
                                .use_bias = use_bias,
                                .kernel_init = kernel_init,
                                .bias_init = bias_init,
                                .param_dtype = param_dtype},
                   x);
  };
  Array q = projected("query", inputs_q), k = projected("key", in_k), v = projected("value", in_v);
  if (normalize_qk) {
    q = s.apply("query_ln", LayerNorm{.use_bias = false, .param_dtype = param_dtype}, q);
    k = s.apply("key_ln", LayerNorm{.use_bias = false, .param_dtype = param_dtype}, k);
  }
  Array open = mask;
  if (decode) {
    const Decoded so_far = decoded(s, name, q, k, v);
    k = so_far.keys;
    v = so_far.values;
    if (so_far.there.has_value()) open = open.has_value() ? (open != 0) & so_far.there : so_far.there;
  }
  const bool drops = dropout_rate > 0 && !deterministic;
  Array y = dot_product_attention(q, k, v,
                                  {.mask = open,
                                   .broadcast_dropout = broadcast_dropout,
                                   .dropout_rng = drops ? s.make_rng("dropout") : Array(),
                                   .dropout_rate = dropout_rate,
                                   .deterministic = !drops});
  return s.apply("out",
                 DenseGeneral{.features = {out_features.value_or(given)},
                              .axis = {-2, -1},
                              .use_bias = use_bias,
                              .kernel_init = kernel_init,
                              .bias_init = bias_init,
                              .param_dtype = param_dtype},
                 y);
}

Array make_attention_mask(const In& query_input, const In& key_input, Pairwise pairwise_fn, int extra_batch_dims,
                          DType dtype) {
  CallScope scope(query_input.loc);
  if (query_input.array.ndim() == 0 || key_input.array.ndim() == 0)
    raise<ShapeError>("make_attention_mask", texts(query_input.array, key_input.array),
                      "They are [batch..., queries] and [batch..., keys].");
  if (extra_batch_dims < 0)
    raise<ValueError>("make_attention_mask", "extra_batch_dims is " + std::to_string(extra_batch_dims),
                      "It is 0 or more.");
  Array mask = pairwise_fn(expand_dims(query_input.array, -1), expand_dims(key_input.array, -2));
  mask = expand_dims(mask, -3);
  for (int d = 0; d < extra_batch_dims; ++d) mask = expand_dims(mask, 0);
  return mask.astype(dtype);
}
Array make_causal_mask(const In& x, int extra_batch_dims, DType dtype) {
  CallScope scope(x.loc);
  if (x.array.ndim() == 0)
    raise<ShapeError>("make_causal_mask", "x is " + type_text(x.array) + ", a scalar", "x is [batch..., positions].");
  Array at = broadcast_to(arange(x.array.shape(-1)), x.array.shape());
  return make_attention_mask(at, at, greater_equal, extra_batch_dims, dtype);
}
Array combine_masks(const std::vector<Array>& masks, DType dtype, Loc loc) {
  CallScope scope(loc);
  Array out;
  for (const Array& mask : masks) {
    if (!mask.has_value()) continue;
    if (out.has_value() && out.ndim() != mask.ndim())
      raise<ShapeError>("combine_masks", "one mask is " + type_text(out) + ", another " + type_text(mask),
                        "Masks have the same number of dims: use reshape or extra_batch_dims.");
    out = out.has_value() ? logical_and(out, mask) : mask;
  }
  return out.has_value() ? out.astype(dtype) : out;
}

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
