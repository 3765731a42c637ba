// Convolutions and window reductions, made of other ops: one strided slice of the padded input per element of the
// window. Derivatives, batches and shardings are those of pad, slice, concatenate and dot_general.
#include "tutti/lax/windows.hpp"

#include <algorithm>

#include "ops/movement/movement.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::int64_t spread(std::int64_t n, std::int64_t dilation) { return n == 0 ? 0 : (n - 1) * dilation + 1; }

// `list`, or ones; every entry at least 1.
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

// Positions of the letters `order` in `spec`.
Dims positions(const char* op, const std::string& spec, const std::string& order) {
  Dims out;
  for (char c : order) {
    auto at = spec.find(c);
    if (at == std::string::npos || spec.size() != order.size())
      raise<ValueError>(
          op, "the dimension numbers \"" + spec + "\" do not name the dims " + order,
          "Each letter stands once in the specs of input, kernel and result, with N C and O I for batch and features.");
    out.push_back(static_cast<std::int64_t>(at));
  }
  return out;
}

struct Order {
  Dims lhs, rhs, out;
};  // where batch, feature (out feature, in feature), spatial dims are
Order order_of(const char* op, const ConvDims& d, int ndim) {
  if (d.lhs.empty()) {
    Dims same = ops::range(0, ndim);
    return {same, same, same};
  }
  if (static_cast<int>(d.lhs.size()) != ndim)
    raise<ValueError>(op, "the dimension numbers \"" + d.lhs + "\" for an array of " + std::to_string(ndim) + " dims",
                      "Give one letter per dim, such as \"NCHW\".");
  std::string spatial;
  for (char c : d.lhs)
    if (c != 'N' && c != 'C') spatial += c;
  return {positions(op, d.lhs, "NC" + spatial), positions(op, d.rhs, "OI" + spatial),
          positions(op, d.out.empty() ? d.lhs : d.out, "NC" + spatial)};
}
Array arranged(const Array& x, const Dims& permutation) {
  return permutation == ops::range(0, x.ndim()) ? x : lax::transpose(x, permutation);
}
// Windows over the last dims of x: for each element of the window, in row-major order, the elements of x that meet it.
std::vector<Array> shifted_views(const Array& x, const Dims& window, const Dims& strides, const Dims& dilation,
                                 const Dims& count) {
  std::size_t lead = x.shape().size() - window.size();
  std::vector<Array> out;
  ops::for_each_index(Shape(window), [&](const Dims& at, std::int64_t) {
    Dims start(x.shape().size(), 0), limit = x.shape().dims(), step(x.shape().size(), 1);
    for (std::size_t d = 0; d < window.size(); ++d) {
      start[lead + d] = count[d] == 0 ? 0 : at[d] * dilation[d];
      limit[lead + d] = start[lead + d] + spread(count[d], strides[d]);
      step[lead + d] = strides[d];
    }
    out.push_back(lax::slice(x, start, limit, step));
  });
  return out;
}

Array padded(const Array& x, const Array& value, const Pairs& pairs, const Dims& dilation) {
  std::vector<PadDim> config(x.shape().size() - pairs.size());
  bool any = false;
  for (std::size_t d = 0; d < pairs.size(); ++d) {
    config.push_back({pairs[d].first, pairs[d].second, dilation[d] - 1});
    any = any || !(config.back() == PadDim{});
  }
  return any ? lax::pad(x, value, config) : x;
}

// How many windows fit.
Dims counts(const Shape& padded_shape, const Dims& window, const Dims& strides, const Dims& dilation) {
  Dims out;
  std::size_t lead = padded_shape.size() - window.size();
  for (std::size_t d = 0; d < window.size(); ++d) {
    std::int64_t room = padded_shape[lead + d] - spread(window[d], dilation[d]);
    out.push_back(room < 0 ? 0 : room / strides[d] + 1);
  }
  return out;
}

}  // namespace

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
    std::int64_t windows = (shape[d] + strides[d] - 1) / strides[d];
    std::int64_t total = std::max<std::int64_t>((windows - 1) * strides[d] + window[d] - shape[d], 0),
                 small = total / 2;
    out.push_back(name_ == "SAME" ? std::pair{small, total - small} : std::pair{total - small, small});
  }
  return out;
}

std::size_t Padding::hash() const {
  std::size_t h = std::hash<std::string>{}(name_) + static_cast<std::size_t>(all_.value_or(-1));
  for (auto [low, high] : pairs_) h = (h * 31 + static_cast<std::size_t>(low)) * 31 + static_cast<std::size_t>(high);
  return h;
}

