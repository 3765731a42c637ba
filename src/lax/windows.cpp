// Reductions over windows, made of other ops: derivatives, batches and shardings are those of pad, slice, add, select.
#include "lax/windows.hpp"

#include <algorithm>

#include "ops/movement/movement.hpp"
#include "tutti/base/extent.hpp"
#include "tutti/lax/reductions.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax {

std::int64_t spread(std::int64_t n, std::int64_t dilation) {
  return n == 0 ? 0 : extent::add(extent::mul(n - 1, dilation), 1);
}
Dims spread(const Dims& extents, const Dims& dilation) {
  Dims out;
  for (std::size_t d = 0; d < extents.size(); ++d) out.push_back(spread(extents[d], dilation[d]));
  return out;
}

Dims ones_or(const char* op, const char* what, const Dims& list, std::size_t n) {
  if (list.empty()) return Dims(n, 1);
  if (list.size() != n)
    raise<ShapeError>(op,
                      std::string(what) + " " + ops::text(list) + " has " + std::to_string(list.size()) +
                          " entries for " + std::to_string(n) + " dims",
                      "Give one entry per dim.");
  for (std::int64_t v : list)
    if (v < 1)
      raise<ValueError>(op, std::string(what) + " " + ops::text(list) + " has an entry below 1",
                        "Strides, windows and dilations count from 1.");
  return list;
}

Array padded(const Array& x, const Array& value, const Pairs& pairs, const Dims& dilation) {
  const std::size_t lead = x.shape().size() - pairs.size();
  std::vector<PadDim> config(lead);
  bool any = false;
  for (std::size_t d = 0; d < pairs.size(); ++d) {
    config.push_back({pairs[d].first, pairs[d].second, x.shape()[lead + d] > 1 ? dilation[d] - 1 : 0});
    any = any || !(config.back() == PadDim{});
  }
  if (std::none_of(config.begin(), config.end(), [](const PadDim& p) { return p.low || p.interior || p.high > 0; })) {
    Dims limit = x.shape().dims();
    for (std::size_t d = 0; d < limit.size(); ++d) limit[d] += config[d].high;
    return any ? lax::slice(x, Dims(limit.size(), 0), limit) : x;
  }
  return lax::pad(x, value, config);
}

Dims counts(const Shape& padded, const Dims& window, const Dims& strides, const Dims& dilation) {
  Dims out;
  const std::size_t lead = padded.size() - window.size();
  for (std::size_t d = 0; d < window.size(); ++d) {
    std::int64_t room = padded[lead + d] - spread(window[d], dilation[d]);
    out.push_back(room < 0 ? 0 : room / strides[d] + 1);
  }
  return out;
}

Pairs Padding::resolve(const std::string& op, const Dims& shape, const Dims& window, const Dims& strides) const {
  if (all_) return Pairs(shape.size(), {*all_, *all_});
  if (name_.empty()) {
    if (pairs_.size() != shape.size())
      raise<ShapeError>(
          op, std::to_string(pairs_.size()) + " pairs of padding for " + std::to_string(shape.size()) + " dims",
          "Give (before, after) per dim, \"SAME\" or \"VALID\".");
    return pairs_;
  }
  if (name_ == "VALID") return Pairs(shape.size(), {0, 0});
  if (name_ != "SAME" && name_ != "SAME_LOWER")
    raise<ValueError>(op, "there is no padding \"" + name_ + "\"",
                      "Give \"SAME\", \"SAME_LOWER\", \"VALID\" or (before, after) per dim.");
  Pairs out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] < 1)
      raise<ValueError>(op, "the strides " + ops::text(strides) + " have an entry below 1", "Strides count from 1.");
    std::int64_t last = extent::mul(extent::ceil_div(shape[d], strides[d]) - 1, strides[d]);  // where it begins
    std::int64_t total = std::max<std::int64_t>(extent::add(last, window[d] - shape[d]), 0), small = total / 2;
    out.push_back(name_ == "SAME" ? std::pair{small, total - small} : std::pair{total - small, small});
  }
  return out;
}

std::size_t Padding::hash() const {
  std::size_t h = std::hash<std::string>{}(name_) + static_cast<std::size_t>(all_.value_or(-1));
  for (auto [low, high] : pairs_) h = (h * 31 + static_cast<std::size_t>(low)) * 31 + static_cast<std::size_t>(high);
  return h;
}

