// Pieces of language models: attention, losses, decoding.
#include "real.hpp"

namespace bench::real {
namespace {

Array causal_attention(const Array& q, const Array& k, const Array& v) {
  return nn::dot_product_attention(q, k, v, {.is_causal = true});
}
Two cross_entropy(const Array& logits, const Array& labels) {
  auto loss = [&](const Array& z) { return -take_along_axis(nn::log_softmax(z), expand_dims(labels, 1), 1).mean(); };
  return value_and_grad(loss)(logits);
}
Arrays decode_step(const Array& keys, const Array& values, const Array& key, const Array& value, const Array& q,
                   const Array& position) {
  const Array zero = array(0);
  const Array k = lax::dynamic_update_slice(keys, key, {zero, position, zero, zero}),
              v = lax::dynamic_update_slice(values, value, {zero, position, zero, zero});
  const Array scores = einsum("bhd,bthd->bht", {q, k}) / 8;
  const Array weights = nn::softmax(where(arange(k.shape(1)) <= position, scores, -1e9), -1);
  return {einsum("bht,bthd->bhd", {weights, v}), k, v};
}
Two beam_step(const Array& logits, const Array& scores, const Array& history) {
  const std::int64_t v = logits.shape(2);
  const Array all_scores = (nn::log_softmax(logits) + expand_dims(scores, 2)).reshape(8, 4 * v);
  const auto best = lax::top_k(all_scores, 4);
  const Array from = expand_dims(floor_divide(best.indices, v), 2);
  return {best.values, take_along_axis(history, from, 1).at(all, all, 31).set(best.indices % v)};
}
Array next_token_loss(const Array& logits, const Array& ids) {
  return optim::softmax_cross_entropy_with_integer_labels(logits(all, slice(none, -1)), ids(all, slice(1, none)))
      .mean();
}
Array contrastive(const Array& a, const Array& b) {
  const Array z = matmul(a, b.T()), same = linalg::diagonal(z);
  return (nn::logsumexp(z, 1) - same).mean() + (nn::logsumexp(z, 0) - same).mean();
}
Array rotated_by_halves(const Array& x) {
  const std::int64_t t = x.shape(0), d = x.shape(2);
  const Array rate = exp(-arange(d / 2).astype(float32) / d);
  const Array angle = expand_dims(expand_dims(arange(t).astype(float32), 1) * rate, 1), c = cos(angle), s = sin(angle);
  const Arrays half = split(x, 2, 2);
  return concatenate({half[0] * c - half[1] * s, half[0] * s + half[1] * c}, 2);
}
Array last_token(const Array& x, const Array& w) { return matmul(x(all, -1), w); }
Array dropped_out(const Array& x) {
  return where(random::bernoulli(random::key(3), 0.9, Shape(x.shape())), x / 0.9, 0);
}

// Maximum and sum over y (all_reduce), logits of the labels (reduce_scatter), then the mean.
double bytes_of_cross_entropy(std::int64_t tokens) {
  const double per_token = as_double(tokens) / 4 * 4;
  return 2 * all_reduce(2, per_token) + reduce_scatter(2, per_token) + scalar_sum;
}
// All of b, maxima of columns (all_reduce), their sums (reduce_scatter), the mean; rows are local.
double bytes_of_contrastive(std::int64_t n, std::int64_t size) {
  const double columns = as_double(n) * 4;
  return all_gather(8, as_double(n * size) * 4) + all_reduce(8, columns) + reduce_scatter(8, columns) + scalar_sum;
}

}  // namespace

std::vector<Row> language(const Extents& at) {
  const std::int64_t t = at(8192, 32), d = at(64, 8), tokens = at(4096, 32), v = at(32768, 64), b = at(8, 2);
  const std::int64_t cache = at(4096, 64), n = at(4096, 32), size = at(256, 8), b_next = at(8, 4), v_next = at(512, 16);
  const std::int64_t rope_size = at.fixed(64, 8), last_b = at(64, 4);
  const Input qkv = numbers({1, t, 2, d}, second), cached = numbers({b, cache, 8, d}, second),
              one = numbers({b, 1, 8, d}, whole);
  const double heads = as_double(b) * 8 * 4;                     // a number for each head of each sequence
  const double beams = 8 * 4 * 4;                                // for each beam
  const double candidates = all_gather(8, 8 * 8 * 4 * (4 + 4));  // four values and places of each device
  return {
      {"attn_seq",
       "causal attention, tokens cut, 2 heads",
       d8,
       {qkv, qkv, qkv},
       {second},
       of(causal_attention),
       {2 * all_gather(8, as_double(t * 2 * d) * 4), {}, 7340032},
       "K"},
      {"xent42",
       "cross-entropy and gradient, tokens over x, words over y",
       xy42,
       {numbers({tokens, v}, xy), ids({tokens}, P("x"), v)},
       {whole, xy},
       of(cross_entropy),
       {bytes_of_cross_entropy(tokens), {}, 16390}},
      // Maximum, sum, and the weighted values.
      {"kv_decode",
       "decode step, cache cut by position",
       d8,
       {cached, cached, one, one, numbers({b, 8, d}, whole), ids({}, whole, 16)},
       {whole, second, second},
       of(decode_step),
       {2 * all_reduce(8, heads) + all_reduce(8, heads * as_double(d))}},
      // Maximum and sum of the softmax, then four candidates of each device for each sequence.
      {"beam",
       "beam search: top_k of beams x words, words cut",
       d8,
       {numbers({8, 4, v}, third), numbers({8, 4}, whole), ids({8, 4, 32}, whole, 9)},
       {whole, whole},
       of(beam_step),
       {2 * all_reduce(8, beams) + candidates, {}, 3670464},
       "K"},
      // Ids of the first token of the next block, one of each sequence.
      {"autoreg",
       "next token: logits[:, :-1] against ids[:, 1:]",
       d8,
       {numbers({b_next, tokens, v_next}, second), ids({b_next, tokens}, second, v_next)},
       {whole},
       of(next_token_loss),
       {as_double(b_next) * 4 + scalar_sum, {}, 39},
       "A"},
      {"clip",
       "contrastive loss of two towers, batch cut",
       d8,
       {numbers({n, size}, cut), numbers({n, size}, cut)},
       {whole},
       of(contrastive),
       {bytes_of_contrastive(n, size)}},
      {"rope_half",
       "rotary embedding by halves, tokens cut",
       d8,
       {numbers({tokens, 8, rope_size}, cut)},
       {cut},
       of(rotated_by_halves),
       {0}},
      {"last_token",
       "x[:, -1] of cut time, then a product",
       d8,
       {numbers({last_b, tokens, d}, second), numbers({d, d}, whole)},
       {whole},
       of(last_token),
       {all_reduce(8, as_double(last_b * d) * 4), {}, 45056}},
      {"dropout",
       "dropout with a key, batch and features cut",
       xy42,
       {numbers({n, n}, xy)},
       {xy},
       of(dropped_out),
       {0}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
