// Order statistics, histograms, covariances, and reductions without NaNs. Source of names and meanings: jax.numpy.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {

// --- order statistics: floating results, integers give float32

/// How a quantile between two elements of the sorted array is made of them.
enum class QuantileMethod { linear, lower, higher, midpoint, nearest, inverted_cdf };
constexpr Choices choices_of(QuantileMethod) {
  return {"quantile", "method", "linear lower higher midpoint nearest inverted_cdf"};
}
struct QuantileOptions {
  Axes axes = {};
  bool keepdims = false;
  OneOf<QuantileMethod> method = QuantileMethod::linear;
  Array weights = {};  // with inverted_cdf: of x's shape, or of the extents of the axes
};
/// The element below which a part q of the others lies; q from 0 to 1, a scalar or a vector, whose dim comes first in
/// the result. NaN where there is a NaN. `nanquantile` leaves NaNs out. ShapeError for q of more dims.
Array quantile(const In& x, const Operand& q, const QuantileOptions& options = {});
Array nanquantile(const In& x, const Operand& q, const QuantileOptions& options = {});
/// The same with q from 0 to 100.
Array percentile(const In& x, const Operand& q, const QuantileOptions& options = {});
Array nanpercentile(const In& x, const Operand& q, const QuantileOptions& options = {});
/// The element in the middle, or the mean of the two: median({3, 1, 2, 10}) is 2.5.
Array median(const In& x, const Axes& axes = {}, bool keepdims = false);
Array nanmedian(const In& x, const Axes& axes = {}, bool keepdims = false);

// --- without NaNs

Array nanvar(const In& x, const Axes& axes = {}, bool keepdims = false, double ddof = 0);
Array nanstd(const In& x, const Axes& axes = {}, bool keepdims = false, double ddof = 0);
/// -1 where there are only NaNs.
Array nanargmax(const In& x, std::optional<int> axis = {}, bool keepdims = false);
Array nanargmin(const In& x, std::optional<int> axis = {}, bool keepdims = false);

struct AverageOptions {
  Array weights = {};  // of x's shape or, along one axis, its extent; 1 each when left out
  Axes axes = {};
  bool keepdims = false;
};
struct Average {
  Array average, weight;  // the sum of the weights, of the average's shape
};
/// average(x, weights, axes), and what it was divided by.
Average average_and_weight(const In& x, const AverageOptions& options = {});

// --- counting

/// Bins: `bins` of equal width from the least element to the greatest or over `range`, or given edges.
struct Bins {
  std::int64_t count = 10;
  std::optional<std::pair<double, double>> range = {};
  Array edges = {};
  Bins() = default;
  template <Integer T> Bins(T n) : count(n) {}
  template <Integer T> Bins(T n, std::pair<double, double> r) : count(n), range(r) {}
  Bins(const Array& e) : edges(e) {}
};
/// edges[n + 1] of the bins.
Array histogram_bin_edges(const In& x, const Bins& bins = {});
struct Histogram {
  Array counts, edges;
};
struct HistogramOptions {
  Array weights = {};    // of x's shape: summed instead of counted
  bool density = false;  // an integral of 1
};
/// How many elements lie in each bin, and the edges; a bin has its lower edge, the last one both. counts are float32,
/// or have the dtype of `weights`.
Histogram histogram(const In& x, const Bins& bins = {}, const HistogramOptions& options = {});
struct Histogram2d {
  Array counts, x_edges, y_edges;
};
/// The same of pairs (x[i], y[i]).
Histogram2d histogram2d(const In& x, const In& y, const Bins& x_bins = {}, const Bins& y_bins = {},
                        const HistogramOptions& options = {});
struct HistogramDd {
  Array counts;
  std::vector<Array> edges;
};
/// Histogram of points x[n, d]; bins per dim, or one for all.
HistogramDd histogramdd(const In& x, const std::vector<Bins>& bins = {Bins()}, const HistogramOptions& options = {});

struct BincountOptions {
  Array weights = {};
  std::int64_t minlength = 0;
  std::optional<Dim> length = {};  // of the result; needed where x is traced
};
/// How often 0, 1, 2, ... stand in x[n], which has integers of 0 and more: bincount({1, 1, 3}) is {0, 2, 0, 1}.
/// Negative ones count as 0, those beyond `length` do not. TracerError where x is traced and no length given.
Array bincount(const In& x, const BincountOptions& options = {});

// --- covariances

struct CovOptions {
  bool rowvar = true;  // rows are variables, columns observations
  bool bias = false;   // divided by n instead of n - 1
  std::optional<int> ddof = {};
  Array fweights = {}, aweights = {};  // how often an observation counts, and how much
};
/// For variables x (and y): a matrix, or a scalar of one variable.
Array cov(const In& x, const CovOptions& options = {});
Array cov(const In& x, const In& y, const CovOptions& options = {});
/// cov over the product of the standard deviations.
Array corrcoef(const In& x, bool rowvar = true);
Array corrcoef(const In& x, const In& y, bool rowvar = true);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
