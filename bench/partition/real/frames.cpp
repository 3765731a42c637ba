// Data frames and time series: groups, windows, counts, metrics; rows are cut.
#include "real.hpp"

namespace bench::real {
namespace {

Function means_of_groups(std::int64_t k) {
  return of([=](const Array& x, const Array& group) {
    return segment_sum(x, group, k) / maximum(segment_sum(ones({x.shape(0)}), group, k), 1);
  });
}
Function means_of_groups_by_bincount(std::int64_t k) {
  return of([=](const Array& x, const Array& group) {
    return bincount(group, {.weights = x, .length = k}) / maximum(bincount(group, {.length = k}), 1);
  });
}
Function confusion(std::int64_t k) {
  return of([=](const Array& truth, const Array& guess) { return zeros({k, k}, int32).at(truth, guess).add(1); });
}
Function confusion_by_bincount(std::int64_t k) {
  return of([=](const Array& truth, const Array& guess) {
    return bincount(truth * static_cast<int>(k) + guess, {.length = k * k}).reshape(k, k);
  });
}
Array changes(const Array& x) { return x(slice(1, none)) / (x(slice(none, -1)) + 1) - 1; }
Array changes_padded(const Array& x) { return (x - pad(x(slice(none, -1)), {{1, 0}, {0, 0}})) / (x + 1); }
Array rolling_max(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::max, {.window_dimensions = {16, 1}, .padding = {{15, 0}, {0, 0}}});
}
Array rolling_mean_valid(const Array& x) {
  return lax::reduce_window(x, lax::WindowReduction::sum, {.window_dimensions = {16, 1}}) / 16;
}
Array rolling_mean_by_rolls(const Array& x) {
  Array sum = x;
  for (int i = 1; i < 8; ++i) sum = sum + roll(x, i, 0);
  return sum / 8;
}
Array smoothed(const Array& x) {
  auto step = [](const Array& mean, const Array& row) {
    const Array next = 0.9 * mean + 0.1 * row;
    return std::pair{next, next};
  };
  return lax::scan(step, zeros({x.shape(1)}), x).second;
}
Array first_of_runs(const Array& x) {
  return concatenate({ones({1}, bool_), x(slice(1, none)) != x(slice(none, -1))}).astype(int32);
}
Array run_numbers(const Array& x) { return cumsum(first_of_runs(x)) - 1; }
Array to_unit_range(const Array& x) {
  const Array low = x.min(0), high = x.max(0);
  return (x - low) / (high - low + 1e-3);
}
Array accuracy(const Array& scores, const Array& y) { return (argmax(scores, 1) == y).astype(float32).mean(); }
Array accuracy_of_five(const Array& scores, const Array& y) {
  return (lax::top_k(scores, 5).indices == expand_dims(y, 1)).any(1).astype(float32).mean();
}
Array standardised(const Array& x) { return (x - x.mean()) / (x.std() + 1e-3); }

}  // namespace

std::vector<Row> frames(const Extents& at) {
  const std::int64_t n = at(1 << 20, 256), rows = at(65536, 256), columns = at(64, 4), k = at(4096, 16),
                     few = at(64, 4), m = at(512, 16), long_rows = at(4096, 64);
  const std::int64_t classes = at(256, 16);
  const Input frame = numbers({rows, columns}, cut), groups = ids({n}, cut, k), labels = ids({n}, cut, few),
              tall = numbers({long_rows, m}, cut);
  const double row = as_double(columns) * 4;
  // Sums and counts of a part of the groups each, then the means.
  const double group_means = 3 * reduce_scatter(8, as_double(k) * 4);
  const double counts = all_reduce(8, as_double(few * few) * 4);
  const Input scores = numbers({rows, classes}, cut), truth = ids({rows}, cut, classes);
  return {
      {"group_means",
       "means of groups by segment_sum",
       d8,
       {numbers({n}, cut), groups},
       {whole},
       means_of_groups(k),
       {group_means},
       "C"},
      {"group_means_bincount",
       "means of groups by bincount",
       d8,
       {numbers({n}, cut), groups},
       {whole},
       means_of_groups_by_bincount(k),
       {group_means},
       "C"},
      {"confusion",
       "confusion matrix: zeros.at[y, p].add(1)",
       d8,
       {labels, labels},
       {whole},
       confusion(few),
       {counts},
       "C"},
      {"confusion_bincount",
       "confusion matrix: bincount(y * k + p)",
       d8,
       {labels, labels},
       {whole},
       confusion_by_bincount(few),
       {counts}},
      // Columns whole on a device, sorted there, and their medians.
      {"median_columns",
       "median of columns",
       d8,
       {tall},
       {whole},
       of([](const Array& x) { return median(x, 0); }),
       {all_to_all(8, as_double(long_rows / 8 * m) * 4) + all_gather(8, as_double(m) * 4)},
       "I"},
      {"changes", "relative changes x[1:] / x[:-1]", d8, {frame}, {}, of(changes), {row}, "A"},
      {"changes_padded", "relative changes, x shifted by pad of x[:-1]", d8, {frame}, {cut}, of(changes_padded), {row}},
      {"rolling_max",
       "largest of the last 16 rows by reduce_window",
       d8,
       {frame},
       {cut},
       of(rolling_max),
       {15 * row},
       "G"},
      {"rolling_mean_valid",
       "means of 16 rows by reduce_window valid",
       d8,
       {frame},
       {},
       of(rolling_mean_valid),
       {15 * row},
       "A"},
      {"rolling_mean_rolls",
       "means of 8 rows by a sum of rolls",
       d8,
       {frame},
       {cut},
       of(rolling_mean_by_rolls),
       {7 * row},
       "G"},
      // Step after step: columns are cut in place of time, and back.
      {"smoothed",
       "exponential smoothing by scan over cut time",
       d8,
       {tall},
       {cut},
       of(smoothed),
       {2 * all_to_all(8, as_double(long_rows / 8 * m) * 4)}},
      {"first_of_runs", "x[1:] != x[:-1] behind a true", d8, {groups}, {cut}, of(first_of_runs), {4}, "A"},
      {"run_numbers",
       "runs numbered by a cumsum of x[1:] != x[:-1]",
       d8,
       {groups},
       {cut},
       of(run_numbers),
       {4 + all_gather(8, 8 * 4)},
       "A"},
      {"min_max", "columns brought to [0, 1]", d8, {frame}, {cut}, of(to_unit_range), {2 * all_reduce(8, row)}},
      {"accuracy", "(argmax(scores, 1) == y).mean()", d8, {scores, truth}, {whole}, of(accuracy), {scalar_sum}},
      {"accuracy_of_five",
       "y among top_k(scores, 5)",
       d8,
       {scores, truth},
       {whole},
       of(accuracy_of_five),
       {scalar_sum}},
      {"standardise_all", "(x - x.mean()) / x.std()", d8, {frame}, {cut}, of(standardised), {2 * scalar_sum}},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
