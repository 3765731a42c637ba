// Lookups, norms, sums, running sums and sorts along a dimension.
#include "programs.hpp"

namespace bench {
namespace {

Array label_logits(const Array& logits, const Array& labels) {
  return take_along_axis(logits, expand_dims(labels, 1), 1)(all, 0);
}
Array normed(const Array& x, const Array& mean, const Array& variance, const Arrays& in) {
  return (x - mean) * lax::rsqrt(variance + 1e-5) * in[1] + in[2];
}
constexpr int largest_count = 16;

}  // namespace

Array lookup(const Arrays& in) { return take(in[0], in[1], 0); }
Array lookup_by_product(const Arrays& in) {
  return matmul(nn::one_hot(in[1], static_cast<int>(in[0].shape(0))), in[0]);
}
Array lookup_along(const Arrays& in) {
  const Array ids = broadcast_to(expand_dims(in[1], 1), {in[1].shape(0), in[0].shape(1)});
  return take_along_axis(in[0], ids, 0);
}

Array cross_entropy(const Arrays& in) { return mean(nn::logsumexp(in[0], -1) - label_logits(in[0], in[1])); }
Array cross_entropy_one_hot(const Arrays& in) {
  const Array at = nn::one_hot(in[1], static_cast<int>(in[0].shape(1)));
  return mean(nn::logsumexp(in[0], -1) - sum(at * in[0], -1));
}
Array cross_entropy_library(const Arrays& in) { return mean(-label_logits(nn::log_softmax(in[0], -1), in[1])); }

Array rms_norm(const Arrays& in) { return in[0] * lax::rsqrt(mean(in[0] * in[0], -1, true) + 1e-6) * in[1]; }
Array rms_norm_by_einsum(const Arrays& in) {
  const Array squares = einsum("td,td->t", {in[0], in[0]}) / static_cast<float>(in[0].shape(1));
  return in[0] * expand_dims(lax::rsqrt(squares + 1e-6), 1) * in[1];
}
Array rms_norm_by_variance(const Arrays& in) {
  const Array squares = var(in[0], -1, true) + square(mean(in[0], -1, true));
  return in[0] * lax::rsqrt(squares + 1e-6) * in[1];
}

Array batch_norm(const Arrays& in) {
  const Array m = mean(in[0], {0, 1, 2}), v = mean(in[0] * in[0], {0, 1, 2}) - m * m;
  return normed(in[0], m, v, in);
}
Array batch_norm_by_var(const Arrays& in) { return normed(in[0], mean(in[0], {0, 1, 2}), var(in[0], {0, 1, 2}), in); }
Array batch_norm_flat(const Arrays& in) {
  const Array x = in[0].reshape({-1, in[0].shape(3)}), m = mean(x, 0), v = mean(square(x), 0) - square(m);
  return normed(x, m, v, in).reshape(in[0].shape());
}

Array sum_all(const Arrays& in) { return sum(in[0]); }
Array sum_twice(const Arrays& in) { return sum(sum(in[0], 1), 0); }

Array mean_rows(const Arrays& in) { return mean(in[0], 0); }
Array mean_rows_padded(const Arrays& in) {
  const Array rows = expand_dims(arange(static_cast<int>(in[0].shape(0))), 1);
  return sum(where(rows < 10, in[0], 0.0f), 0) / 10.0f;
}
Array mean_rows_cut(const Arrays& in) { return mean(constrained(in[0](slice(10)), P("x", none)), 0); }
Array mean_rows_scaled_first(const Arrays& in) { return sum(in[0] * 0.1f, 0); }

Array cumsum_rows(const Arrays& in) { return cumsum(in[0], 0); }
Array cumsum_associative(const Arrays& in) {
  return lax::associative_scan([](const Array& a, const Array& b) { return a + b; }, in[0]);
}
Array cumsum_by_scan(const Arrays& in) {
  auto step = [](const Array& sum, const Array& row) { return std::pair{sum + row, sum + row}; };
  return lax::scan(step, zeros({in[0].shape(1)}), in[0]).second;
}
Array cumsum_by_product(const Arrays& in) { return matmul(tri(in[0].shape(0), in[0].shape(0)), in[0]); }

Array sort_rows(const Arrays& in) { return sort(in[0], 0); }
Array sort_by_argsort(const Arrays& in) { return take_along_axis(in[0], argsort(in[0], 0), 0); }

// The 16 largest of each row and where they are.
Arrays largest(const Arrays& in) {
  const std::vector<Array> sorted = lax::sort({-in[0], lax::iota(int32, in[0].shape(), 1)}, 1);
  return {-sorted[0](all, slice(largest_count)), sorted[1](all, slice(largest_count))};
}
Array largest_by_sort(const Arrays& in) { return sort(in[0], -1)(all, slice(-largest_count, none)); }
Arrays largest_by_argsort(const Arrays& in) {
  const Array at = argsort(-in[0], -1)(all, slice(largest_count));
  return {take_along_axis(in[0], at, 1), at};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
