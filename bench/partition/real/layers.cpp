// Layers of networks: experts, windows of attention, recurrent cells, sampling.
#include "real.hpp"

namespace bench::real {
namespace {

// Groups of tokens, each sent to one expert; of an expert's `room` places those that come too late are left out.
Array experts(const Array& x, const Array& router, const Array& up, const Array& down) {
  const int experts = static_cast<int>(up.shape(0)), room = static_cast<int>(x.shape(1)) / experts * 2;
  const Array gates = nn::softmax(matmul(x, router)), chosen = nn::one_hot(argmax(gates, 2), experts);
  const Array place = (cumsum(chosen, 1) - 1) * chosen + chosen - 1;  // -1: not this expert
  const Array dispatch = nn::one_hot(place.astype(int32), room);
  const Array inside = einsum("gtd,gtec->egcd", {x, dispatch});
  const Array outside = einsum("egcf,efd->egcd", {nn::relu(einsum("egcd,edf->egcf", {inside, up})), down});
  return einsum("egcd,gtec,gte->gtd", {outside, dispatch, gates});
}
// Blocks of `w` tokens see their own block and the one before.
Array attention_of_blocks(const Array& q, const Array& k, const Array& v, const Array& k_before,
                          const Array& v_before) {
  const Array keys = concatenate({k_before, k}, 1), values = concatenate({v_before, v}, 1);
  const Array weights = nn::softmax(einsum("nqd,nkd->nqk", {q, keys}) / 8);
  return einsum("nqk,nkd->nqd", {weights, values});
}
Array before_by_concatenate(const Array& x) {
  return concatenate({zeros({1, x.shape(1), x.shape(2)}), x(slice(none, -1))});
}
Array local_attention_by_roll(const Array& q, const Array& k, const Array& v) {
  return attention_of_blocks(q, k, v, roll(k, 1, 0), roll(v, 1, 0));
}
Array local_attention_by_concatenate(const Array& q, const Array& k, const Array& v) {
  return attention_of_blocks(q, k, v, before_by_concatenate(k), before_by_concatenate(v));
}
Array normalised(const Array& x, const Array& scale, const Array& shift) {
  const Array centred = x - x.mean(-1, true);
  return centred / sqrt(square(centred).mean(-1, true) + 1e-5) * scale + shift;
}
Array group_norm(const Array& x) {
  const std::int64_t b = x.shape(0), n = x.shape(1), c = x.shape(3);
  const Array g = x.reshape(b, n, x.shape(2), 4, c / 4), mean = g.mean({1, 2, 4}, true);
  return ((g - mean) / sqrt(var(g, {1, 2, 4}, true) + 1e-5)).reshape(b, n, x.shape(2), c);
}
Array rotated_in_pairs(const Array& x) {
  const std::int64_t t = x.shape(0), d = x.shape(2);
  const Array angle = expand_dims(arange(t).astype(float32), 1) * exp(-arange(d / 2).astype(float32) / d);
  const Array c = expand_dims(cos(angle), 1), s = expand_dims(sin(angle), 1);
  const Array even = x(all, all, slice(0, none, 2)), odd = x(all, all, slice(1, none, 2));
  return stack({even * c - odd * s, even * s + odd * c}, -1).reshape(x.shape());
}
Array gru_loss_gradient(const Array& x, const Array& w, const Array& u) {
  auto loss = [&](const Array& w, const Array& u) {
    auto step = [&](const Array& h, const Array& x) {
      const Arrays a = split(matmul(x, w), 3, 1), b = split(matmul(h, u), 3, 1);
      const Array z = nn::sigmoid(a[0] + b[0]), r = nn::sigmoid(a[1] + b[1]), n = tanh(a[2] + r * b[2]);
      const Array next = z * h + (1 - z) * n;
      return std::pair{next, next};
    };
    return square(lax::scan(step, zeros({x.shape(1), u.shape(0)}), x).first).mean();
  };
  return grad([&](const Array& u) { return loss(w, u); })(u);
}
Array state_space(const Array& decay, const Array& input) {
  auto step = [](const Array& h, const std::pair<Array, Array>& in) {
    const Array next = in.first * h + in.second;
    return std::pair{next, next};
  };
  return lax::scan(step, zeros({input.shape(1)}), std::pair{decay, input}).second;
}
Array greedy(const Array& x, const Array& table) { return argmax(matmul(x, table.T()), -1); }
Array sampled(const Array& logits) { return random::categorical(random::key(5), logits); }
Array shifted_labels_loss(const Array& logits, const Array& ids) {
  const Array targets = roll(ids, -1, 1), losses = optim::softmax_cross_entropy_with_integer_labels(logits, targets);
  return where(arange(ids.shape(1)) < ids.shape(1) - 1, losses, 0).mean();
}

}  // namespace

std::vector<Row> layers(const Extents& at) {
  const std::int64_t t = at.fixed(1024, 64), d = at(512, 8), f = at(1024, 16);
  const std::int64_t blocks = at(64, 16), w = at(128, 4), size = at(64, 8), tokens = at(4096, 32),
                     features = at(4096, 32);
  const std::int64_t b = at(8, 2), n = at(64, 16), groups = at.fixed(64, 8), vocabulary = at(32768, 64),
                     users = at(64, 4), even = at.fixed(64, 8);
  const std::int64_t steps = at(64, 4), batch = at(512, 16), h = at(128, 8), time = at(4096, 64),
                     channels = at(512, 16), classes = at(512, 16);
  const Input block = numbers({blocks, w, size}, cut), series = numbers({time, channels}, cut);
  const double sent_block = 8 * as_double(t / 8 * 2 * d) * 4;  // a device's group, places of all experts
  const double candidates = all_gather(8, 8 * as_double(users) * (4 + 4));
  const Input words = numbers({vocabulary, d}, cut);
  return {
      {"experts_dense",
       "mixture of experts: one_hot and cumsum, groups and experts cut",
       d8,
       {numbers({8, t, d}, cut), numbers({d, 8}, whole), numbers({8, d, f}, cut), numbers({8, f, d}, cut)},
       {cut},
       of(experts),
       {2 * all_to_all(8, sent_block)}},
      {"attn_local_roll",
       "attention of blocks to their own and the last: roll",
       d8,
       {block, block, block},
       {cut},
       of(local_attention_by_roll),
       {2 * borders({blocks / 8, w, size}, {1})}},
      {"attn_local_concat",
       "attention of blocks: concatenate(zeros, k[:-1])",
       d8,
       {block, block, block},
       {cut},
       of(local_attention_by_concatenate),
       {2 * borders({blocks / 8, w, size}, {1})}},
      // Means, then squares of what is left.
      {"layer_norm_cut",
       "layer norm, features cut",
       d8,
       {numbers({tokens, features}, second), numbers({features}, cut), numbers({features}, cut)},
       {second},
       of(normalised),
       {2 * all_reduce(8, as_double(tokens) * 4)}},
      {"group_norm_rows",
       "group norm of images, rows cut",
       d8,
       {numbers({b, n, n, groups}, second)},
       {second},
       of(group_norm),
       {2 * all_reduce(8, as_double(b) * 4 * 4)}},
      {"rope_pairs",
       "rotary embedding by x[..., ::2], stack, reshape, tokens cut",
       d8,
       {numbers({tokens, 8, even}, cut)},
       {cut},
       of(rotated_in_pairs),
       {0}},
      {"gru",
       "GRU by scan, batch cut, gradient of the recurrent weight",
       d8,
       {numbers({steps, batch, h}, second), numbers({h, 3 * h}, whole), numbers({h, 3 * h}, whole)},
       {whole},
       of(gru_loss_gradient),
       {all_reduce(8, as_double(3 * h * h) * 4)}},
      // Channels are cut in place of time: both inputs, and the result back.
      {"state_space",
       "h = a h + x by scan over cut time",
       d8,
       {series, series},
       {cut},
       of(state_space),
       {3 * all_to_all(8, as_double(time / 8 * channels) * 4)}},
      {"greedy_words",
       "argmax of x @ table.T, words cut",
       d8,
       {numbers({users, d}, whole), words},
       {whole},
       of(greedy),
       {candidates}},
      {"sampled_words",
       "categorical of logits, words cut",
       d8,
       {numbers({users, vocabulary}, second)},
       {whole},
       of(sampled),
       {candidates}},
      {"autoreg_roll",
       "next token: labels by roll, the last one masked, tokens cut",
       d8,
       {numbers({b, tokens, classes}, second), ids({b, tokens}, second, classes)},
       {whole},
       of(shifted_labels_loss),
       {as_double(b) * 4 + scalar_sum}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
