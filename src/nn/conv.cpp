#include "tutti/nn/conv.hpp"

#include <algorithm>
#include <cmath>

#include "nn/draw.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"

namespace tutti::nn {
namespace {

using lax::Dims;
using Pairs = PadWidths;

Dims with_channel(const std::vector<std::int64_t>& v) {
  Dims out{1};
  out.insert(out.end(), v.begin(), v.end());
  return out;
}

void check_rank(const char* layer, const Array& x, int spatial) {
  if (x.ndim() != spatial + 1)
    raise<ShapeError>(
        layer,
        "x is " + type_text(x) + ", of shape " + x.shape().str() + ", for " + std::to_string(spatial) + " spatial dims",
        "It needs a channel dim and " + std::to_string(spatial) + " spatial dims; vmap the layer for a batch.");
}
void check_channels(const char* layer, const Array& x, std::int64_t in, const Array& weight) {
  if (x.shape(0) != in)
    raise<ShapeError>(layer,
                      "x is " + type_text(x) + ", its dim 0 is " + std::to_string(x.shape(0)) +
                          "; the layer, of weight " + type_text(weight) + ", has " + std::to_string(in) +
                          " in channels",
                      "Dim 0 of x is the channels.");
}
void check_groups(int in, int out, int groups) {
  if (groups < 1 || in % groups || out % groups)
    raise<ValueError>("Conv",
                      std::to_string(in) + " in and " + std::to_string(out) + " out channels do not divide into " +
                          std::to_string(groups) + " groups",
                      "Choose a number of groups that divides both.");
}

struct Parameters {
  Array weight, bias;
};
Parameters draw(int in, int out, const std::vector<std::int64_t>& kernel, int groups, const Array& key, bool use_bias,
                DType dtype) {
  check_groups(in, out, groups);
  auto keys = random::split<2>(key);
  Shape weight{out, in / groups}, bias{out};
  double fan = in / groups;
  for (std::int64_t k : kernel) {
    weight.push_back(k);
    bias.push_back(1);
    fan *= static_cast<double>(k);
  }
  double limit = 1 / std::sqrt(fan);
  return {uniform_within(keys[0], weight, limit, dtype),
          use_bias ? uniform_within(keys[1], bias, limit, dtype) : Array()};
}

Array one_example(const Array& x, const Array& weight, const Array& bias, const lax::ConvOptions& o) {
  Array y = squeeze(lax::conv_general_dilated(expand_dims(x, 0), weight, o), 0);
  return bias.has_value() ? y + bias : y;
}
Dims tail(const Shape& shape, int from) { return Dims(shape.begin() + from, shape.end()); }

}  // namespace

std::vector<std::int64_t> Sizes::expand(const char* what, int dims) const {
  if (all_) return std::vector<std::int64_t>(static_cast<std::size_t>(dims), values_[0]);
  if (static_cast<int>(values_.size()) != dims)
    raise<ValueError>(call_name("layer"),
                      std::string(what) + " has " + std::to_string(values_.size()) + " entries for " +
                          std::to_string(dims) + " spatial dims",
                      "Give one number for all dims, or one per dim.");
  return values_;
}

template <int N>
Conv<N> Conv<N>::init(Dim in, Dim out, const Sizes& kernel_size, const Array& key, const ConvOptions& o) {
  Parameters p = draw(in, out, kernel_size.expand("kernel_size", N), o.groups, key, o.use_bias, o.dtype);
  return {p.weight, p.bias,        o.stride.expand("stride", N), o.dilation.expand("dilation", N), o.padding,
          o.groups, o.padding_mode};
}

template <int N> Array Conv<N>::operator()(const Array& in, Loc loc) const {
  CallScope scope(loc);
  check_rank("Conv", in, N);
  check_channels("Conv", in, weight.shape(1) * groups, weight);
  Array x = in;
  lax::Padding around = padding;
  if (padding_mode != PadMode::constant) {
    Dims window = tail(weight.shape(), 2);
    for (int d = 0; d < N; ++d) window[d] = dilation[d] * (window[d] - 1) + 1;
    PadWidths widths{{0, 0}};
    for (auto [low, high] : padding.resolve("Conv", tail(x.shape(), 1), window, stride)) widths.emplace_back(low, high);
    x = pad(x, widths, padding_mode);
    around = "VALID";
  }
  return one_example(
      x, weight, bias,
      {.window_strides = stride, .padding = around, .rhs_dilation = dilation, .feature_group_count = groups});
}

template <int N>
ConvTranspose<N> ConvTranspose<N>::init(Dim in, Dim out, const Sizes& kernel_size, const Array& key,
                                        const ConvTransposeOptions& o) {
  Parameters p = draw(in, out, kernel_size.expand("kernel_size", N), o.groups, key, o.use_bias, o.dtype);
  ConvTranspose layer{p.weight,
                      p.bias,
                      o.stride.expand("stride", N),
                      o.output_padding.expand("output_padding", N),
                      o.dilation.expand("dilation", N),
                      o.padding,
                      o.groups};
  for (int d = 0; d < N; ++d)
    if (layer.output_padding[d] >= layer.stride[d])
      raise<ValueError>("ConvTranspose",
                        "output_padding is " + std::to_string(layer.output_padding[d]) + " and stride " +
                            std::to_string(layer.stride[d]) + " in dim " + std::to_string(d),
                        "The output padding has to be below the stride in every dim.");
  return layer;
}

template <int N> Array ConvTranspose<N>::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  check_rank("ConvTranspose", x, N);
  check_channels("ConvTranspose", x, weight.shape(1) * groups, weight);
  Pairs around;
  const std::string& name = padding.name();
  Pairs given = name.empty() ? padding.resolve("ConvTranspose", tail(x.shape(), 1), {}, {}) : Pairs(N, {0, 0});
  for (int d = 0; d < N; ++d) {
    std::int64_t reach = dilation[d] * (weight.shape()[2 + d] - 1), extra = output_padding[d];
    if (name == "SAME" || name == "SAME_LOWER") {
      std::int64_t sum = reach - stride[d] + extra + 1;
      extra = std::max<std::int64_t>(-sum, 0);
      sum = std::max<std::int64_t>(sum, 0);
      std::int64_t low = (sum + (name == "SAME_LOWER")) / 2;
      given[d] = {low, sum - low};
    }
    around.push_back({reach - given[d].first, reach - given[d].second + extra});
  }
  return one_example(
      x, weight, bias,
      {.padding = around, .lhs_dilation = stride, .rhs_dilation = dilation, .feature_group_count = groups});
}

