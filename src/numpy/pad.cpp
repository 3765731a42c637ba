// pad: every mode of numpy.pad but functions of the user's. One dim after the other, as NumPy does it: what one dim
// adds is there for the next.
#include <algorithm>
#include <limits>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "tutti/base/extent.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/statistics.hpp"

namespace tutti {

using ops::Dims;

namespace {

struct Widths {
  std::int64_t before = 0, after = 0;
};

template <class Pair> std::vector<Pair> per_dim(const char* what, const Array& x, std::vector<Pair> pairs) {
  if (pairs.size() == 1) pairs.assign(static_cast<std::size_t>(x.ndim()), pairs[0]);
  if (static_cast<int>(pairs.size()) != x.ndim())
    raise<ShapeError>("pad", std::to_string(pairs.size()) + " pairs of " + what + " for " + x.type().str(),
                      "Give (before, after) per dim, or one pair for all.");
  return pairs;
}

PadWidths all_widths(const Array& x, const PadWidths& widths) {
  PadWidths out = per_dim("widths", x, widths);
  for (auto [before, after] : out)
    if (before < 0 || after < 0)
      raise<ValueError>("pad",
                        "the widths (" + std::to_string(before) + ", " + std::to_string(after) + ") for " +
                            x.type().str() + ": one is negative",
                        "lax::pad cuts with negative widths.");
  return out;
}

Array part(const Array& x, int dim, std::int64_t from, std::int64_t to) {
  Dims start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
  start[static_cast<std::size_t>(dim)] = from;
  limit[static_cast<std::size_t>(dim)] = to;
  return lax::slice(x, start, limit);
}
Array repeated(const Array& x, int dim, std::int64_t n) {
  Shape shape = x.shape();
  shape[dim] = n;
  return broadcast_to(x, shape);
}
Array around(const Array& before, const Array& x, const Array& after, int dim) {
  return lax::concatenate({before, x, after}, dim);
}
Array pad_value(const Array& x, double value) { return ops::literal(x.dtype(), value); }

// Neighbours of the result that are neighbours in what is padded: from there on forwards (1), backwards (-1) or the
// same element again and again (0).
struct Run {
  std::int64_t from, count, step;
};

// The runs from element -before to element n + after, for each mode in which elements come from the array itself.
std::vector<Run> runs_of(std::int64_t n, Widths w, PadMode mode) {
  if (mode == PadMode::edge || n == 1) return {{0, w.before, 0}, {0, n, 1}, {n - 1, w.after, 0}};
  const bool mirrors = mode != PadMode::wrap;
  const std::int64_t border = mode == PadMode::reflect ? 1 : 0, period = mirrors ? 2 * (n - border) : n;
  std::vector<Run> out;
  for (std::int64_t i = -w.before, end = n + w.after; i < end; i += out.back().count) {
    const std::int64_t at = (i % period + period) % period;
    if (at < n)
      out.push_back({at, std::min(n - at, end - i), 1});
    else
      out.push_back({2 * n - border - 1 - at, std::min(period - at, end - i), -1});
  }
  return out;
}

Array whole_run(const Array& x, int dim, const Run& r) {
  if (r.step == 1) return r.from == 0 && r.count == x.shape()[dim] ? x : part(x, dim, r.from, r.from + r.count);
  if (r.step == 0) return repeated(part(x, dim, r.from, r.from + 1), dim, r.count);
  return lax::rev(part(x, dim, r.from - r.count + 1, r.from + 1), {dim});
}

constexpr std::size_t kMostRuns = 9;  // that are put side by side; of more, elements are gathered

Array mapped(const Array& x, int dim, Widths w, PadMode mode) {
  const std::int64_t n = x.shape()[dim];
  if (extent::add(n, extent::add(w.before, w.after)) > std::numeric_limits<std::int32_t>::max())
    raise<ShapeError>("pad",
                      "the widths (" + std::to_string(w.before) + ", " + std::to_string(w.after) + ") for " +
                          x.type().str() + " make a dim beyond int32",
                      "Only constant padding goes beyond.");
  const std::vector<Run> runs = runs_of(n, w, mode);
  if (runs.size() <= kMostRuns) {
    std::vector<Array> pieces;
    for (const Run& r : runs)
      if (r.count > 0) pieces.push_back(whole_run(x, dim, r));
    return lax::concatenate(pieces, dim);
  }
  std::vector<std::int32_t> from;
  for (const Run& r : runs)
    for (std::int64_t i = 0; i < r.count; ++i) from.push_back(static_cast<std::int32_t>(r.from + i * r.step));
  return take(x, array(from, Shape{from.size()}), dim, TakeMode::clip);
}

// Mirrored in position and value; wide paddings in pieces, each at the border that the one before it made.
Array mirrored_odd(const Array& in, int dim, Widths w, bool reflect) {
  const std::int64_t extent = in.shape()[dim], border = reflect && extent > 1 ? 1 : 0;
  Array x = in;
  for (bool before : {true, false})
    for (std::int64_t left = before ? w.before : w.after; left > 0;) {
      const std::int64_t n = x.shape()[dim], count = std::min(left, extent - border);
      left -= count;
      const Array edge = before ? part(x, dim, 0, 1) : part(x, dim, n - 1, n);
      const Array piece =
          lax::rev(before ? part(x, dim, border, border + count) : part(x, dim, n - border - count, n - border), {dim});
      const Array odd = edge * 2 - piece;
      x = before ? lax::concatenate({odd, x}, dim) : lax::concatenate({x, odd}, dim);
    }
  return x;
}

// Straight lines from the end values to the border.
Array ramp(const Array& x, int dim, Widths w, std::pair<double, double> ends) {
  const DType compute = x.dtype().is_inexact() ? x.dtype() : float32;
  auto line = [&](const Array& edge, double end, std::int64_t n, bool reversed) {
    if (n == 1) return broadcast_to(pad_value(x, end), edge.shape());
    Shape shape(std::vector<std::int64_t>(static_cast<std::size_t>(x.ndim()), 1));
    shape[dim] = n;
    Array step = lax::iota(compute, shape, dim) / static_cast<double>(std::max<std::int64_t>(n, 1));
    Array y = (1 - step) * end + step * lax::convert_element_type(edge, compute);
    if (!x.dtype().is_inexact()) y = floor(y);
    return lax::convert_element_type(reversed ? lax::rev(y, {dim}) : y, x.dtype());
  };
  const std::int64_t n = x.shape()[dim];
  return around(line(part(x, dim, 0, 1), ends.first, w.before, false), x,
                line(part(x, dim, n - 1, n), ends.second, w.after, true), dim);
}

Array statistic(const Array& x, int dim, Widths w, Widths length, PadMode mode) {
  auto of = [&](const Array& side) {
    const Axes axes(dim);
    Array y = mode == PadMode::maximum   ? max(side, axes, true)
              : mode == PadMode::minimum ? min(side, axes, true)
              : mode == PadMode::mean    ? mean(side, axes, true)
                                         : median(side, axes, true);
    if (!x.dtype().is_inexact()) y = round(y);
    return lax::convert_element_type(y, x.dtype());
  };
  const std::int64_t n = x.shape()[dim];
  return around(repeated(of(part(x, dim, 0, std::min(n, length.before))), dim, w.before), x,
                repeated(of(part(x, dim, n - std::min(n, length.after), n)), dim, w.after), dim);
}

}  // namespace

Array pad(const In& x, const PadWidths& widths, const Operand& value) {
  CallScope scope(x.loc);
  std::vector<lax::PadDim> config;
  for (auto [before, after] : all_widths(x.array, widths)) config.push_back({before, after, 0});
  return lax::pad(x.array, lax::convert_element_type(value.array, x.array.dtype()), config);
}

Array pad(const In& x, const PadWidths& widths, OneOf<PadMode> mode) {
  CallScope scope(x.loc);
  PadOptions options;
  options.mode = mode;
  return pad(x, widths, options);
}

Array pad(const In& x, const PadWidths& widths, const PadOptions& o) {
  CallScope scope(x.loc);
  Array y = x.array;
  const PadWidths all = all_widths(y, widths);
  const auto values = per_dim("constant_values", y, o.constant_values), ends = per_dim("end_values", y, o.end_values);
  PadWidths lengths = o.stat_length;
  if (lengths.empty()) lengths = {{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()}};
  lengths = per_dim("stat_length", y, lengths);
  for (int d = 0; d < y.ndim(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const Widths w{all[i].first, all[i].second};
    if (w.before + w.after == 0) continue;
    if (o.mode == PadMode::constant || o.mode == PadMode::empty) {
      std::vector<lax::PadDim> low(static_cast<std::size_t>(y.ndim())), high = low;
      low[i].low = w.before;
      high[i].high = w.after;
      y = lax::pad(lax::pad(y, pad_value(y, values[i].first), low), pad_value(y, values[i].second), high);
      continue;
    }
    if (y.shape()[d] == 0)
      raise<ShapeError>("pad", "dim " + std::to_string(d) + " of " + y.type().str() + " is empty",
                        "Only constant padding works there.");
    switch (o.mode) {
      case PadMode::linear_ramp: y = ramp(y, d, w, ends[i]); break;
      case PadMode::maximum:
      case PadMode::mean:
      case PadMode::median:
      case PadMode::minimum: y = statistic(y, d, w, {lengths[i].first, lengths[i].second}, o.mode); break;
      case PadMode::reflect:
      case PadMode::symmetric:
        y = o.odd ? mirrored_odd(y, d, w, o.mode == PadMode::reflect) : mapped(y, d, w, o.mode);
        break;
      default: y = mapped(y, d, w, o.mode);
    }
  }
  return y;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
