// Sorts, counts and picks: what data frames and metrics do.
#include "real.hpp"

namespace bench::real {
namespace {

Two largest(const Array& x, int count) {
  const auto top = lax::top_k(x, count);
  return {top.values, top.indices};
}
Array picked_by_index(const Array& z, const Array& y) { return -nn::log_softmax(z)(arange(z.shape(0)), y).mean(); }
Array picked_by_take_along(const Array& z, const Array& y) {
  return -take_along_axis(nn::log_softmax(z), expand_dims(y, 1), 1).mean();
}
Array nearest_row(const Array& x, const Array& query) { return x(argmin(square(x - query).sum(1))); }
Array rows_in_order(const Array& x, const Array& order) { return x(order); }
Array mean_of_two(const Array& a, const Array& b) { return mean(concatenate({a, b}), 0); }

}  // namespace

std::vector<Row> tables(const Extents& at) {
  const std::int64_t n = at(1 << 20, 256), bins = at(4096, 16), ids_1024 = at(1024, 16), top = at(64, 8);
  const std::int64_t n_top = at(1 << 20, 1024), batch = at(65536, 32), classes = at(256, 16), points = at(65536, 256);
  const std::int64_t rows = at(4096, 64), columns = at(512, 16);
  const Input values = numbers({n}, cut), frame = numbers({rows, columns}, cut);
  const Input ascending{{n}, cut, float32, true, 0, true};
  const double key_block = as_double(n) * 4 / 8, row_block = as_double(rows * columns) * 4 / 8;
  return {
      // By splitters: every key goes to the device of its range, then to that of its place.
      {"sort_1d",
       "sort of a cut vector",
       d8,
       {values},
       {cut},
       of([](const Array& x) { return sort(x); }),
       {2 * all_to_all(8, key_block), {}, 3670016},
       "I"},
      {"topk_1d",
       "top_k of a cut vector",
       d8,
       {numbers({n_top}, cut)},
       {whole, whole},
       of([=](const Array& x) { return largest(x, static_cast<int>(top)); }),
       {all_gather(8, 8 * as_double(top) * (4 + 4)), {}, 3670016}},
      {"unique_1d",
       "unique of cut ids, as many as there can be",
       d8,
       {ids({n}, cut, ids_1024)},
       {whole},
       of([=](const Array& x) { return unique(x, {.size = ids_1024}); }),
       {all_gather(8, 8 * as_double(ids_1024) * 4), {}, 11010048},
       "I"},
      // Places in the blocks of the table, added up.
      {"search_table",
       "searchsorted, sorted table cut",
       d8,
       {ascending, numbers({ids_1024}, whole)},
       {whole},
       of([](const Array& table, const Array& x) { return searchsorted(table, x); }),
       {all_reduce(8, as_double(ids_1024) * 4), {}, 150528},
       "I"},
      {"bincount_x",
       "bincount, ids cut",
       d8,
       {ids({n}, cut, bins)},
       {whole},
       of([=](const Array& x) { return bincount(x, {.length = bins}); }),
       {all_reduce(8, as_double(bins) * 4)}},
      {"pick_labels",
       "log_softmax(z)[arange(n), y].mean(), batch cut",
       d8,
       {numbers({batch, classes}, cut), ids({batch}, cut, classes)},
       {whole},
       of(picked_by_index),
       {scalar_sum, {}, 688135},
       "D"},
      {"pick_by_along",
       "labels by take_along_axis, batch cut",
       d8,
       {numbers({batch, classes}, cut), ids({batch}, cut, classes)},
       {whole},
       of(picked_by_take_along),
       {scalar_sum}},
      {"onehot_set",
       "zeros.at[arange(n), y].set(1), batch cut",
       d8,
       {ids({batch}, cut, classes)},
       {cut},
       of([=](const Array& y) {
         return zeros({y.shape(0), classes}).at(arange(y.shape(0)), y).set(1);
       }),
       {0, {}, 458752},
       "D"},
      // The best of each block with its place, then the row, of whom has it.
      {"nearest_row",
       "x[argmin(distance)], rows cut",
       d8,
       {numbers({points, 64}, cut), numbers({64}, whole)},
       {whole},
       of(nearest_row),
       {all_gather(8, 8 * (4 + 4)) + all_reduce(8, 64 * 4), {}, 14680120}},
      // Columns on a device, rows taken there, and back.
      {"take_perm",
       "rows in a random order, order whole",
       d8,
       {frame, ids({rows}, whole, rows)},
       {cut},
       of(rows_in_order),
       {2 * all_to_all(8, row_block), {}, 7340032}},
      {"concat_mean",
       "mean over the concatenation of two cut arrays",
       d8,
       {frame, frame},
       {whole},
       of(mean_of_two),
       {all_reduce(8, as_double(columns) * 4), {}, 3673600}},
      {"standardise",
       "(x - mean) / std of columns, rows cut",
       d8,
       {numbers({at(65536, 64), at(128, 8)}, cut)},
       {cut},
       of([](const Array& x) { return (x - mean(x, 0)) / x.std(0); }),
       {2 * all_reduce(8, as_double(at(128, 8)) * 4), {}, 2688}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