Array conv_general_dilated(const In& lhs_in, const In& rhs_in, const ConvOptions& o) {
  CallScope scope(lhs_in.loc);
  const char* op = "conv_general_dilated";
  if (lhs_in.array.ndim() != rhs_in.array.ndim() || lhs_in.array.ndim() < 2)
    raise<ShapeError>(op, "lhs has shape " + lhs_in.array.shape().str() + ", rhs " + rhs_in.array.shape().str(),
                      "Both need a batch (out feature) dim, a feature dim and the same number of spatial dims.");
  if (lhs_in.array.dtype() != rhs_in.array.dtype())
    raise<TypeError>(
        op, "lhs is " + std::string(lhs_in.array.dtype().name()) + ", rhs " + std::string(rhs_in.array.dtype().name()),
        "Convert one of them: lax functions do not promote.");
  Order order = order_of(op, o.dimension_numbers, lhs_in.array.ndim());
  std::size_t spatial = static_cast<std::size_t>(lhs_in.array.ndim()) - 2;
  // Features before the batch: then the products over features and places are one matrix product. lhs: features, batch,
  // spatial; rhs: out features, spatial, in features.
  Dims lhs_order = order.lhs, rhs_order = order.rhs;
  std::swap(lhs_order[0], lhs_order[1]);
  std::rotate(rhs_order.begin() + 1, rhs_order.begin() + 2, rhs_order.end());
  Array lhs = arranged(lhs_in.array, lhs_order), rhs = arranged(rhs_in.array, rhs_order);
  Dims strides = ones_or(op, "window_strides", o.window_strides, spatial),
       lhs_dilation = ones_or(op, "lhs_dilation", o.lhs_dilation, spatial),
       rhs_dilation = ones_or(op, "rhs_dilation", o.rhs_dilation, spatial);
  const std::int64_t groups = o.feature_group_count, batch_groups = o.batch_group_count;
  const std::int64_t features = lhs.shape(0), batch = lhs.shape(1), outs = rhs.shape(0), ins = rhs.shape(-1);
  if (groups < 1 || batch_groups < 1 || (groups > 1 && batch_groups > 1))
    raise<ValueError>(
        op, "feature_group_count is " + std::to_string(groups) + ", batch_group_count " + std::to_string(batch_groups),
        "Both are at least 1, and one of them is 1.");
  if (features != ins * groups || outs % groups || batch % batch_groups || outs % batch_groups)
    raise<ShapeError>(
        op,
        "lhs has " + std::to_string(batch) + " examples of " + std::to_string(features) + " features, rhs " +
            std::to_string(ins) + " in and " + std::to_string(outs) + " out features, in " + std::to_string(groups) +
            " feature and " + std::to_string(batch_groups) + " batch groups",
        "lhs features = rhs in features times feature_group_count; the groups divide out features and batch.");

  Dims window, extents, spread_window;
  for (std::size_t d = 0; d < spatial; ++d) {
    window.push_back(rhs.shape()[1 + d]);
    spread_window.push_back(spread(window[d], rhs_dilation[d]));
    extents.push_back(spread(lhs.shape()[2 + d], lhs_dilation[d]));
  }
  lhs = padded(lhs, ops::literal(lhs.dtype(), 0), o.padding.resolve(op, extents, spread_window, strides), lhs_dilation);
  Dims count = counts(lhs.shape(), window, strides, rhs_dilation);
  std::int64_t places = Shape(window).num_elements(), columns = batch / batch_groups * Shape(count).num_elements();

  // Columns of what each window sees. One group: [places * in, columns]; feature groups: [group, places * in, columns];
  // batch groups: [places * in, group, columns].
  std::vector<Array> views = shifted_views(lhs, window, strides, rhs_dilation, count);
  Shape view = groups > 1         ? Shape{groups, ins, columns}
               : batch_groups > 1 ? Shape{ins, batch_groups, columns}
                                  : Shape{ins, columns};
  int rows = groups > 1 ? 1 : 0;
  for (Array& v : views) v = lax::reshape(v, view);
  view[static_cast<std::size_t>(rows)] = 0;
  Array patches = views.empty()       ? ops::zeros(lhs.dtype(), view)
                  : views.size() == 1 ? views[0]
                                      : lax::concatenate(views, rows);
  std::int64_t all = groups * batch_groups;
  Array kernel = lax::reshape(rhs, all == 1 ? Shape{outs, places * ins} : Shape{all, outs / all, places * ins});
  Array y = lax::dot_general(kernel, patches,
                             all == 1     ? DotDims{{1}, {0}, {}, {}}
                             : groups > 1 ? DotDims{{2}, {1}, {0}, {0}}
                                          : DotDims{{2}, {0}, {0}, {1}});

  Shape result{outs, batch / batch_groups};  // and windows
  for (std::int64_t n : count) result.push_back(n);
  y = lax::reshape(y, result);
  // To the order asked for: dim order.out[i] is batch, feature, spatial.
  Dims permutation(result.size());
  for (std::size_t i = 0; i < order.out.size(); ++i)
    permutation[static_cast<std::size_t>(order.out[i])] =
        i < 2 ? 1 - static_cast<std::int64_t>(i) : static_cast<std::int64_t>(i);
  return arranged(y, permutation);
}

