// Histograms and counts of tutti/numpy/statistics.hpp.
#include <algorithm>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "ops/reduction/bincount.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/differences.hpp"
#include "tutti/numpy/grids.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/numpy/statistics.hpp"

namespace tutti {

namespace {

// The number of the bin, from 1; what lies at the last edge belongs to the bin before it.
Array bin_of(const Array& x, const Array& edges) {
  const std::int64_t n = edges.size();
  return where(x == edges[-1], n - 1, searchsorted(edges, x, {.right = true}));
}
std::vector<Array> with_weights(const char* name, const Array& x, const Array& weights, const Shape& shape) {
  std::vector<Array> xs = {x, weights.has_value() ? weights : Array(1)};
  if (weights.has_value() && weights.shape() != shape)
    raise<ShapeError>(name, "the weights are " + weights.type().str() + " for " + x.type().str(),
                      "Give one weight per element.");
  const ops::Promotion p = ops::promote_inexact(weights.has_value() ? xs : std::vector<Array>{x});
  for (Array& a : xs) a = lax::convert_element_type(a, p.dtype);
  if (!weights.has_value()) xs[1] = ones(shape, p.dtype);
  return xs;
}

}  // namespace

Array histogram_bin_edges(const In& in, const Bins& bins) {
  CallScope scope(in.loc);
  const DType dtype = ops::promote_inexact({in.array}).dtype;
  if (bins.edges.has_value()) {
    if (bins.edges.ndim() != 1)
      raise<ShapeError>("histogram_bin_edges", "the edges are " + bins.edges.type().str(), "They are a vector.");
    return lax::convert_element_type(bins.edges, dtype);
  }
  if (bins.count < 1)
    raise<ValueError>("histogram_bin_edges", std::to_string(bins.count) + " bins", "Ask for 1 or more.");
  const Array x = lax::convert_element_type(in.array, dtype);
  const bool empty = x.size() == 0;  // from 0 to 1, as NumPy
  Array low = bins.range ? full({}, Array(bins.range->first), dtype) : empty ? zeros({}, dtype) : min(x);
  Array high = bins.range ? full({}, Array(bins.range->second), dtype) : empty ? ones({}, dtype) : max(x);
  const Array none = low == high;
  return linspace(where(none, low - 0.5, low), where(none, high + 0.5, high), {.n = bins.count + 1});
}

Histogram histogram(const In& x, const Bins& bins, const HistogramOptions& o) {
  CallScope scope(x.loc);
  const std::vector<Array> xs = with_weights("histogram", x.array, o.weights, x.array.shape());
  const Array edges = histogram_bin_edges(xs[0], bins);
  const Array at = bin_of(xs[0], edges);
  Array counts = o.weights.has_value() ? zeros({edges.size()}, xs[1].dtype()).at(at).add(xs[1])
                                       : bincount(ravel(at), {.length = edges.size()}).astype(xs[0].dtype());
  counts = counts(slice(1, none));
  if (o.density) counts = counts / diff(edges) / sum(counts);
  return {counts, edges};
}

HistogramDd histogramdd(const In& x, const std::vector<Bins>& bins, const HistogramOptions& o) {
  CallScope scope(x.loc);
  if (x.array.ndim() != 2)
    raise<ShapeError>("histogramdd", "the points are " + x.array.type().str(), "They are rows of a matrix.");
  const int dims = static_cast<int>(x.array.shape()[1]);
  if (static_cast<int>(bins.size()) != dims && bins.size() != 1)
    raise<ValueError>("histogramdd", std::to_string(bins.size()) + " bins for " + std::to_string(dims) + " dims",
                      "Give bins for each dim, or one for all.");
  const std::vector<Array> xs = with_weights("histogramdd", x.array, o.weights, Shape{x.array.shape()[0]});
  HistogramDd out;
  std::vector<Array> at;
  Shape shape, inner;
  for (int d = 0; d < dims; ++d) {
    const Array column = xs[0](all, d);
    out.edges.push_back(histogram_bin_edges(column, bins[bins.size() == 1 ? 0 : static_cast<std::size_t>(d)]));
    at.push_back(bin_of(column, out.edges.back()));
    shape.push_back(out.edges.back().size() + 1);
  }
  const Array flat = ravel_multi_index(at, shape, RavelMode::clip);
  BincountOptions count{.length = shape.num_elements()};
  if (o.weights.has_value()) count.weights = xs[1];
  std::vector<Index> core(static_cast<std::size_t>(dims), slice(1, -1));
  out.counts = reshape(bincount(flat, count), shape).index(core);
  if (!o.density) return out;
  out.counts = lax::convert_element_type(out.counts, xs[0].dtype());
  out.counts = out.counts / sum(out.counts);
  std::vector<Array> widths;
  for (const Array& edges : out.edges) widths.push_back(diff(edges));
  for (const Array& width : ix_(widths)) out.counts = out.counts / width;
  return out;
}
Histogram2d histogram2d(const In& x, const In& y, const Bins& x_bins, const Bins& y_bins, const HistogramOptions& o) {
  CallScope scope(x.loc);
  if (x.array.ndim() != 1 || y.array.shape() != x.array.shape())
    raise<ShapeError>("histogram2d", "x is " + x.array.type().str() + ", y " + y.array.type().str(),
                      "They are vectors of one extent.");
  HistogramDd out = histogramdd(stack({x.array, y.array}, 1), {x_bins, y_bins}, o);
  return {out.counts, out.edges[0], out.edges[1]};
}

Array bincount(const In& x, const BincountOptions& o) {
  CallScope scope(x.loc);
  if (x.array.ndim() != 1) raise<ShapeError>("bincount", "the array is " + x.array.type().str(), "It takes a vector.");
  if (!x.array.dtype().is_integer() && !x.array.dtype().is_bool())
    raise<TypeError>("bincount", "the array is " + x.array.type().str(), "It takes integers.");
  const Array at = x.array.dtype().is_bool() ? lax::convert_element_type(x.array, int32) : x.array;
  std::int64_t length = o.length ? o.length->value : 0;
  if (!o.length) {
    if (at.is_traced())
      raise<TracerError>("bincount", "the size of the result depends on the values of " + at.type().str(),
                         "Give .length.");
    length = std::max(o.minlength, at.size() ? std::max<std::int64_t>(0, max(at).item<std::int64_t>()) + 1 : 0);
  }
  if (!o.weights.has_value()) return bind1(ops::bincount, ops::Bincount{length, canonical(int64)}, {at});
  if (o.weights.shape() != at.shape())
    raise<ShapeError>("bincount", "the weights are " + o.weights.type().str() + " for " + at.type().str(),
                      "Give one weight per element.");
  return zeros({length}, o.weights.dtype()).at(maximum(at, 0)).add(o.weights);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
