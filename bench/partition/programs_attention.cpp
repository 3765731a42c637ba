// Attention and mixtures of experts. Heads are 8; q, k, v: [tokens, heads, size].
#include <cmath>

#include "programs.hpp"

namespace bench {
namespace {

constexpr std::int64_t heads = 8;

Array scaled(const Array& scores, const Array& q) {
  return scores / std::sqrt(static_cast<float>(q.shape(q.ndim() - 1)));
}
Array attend(const Array& q, const Array& k, const Array& v) {
  return einsum("hts,shd->thd", {nn::softmax(scaled(einsum("thd,shd->hts", {q, k}), q), -1), v});
}
Array in_heads(const Array& x) { return x.reshape({x.shape(0), heads, -1}); }
Array attended(const Array& q, const Array& k, const Array& v, const Array& out) {
  return matmul(attend(in_heads(q), in_heads(k), in_heads(v)).reshape({q.shape(0), -1}), out);
}

using Placed = Array (*)(const Array&);
Array as_it_is(const Array& x) { return x; }
Array by_expert(const Array& x) { return constrained(x, P("x", none, none, none)); }
Array by_group(const Array& x) { return constrained(x, P(none, "x", none, none)); }
Array to_experts(const Array& x) { return by_expert(by_group(x)); }
Array from_experts(const Array& x) { return by_group(by_expert(x)); }

// Tokens x, router's logits, experts' weights. Every token goes to two experts, each of which takes `capacity` of a
// group.
Array routed(const Arrays& in, Placed at, Placed back) {
  const std::int64_t groups = 8, capacity = 32, tokens = in[0].shape(0), number = in[1].shape(1);
  const Array x = in[0].reshape({groups, tokens / groups, -1});
  const Array prob = nn::softmax(in[1].reshape({groups, tokens / groups, number}), -1);
  const Array first = nn::one_hot(argmax(prob, -1), static_cast<int>(number));
  const Array rest = where(first > 0, -1.0f, prob);
  const Array second = nn::one_hot(argmax(rest, -1), static_cast<int>(number));
  Array gate = stack({max(prob, -1), max(rest, -1)}, -1);
  gate = gate / sum(gate, -1, true);
  const Array mask = stack({first, second}, 2);  // group, token, choice, expert
  const Array flat = mask.reshape({groups, -1, number});
  const Array place = (cumsum(flat, 1) * flat - 1).reshape(mask.shape());
  const Array send = (expand_dims(place, -1) == arange(static_cast<float>(capacity))).astype(float32);
  const Array dispatch = sum(send, 2), combine = sum(send * expand_dims(gate, {-1, -2}), 2);
  const Array to = at(einsum("gsec,gsd->egcd", {dispatch, x}));
  const Array h = nn::relu(einsum("egcd,edh->egch", {to, in[2]}));
  const Array from = back(einsum("egch,ehd->egcd", {h, in[3]}));
  return einsum("gsec,egcd->gsd", {combine, from}).reshape(in[0].shape());
}

}  // namespace

// x, Wq, Wk, Wv, Wo.
Array attention_block(const Arrays& in) {
  return attended(matmul(in[0], in[1]), matmul(in[0], in[2]), matmul(in[0], in[3]), in[4]);
}
// x, one weight [3, D, D], Wo.
Array attention_block_stacked(const Arrays& in) {
  const Array qkv = einsum("td,cde->cte", {in[0], in[1]});
  return attended(qkv[0], qkv[1], qkv[2], in[2]);
}
// x, one weight [D, 3, D], Wo.
Array attention_block_flat(const Arrays& in) {
  const std::int64_t width = in[0].shape(1);
  const Array qkv = moveaxis(matmul(in[0], in[1].reshape({width, -1})).reshape({-1, 3, heads, width / heads}), 1, 0);
  return matmul(attend(qkv[0], qkv[1], qkv[2]).reshape({-1, width}), in[2]);
}
// As attention_block, in one product.
Array attention_block_joined(const Arrays& in) {
  const std::vector<Array> qkv = split(matmul(in[0], concatenate({in[1], in[2], in[3]}, 1)), 3, 1);
  return attended(qkv[0], qkv[1], qkv[2], in[4]);
}

Array attention(const Arrays& in) { return attend(in[0], in[1], in[2]); }
Array attention_by_hand(const Arrays& in) {
  const Array scores = scaled(einsum("thd,shd->hts", {in[0], in[1]}), in[0]);
  const Array e = exp(scores - lax::stop_gradient(max(scores, -1, true)));
  return einsum("hts,shd->thd", {e / sum(e, -1, true), in[2]});
}
Array attention_by_heads(const Arrays& in) {
  auto by_head = [](const Array& x) { return constrained(x, P(none, "x", none)); };
  const Array y = by_head(attend(by_head(in[0]), by_head(in[1]), by_head(in[2])));
  return constrained(y, P("x", none, none));
}
Array attention_head_by_head(const Arrays& in) {
  std::vector<Array> each;
  for (int h = 0; h < heads; ++h) {
    const Array q = in[0](all, h), k = in[1](all, h), v = in[2](all, h);
    each.push_back(matmul(nn::softmax(scaled(matmul(q, transpose(k)), q), -1), v));
  }
  return stack(each, 1);
}

// Eight heads of q share one of k and v.
Array grouped_attention(const Arrays& in) {
  const Array q = expand_dims(in[0], 1);
  const Array p = nn::softmax(scaled(einsum("tgrd,sgd->grts", {q, in[1]}), q), -1);
  return einsum("grts,sgd->tgrd", {p, in[2]}).reshape(in[0].shape());
}
Array repeated_attention(const Arrays& in) { return attend(in[0], repeat(in[1], heads, 1), repeat(in[2], heads, 1)); }

// q [batch, heads, size] and a cache of k, v [batch, positions, heads, size].
Array decode(const Arrays& in) {
  const Array p = nn::softmax(scaled(einsum("bhd,bshd->bhs", {in[0], in[1]}), in[0]), -1);
  return einsum("bhs,bshd->bhd", {p, in[2]});
}
Array decode_without_max(const Arrays& in) {
  const Array e = exp(scaled(einsum("bhd,bshd->bhs", {in[0], in[1]}), in[0]));
  return einsum("bhs,bshd->bhd", {e, in[2]}) / sum(e, -1, true);
}

Array experts(const Arrays& in) { return routed(in, as_it_is, as_it_is); }
Array experts_constrained(const Arrays& in) { return routed(in, by_expert, by_expert); }
Array experts_constrained_both(const Arrays& in) { return routed(in, to_experts, from_experts); }

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
