// Tables, graphs, scans and matrices by hand: results of blocks, put together.
#include <cmath>

#include "by_hand.hpp"

namespace bench::real {
namespace {

Array scattered_sum(const Array& x) { return lax::psum_scatter(x, "d", {.tiled = true}); }
Array gathered(const Array& x) { return lax::all_gather(x, "d", {.tiled = true}); }

// What the blocks before this one come to, of the totals of all: `all_totals(i)` is that of block i.
template <class Combine> Array before_this(const Array& all_totals, const Array& start, const Combine& combine) {
  Array out = start;
  for (int i = 0; i < 7; ++i) out = where(lax::axis_index("d") > i, combine(out, all_totals(i)), out);
  return out;
}
Array running_max(const Array& x) {
  const Array r = lax::cummax(x, 0), totals = lax::all_gather(r(-1), "d");
  return maximum(r, before_this(totals, full({x.shape(1)}, -INFINITY),
                                [](const Array& a, const Array& b) { return maximum(a, b); }));
}
Array running_products(const Array& a) {
  const Array r = lax::associative_scan([](const Array& l, const Array& r) { return matmul(r, l); }, 0.4 * a);
  const Array totals = lax::all_gather(r(-1), "d");
  return matmul(r, before_this(totals, eye(4), [](const Array& c, const Array& t) { return matmul(t, c); }));
}
Array recurrence(const Array& a, const Array& b) {
  auto both = [](const Two& l, const Two& r) { return Two{l.first * r.first, r.first * l.second + r.second}; };
  const Two r = lax::associative_scan(both, Two{0.5 * a, b});
  const Array factors = lax::all_gather(r.first(-1), "d"), terms = lax::all_gather(r.second(-1), "d");
  Array before = zeros({a.shape(1)});
  for (int i = 0; i < 7; ++i) before = where(lax::axis_index("d") > i, factors(i) * before + terms(i), before);
  return r.second + r.first * before;
}

Function sums_at(std::int64_t bins) {
  return of([=](const Array& x, const Array& at) { return scattered_sum(zeros({bins}).at(at).add(x)); });
}
Array sparse_product_of_blocks(const Array& values, const Array& row, const Array& column, const Array& x) {
  return lax::psum(zeros({x.shape(0)}).at(row).add(values * x(column)), "d");
}
Array centres(const Array& x, const Array& c) {
  const std::int64_t k = c.shape(0);
  const Array nearest = argmin(square(c).sum(1) - 2 * matmul(x, c.T()), 1);
  const Array count = scattered_sum(segment_sum(ones({x.shape(0)}), nearest, k));
  return gathered(scattered_sum(segment_sum(x, nearest, k)) / expand_dims(maximum(count, 1), 1));
}
Function page_rank_of_blocks(std::int64_t nodes) {
  return of([=](const Array& from, const Array& to) {
    const Array degree = maximum(lax::psum(segment_sum(ones({from.shape(0)}), from, nodes), "d"), 1);
    auto step = [&](const Array&, const Array& rank) {
      return 0.15 / as_double(nodes) + 0.85 * lax::psum(segment_sum((rank / degree)(from), to, nodes), "d");
    };
    return lax::fori_loop(0, 10, step, full({nodes}, 1 / as_double(nodes)));
  });
}
Function group_means(std::int64_t k) {
  return of([=](const Array& x, const Array& group) {
    const Array sums = scattered_sum(segment_sum(x, group, k));
    return gathered(sums / maximum(scattered_sum(segment_sum(ones({x.shape(0)}), group, k)), 1));
  });
}
Function confusion_of_blocks(std::int64_t k) {
  return of([=](const Array& truth, const Array& guess) {
    return lax::psum(zeros({k, k}, int32).at(truth, guess).add(1), "d");
  });
}
Array picked(const Array& z, const Array& y) {
  const Array here = take_along_axis(nn::log_softmax(z), expand_dims(y, 1), 1).sum();
  return -lax::psum(here, "d") / (8 * as_double(z.shape(0)));
}
Function one_hot_rows(std::int64_t classes) {
  return of([=](const Array& y) { return nn::one_hot(y, static_cast<int>(classes)); });
}
Array places_in_table(const Array& table, const Array& x) { return lax::psum(searchsorted(table, x), "d"); }

Two tall_qr(const Array& x) {
  const std::int64_t m = x.shape(1);
  const auto local = linalg::qr(x), both = linalg::qr(gathered(local.r));
  const Array mine = lax::dynamic_slice(both.q, {lax::axis_index("d") * static_cast<int>(m), array(0)}, {m, m});
  return {abs(matmul(local.q, mine)), abs(both.r)};
}
Two trace_and_diagonal_of_blocks(const Array& x) {
  const std::int64_t rows = x.shape(0);
  const Array from = lax::axis_index("d") * static_cast<int>(rows);
  const Array d = diagonal(lax::dynamic_slice(x, {array(0), from}, {rows, rows}));
  return {lax::psum(d.sum(), "d"), d};
}
Array solved(const Array& a, const Array& b) { return linalg::solve(a + as_double(a.shape(0)) * eye(a.shape(0)), b); }

// Four candidates of each device, with their places among beams x words.
Two beam_step_of_blocks(const Array& logits, const Array& scores, const Array& history) {
  const std::int64_t v = logits.shape(2);
  const int words = static_cast<int>(v) * 8;
  const Array most = lax::pmax(logits.max(-1), "d"), e = exp(logits - expand_dims(most, 2));
  const Array total = most + log(lax::psum(e.sum(-1), "d"));
  const auto best = lax::top_k((logits - expand_dims(total - scores, 2)).reshape(8, 4 * v), 4);
  const Array place =
      floor_divide(best.indices, v) * words + best.indices % v + lax::axis_index("d") * static_cast<int>(v);
  const Array values = lax::all_gather(best.values, "d", {.axis = 1, .tiled = true}),
              at = lax::all_gather(place, "d", {.axis = 1, .tiled = true});
  const auto top = lax::top_k(values, 4);
  const Array chosen = take_along_axis(at, top.indices, 1);
  const Array from = expand_dims(floor_divide(chosen, words), 2);
  return {top.values, take_along_axis(history, from, 1).at(all, all, 31).set(chosen % words)};
}

}  // namespace

std::vector<ByHand> tables_by_hand(const Extents& at) {
  const std::int64_t bins = at(4096, 16), nodes = at(8192, 64), groups = at(4096, 16), few = at(64, 4);
  const std::int64_t classes = at(256, 16);
  return {
      {"cummax_rows", of(running_max)},
      {"kalman_assoc", of(running_products)},
      {"linrec_assoc", of(recurrence)},
      {"scatter_add_cut", sums_at(bins)},
      {"spmv", of(sparse_product_of_blocks)},
      {"kmeans_seg", of(centres)},
      {"page_rank", page_rank_of_blocks(nodes)},
      {"group_means", group_means(groups)},
      {"confusion", confusion_of_blocks(few)},
      {"pick_labels", of(picked)},
      {"onehot_set", one_hot_rows(classes)},
      {"search_table", of(places_in_table)},
      {"tsqr", of(tall_qr)},
      {"trace_diag", of(trace_and_diagonal_of_blocks)},
      {"solve_columns", of(solved)},
      {"beam", of(beam_step_of_blocks)},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