template <int N, bool Max>
Pool<N, Max> Pool<N, Max>::init(const Sizes& kernel_size, const Sizes& stride, const lax::Padding& padding,
                                bool use_ceil) {
  return {kernel_size.expand("kernel_size", N), stride.expand("stride", N), padding, use_ceil};
}

template <int N, bool Max> Array Pool<N, Max>::operator()(const Array& x, Loc loc) const {
  CallScope scope(loc);
  check_rank("Pool", x, N);
  for (int d = 0; d < N; ++d)
    if (kernel_size[d] < 1 || stride[d] < 1)
      raise<ValueError>("Pool",
                        "the kernel is " + std::to_string(kernel_size[d]) + " and the stride " +
                            std::to_string(stride[d]) + " in dim " + std::to_string(d),
                        "Both count from 1.");
  Pairs around = padding.resolve("Pool", tail(x.shape(), 1), kernel_size, stride);
  double elements = 1;
  for (int d = 0; d < N; ++d) {
    auto& [low, high] = around[d];
    if (use_ceil && (x.shape()[1 + d] + low + high - kernel_size[d]) % stride[d]) high += stride[d];
    if (std::max(low, high) > kernel_size[d])
      raise<ValueError>("Pool",
                        "the padding (" + std::to_string(low) + ", " + std::to_string(high) +
                            ") is larger than the kernel of " + std::to_string(kernel_size[d]),
                        "A window has to meet an element of x.");
    elements *= static_cast<double>(kernel_size[d]);
  }
  around.insert(around.begin(), {0, 0});
  Array y = lax::reduce_window(
      x, Max ? lax::WindowReduction::max : lax::WindowReduction::sum,
      {.window_dimensions = with_channel(kernel_size), .window_strides = with_channel(stride), .padding = around});
  return Max ? y : y / elements;
}

template struct Conv<1>;
template struct Conv<2>;
template struct Conv<3>;
template struct ConvTranspose<1>;
template struct ConvTranspose<2>;
template struct ConvTranspose<3>;
template struct Pool<1, false>;
template struct Pool<2, false>;
template struct Pool<3, false>;
template struct Pool<1, true>;
template struct Pool<2, true>;
template struct Pool<3, true>;

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