namespace {

constexpr std::int64_t kViews = 16;  // elements of a window that are combined one by one

// Two arrays element by element. At a tie that of x, which comes first; NaN wins on either side. Not lax::max, which
// shares the gradient at a tie.
Array combined(WindowReduction reduction, const Array& x, const Array& y) {
  if (reduction == WindowReduction::sum) return lax::add(x, y);
  Array keep = reduction == WindowReduction::max ? x >= y : x <= y;
  if (x.dtype().is_inexact()) keep = lax::bitwise_or(keep, lax::ne(x, x));
  return lax::select(keep, x, y);
}

// Arrays of one shape whose elements belong together: values, and whether they are there.
using Together = std::vector<Array>;

template <class F> Together each(const Together& xs, F f) {
  Together out;
  for (const Array& x : xs) out.push_back(f(x));
  return out;
}

// Neighbours first, so that rounding errors grow with the logarithm of their number.
Together combined(const CombineSeveral& combine, std::vector<Together> parts) {
  for (; parts.size() > 1; parts.resize((parts.size() + 1) / 2))
    for (std::size_t i = 0; i < parts.size(); i += 2)
      parts[i / 2] = i + 1 < parts.size() ? combine(parts[i], parts[i + 1]) : parts[i];
  return parts[0];
}

// What windows see of x: for each of their elements all that it meets. A dim along which windows lie `stride` apart is
// two, of blocks of so many elements and of places in them, so that every view is a box of neighbours: gradients of
// such are put together without a copy.
class Seen {
 public:
  // `extents` of x's dims are those that strides and `count` windows need, or longer ones.
  Seen(Array x, const Dims& strides, const Dims& count) : strides_(strides), count_(count), shape_(count) {
    Shape split;
    for (std::size_t d = 0; d < strides.size(); ++d) {
      split.push_back(x.shape()[d] / strides[d]);
      if (strides[d] > 1) split.push_back(strides[d]);
    }
    x_ = split == x.shape() ? x : lax::reshape(x, split);
  }
  // Along each dim from element `first` on.
  Array operator()(const Dims& first) const {
    Dims start, limit;
    for (std::size_t d = 0; d < strides_.size(); ++d) {
      start.push_back(first[d] / strides_[d]);
      limit.push_back(start.back() + count_[d]);
      if (strides_[d] == 1) continue;
      start.push_back(first[d] % strides_[d]);
      limit.push_back(start.back() + 1);
    }
    const Array y = lax::slice(x_, start, limit);
    return y.shape() == shape_ ? y : lax::reshape(y, shape_);
  }

 private:
  Dims strides_, count_;
  Shape shape_;
  Array x_;
};

Array cut(const Array& x, std::size_t dim, std::int64_t first, std::int64_t count, std::int64_t stride = 1) {
  Dims start(x.shape().size(), 0), limit = x.shape().dims(), step(x.shape().size(), 1);
  start[dim] = first;
  limit[dim] = first + spread(count, stride);
  step[dim] = stride;
  return lax::slice(x, start, limit, step);
}

// Long windows along one dim: those of 1, 2, 4, ... elements from each other, and of these the ones that make up
// `window`.
Together reduced_by_doubling(const CombineSeveral& combine, const Together& xs, std::size_t dim, std::int64_t window,
                             std::int64_t stride, std::int64_t dilation, std::int64_t count) {
  std::vector<Together> powers{xs};
  auto cut_each = [&](const Together& of, std::int64_t first, std::int64_t n, std::int64_t step = 1) {
    return each(of, [&](const Array& x) { return cut(x, dim, first, n, step); });
  };
  for (std::int64_t n = 1; n <= window / 2; n *= 2) {
    const Together& half = powers.back();
    std::int64_t left = half[0].shape()[dim] - n * dilation;
    powers.push_back(combine(cut_each(half, 0, left), cut_each(half, n * dilation, left)));
  }
  Together y;
  std::int64_t done = 0;
  for (std::size_t k = powers.size(); k-- > 0;) {
    const std::int64_t n = std::int64_t(1) << k;
    if (!(window & n)) continue;
    Together part = cut_each(powers[k], done * dilation, count, stride);
    y = done ? combine(y, part) : part;
    done += n;
  }
  return y;
}

// Where windows lie and what is added around the elements, for an array of `shape`.
struct Places {
  Dims window, strides, base, dilation, count;
  Pairs pairs;
  bool adds = false;  // padding, or elements between those of the array
};
Places places_of(const Shape& shape, const WindowOptions& o) {
  const char* op = "reduce_window";
  const std::size_t n = shape.size();
  if (o.window_dimensions.size() != n)
    raise<ShapeError>(
        op, "a window of " + std::to_string(o.window_dimensions.size()) + " dims over an array of shape " + shape.str(),
        "Give one extent per dim of the array.");
  Places p{.window = ones_or(op, "window_dimensions", o.window_dimensions, n),
           .strides = ones_or(op, "window_strides", o.window_strides, n),
           .base = ones_or(op, "base_dilation", o.base_dilation, n),
           .dilation = ones_or(op, "window_dilation", o.window_dilation, n),
           .count = {},
           .pairs = {}};
  Shape extents(spread(shape.dims(), p.base));
  p.pairs = o.padding.resolve(op, extents.dims(), spread(p.window, p.dilation), p.strides);
  for (std::size_t d = 0; d < n; ++d) {
    p.adds = p.adds || p.pairs[d].first > 0 || p.pairs[d].second > 0 || (p.base[d] > 1 && shape[d] > 1);
    extents[d] += p.pairs[d].first + p.pairs[d].second;
  }
  p.count = counts(extents, p.window, p.strides, p.dilation);
  for (std::size_t d = 0; d < n; ++d)
    if (p.count[d] == 1) p.strides[d] = 1;  // of one window it says nothing, and may be larger than any array
  if (ops::contains(p.count, 0)) return p;
  // Where windows lie apart, so much longer or shorter at the end that what they see is whole blocks.
  for (std::size_t d = 0; d < n; ++d)
    if (p.strides[d] > 1)
      p.pairs[d].second += ((p.window[d] - 1) * p.dilation[d] / p.strides[d] + p.count[d]) * p.strides[d] - extents[d];
  return p;
}

// `neutral` is what padding adds. There is at least one window.
Together reduced(Together xs, const Together& neutral, const CombineSeveral& combine, const Places& p) {
  const std::size_t n = p.window.size();
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = padded(xs[i], neutral[i], p.pairs, p.base);
  auto seen_of = [&](const Dims& apart, const Dims& some) {
    std::vector<Seen> out;
    for (const Array& x : xs) out.emplace_back(x, apart, some);
    return out;
  };
  auto view = [](const std::vector<Seen>& seen, const Dims& first) {
    Together out;
    for (const Seen& s : seen) out.push_back(s(first));
    return out;
  };
  if (Shape(p.window).num_elements() <= kViews) {
    const std::vector<Seen> seen = seen_of(p.strides, p.count);
    std::vector<Together> views;
    ops::for_each_index(Shape(p.window), [&](const Dims& at, std::int64_t) {
      Dims first = at;
      for (std::size_t d = 0; d < n; ++d) first[d] *= p.dilation[d];
      views.push_back(view(seen, first));
    });
    return combined(combine, std::move(views));
  }
  // One dim after the other, the last first: so the first element of a window wins a tie.
  for (std::size_t d = n; d-- > 0;) {
    if (p.window[d] > kViews) {
      xs = reduced_by_doubling(combine, xs, d, p.window[d], p.strides[d], p.dilation[d], p.count[d]);
      continue;
    }
    Dims apart(n, 1), first(n, 0), some = xs[0].shape().dims();
    apart[d] = p.strides[d];
    some[d] = p.count[d];
    const std::vector<Seen> seen = seen_of(apart, some);
    std::vector<Together> views;
    for (std::int64_t i = 0; i < p.window[d]; ++i) {
      first[d] = i * p.dilation[d];
      views.push_back(view(seen, first));
    }
    xs = combined(combine, std::move(views));
  }
  return xs;
}

}  // namespace