Array conv_transpose(const In& lhs, const In& rhs, const ConvTransposeOptions& o) {
  CallScope scope(lhs.loc);
  const char* op = "conv_transpose";
  if (lhs.array.ndim() != rhs.array.ndim() || lhs.array.ndim() < 2)
    raise<ShapeError>(op, "lhs has shape " + lhs.array.shape().str() + ", rhs " + rhs.array.shape().str(),
                      "Both need the same number of dims.");
  std::size_t spatial = static_cast<std::size_t>(lhs.array.ndim()) - 2;
  ConvDims numbers = o.dimension_numbers;
  Order order = order_of(op, numbers, lhs.array.ndim());
  Dims strides = ones_or(op, "strides", o.strides, spatial),
       dilation = ones_or(op, "rhs_dilation", o.rhs_dilation, spatial);
  Pairs pairs;
  if (o.padding.name().empty()) {
    pairs = o.padding.resolve(op, Dims(spatial, 0), {}, {});
  } else {
    if (o.padding.name() != "SAME" && o.padding.name() != "VALID")
      raise<ValueError>(op, "there is no padding \"" + o.padding.name() + "\"",
                        "Give \"SAME\", \"VALID\" or (before, after) per dim.");
    for (std::size_t d = 0; d < spatial; ++d) {
      std::int64_t k = spread(rhs.array.shape()[static_cast<std::size_t>(order.rhs[2 + d])], dilation[d]),
                   s = strides[d];
      std::int64_t low, sum;
      if (o.padding.name() == "SAME") {
        sum = k + s - 2;
        low = s > k - 1 ? k - 1 : (sum + 1) / 2;
      } else {
        sum = k + s - 2 + std::max<std::int64_t>(k - s, 0);
        low = k - 1;
      }
      pairs.push_back({low, sum - low});
    }
  }
  return conv_general_dilated(
      lhs, rhs, {.padding = pairs, .lhs_dilation = strides, .rhs_dilation = dilation, .dimension_numbers = numbers});
}

Array reduce_window(const In& in, WindowReduction reduction, const WindowOptions& o) {
  CallScope scope(in.loc);
  const char* op = "reduce_window";
  Array x = in.array;
  std::size_t n = x.shape().size();
  if (o.window_dimensions.size() != n)
    raise<ShapeError>(
        op,
        "a window of " + std::to_string(o.window_dimensions.size()) + " dims over an array of shape " + x.shape().str(),
        "Give one extent per dim of the array.");
  Dims window = ones_or(op, "window_dimensions", o.window_dimensions, n),
       strides = ones_or(op, "window_strides", o.window_strides, n),
       base = ones_or(op, "base_dilation", o.base_dilation, n),
       dilation = ones_or(op, "window_dilation", o.window_dilation, n);
  Dims extents, spread_window;
  for (std::size_t d = 0; d < n; ++d) {
    extents.push_back(spread(x.shape()[d], base[d]));
    spread_window.push_back(spread(window[d], dilation[d]));
  }
  // What a reduction of nothing gives.
  Array nothing = ops::zeros(x.dtype(), {0});
  Array neutral = reduction == WindowReduction::sum   ? ops::literal(x.dtype(), 0)
                  : reduction == WindowReduction::max ? lax::reduce_max(nothing, {0})
                                                      : lax::reduce_min(nothing, {0});
  x = padded(x, neutral, o.padding.resolve(op, extents, spread_window, strides), base);
  std::vector<Array> views = shifted_views(x, window, strides, dilation, counts(x.shape(), window, strides, dilation));
  Array y = views[0];
  for (std::size_t i = 1; i < views.size(); ++i) {
    const Array& v = views[i];
    if (reduction == WindowReduction::sum) {
      y = lax::add(y, v);
      continue;
    }
    // Not lax::max, which shares the gradient at a tie. NaN wins on either side.
    Array keep = reduction == WindowReduction::max ? lax::ge(y, v) : lax::le(y, v);
    if (x.dtype().is_floating()) keep = lax::bitwise_or(keep, lax::ne(y, y));
    y = lax::select(keep, y, v);
  }
  return y;
}

}  // namespace tutti::lax