Array reduce_window(const In& in, OneOf<WindowReduction> reduction, const WindowOptions& o) {
  CallScope scope(in.loc);
  const Array& x = in.array;
  // What a reduction of nothing gives.
  const Array nothing = ops::zeros(x.dtype(), {0});
  const Array neutral = reduction == WindowReduction::sum   ? ops::literal(x.dtype(), 0)
                        : reduction == WindowReduction::max ? lax::reduce_max(nothing, {0})
                                                            : lax::reduce_min(nothing, {0});
  const Places p = places_of(x.shape(), o);
  if (ops::contains(p.count, 0)) return ops::zeros(x.dtype(), Shape(p.count));
  return reduced(
      {x}, {neutral},
      [reduction](const Together& a, const Together& b) { return Together{combined(reduction, a[0], b[0])}; }, p)[0];
}
Array reduce_window(const In& in, const Operand& initial, const Combine& combine, const WindowOptions& o) {
  CallScope scope(in.loc);
  const Array& x = in.array;
  const Array start = lax::convert_element_type(initial.array, x.dtype());
  const Places p = places_of(x.shape(), o);
  if (ops::contains(p.count, 0)) return ops::zeros(x.dtype(), Shape(p.count));
  auto joined = [&](const Array& a, const Array& b) { return lax::convert_element_type(combine(a, b), x.dtype()); };
  auto complete = [&](const Array& y) { return joined(lax::broadcast_in_dim(start, y.shape(), {}), y); };
  if (!p.adds)
    return complete(reduced(
        {x}, {start}, [&](const Together& a, const Together& b) { return Together{joined(a[0], b[0])}; }, p)[0]);
  // What is added around the elements does not count: `initial` is in every result once, whatever it is.
  const Together y = reduced(
      {x, lax::broadcast_in_dim(ops::literal(bool_, 1), x.shape(), {})}, {start, ops::literal(bool_, 0)},
      [&](const Together& a, const Together& b) {
        const Array either = lax::select(a[1], a[0], b[0]);
        return Together{lax::select(lax::bitwise_and(a[1], b[1]), joined(a[0], b[0]), either),
                        lax::bitwise_or(a[1], b[1])};
      },
      p);
  return lax::select(y[1], complete(y[0]), lax::broadcast_in_dim(start, y[0].shape(), {}));
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
