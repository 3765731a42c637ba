#include "tutti/linen/layers.hpp"

#include <algorithm>

#include "linen/promote.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/linen/train_state.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/composite.hpp"
#include "tutti/transform/pmap.hpp"

namespace tutti::linen {
namespace {

struct Stats {
  Array mean, variance;
};
using Dims = std::vector<std::int64_t>;
// In float32 at least; the variance, where `fast`, as mean of squares less square of the mean.
Stats stats(const Array& x, const Dims& axes, bool fast, const std::string& axis_name = {}) {
  auto of = [](const Array& x, const Dims& axes, bool fast, const std::string& over) {
    const Array v = x.astype(promote_types(x.dtype(), float32));
    auto mean_of = [&](const Array& y) {
      const Array m = mean(y, axes, true);
      return over.empty() ? m : lax::pmean(m, over);
    };
    const Array m = mean_of(v);
    return Stats{m, fast ? maximum(0, mean_of(square(v)) - square(m)) : mean_of(square(v - m))};
  };
  return axis_name.empty() ? composite("stats", of, x, axes, fast, axis_name) : of(x, axes, fast, axis_name);
}
// Statistics broadcast against x; scale and bias over the last dim.
Array normalized(Scope& s, const Array& x, const Stats& stats, double epsilon, bool use_scale, bool use_bias,
                 DType param_dtype) {
  Shape features{x.shape(-1)};
  Array scale = use_scale ? s.param("scale", initializers::ones(), features, param_dtype) : Array();
  Array bias = use_bias ? s.param("bias", initializers::zeros(), features, param_dtype) : Array();
  return composite(
      "normalize",
      [](const Array& x, const Stats& stats, const Array& scale, const Array& bias, const Array& epsilon,
         DType param_dtype) {
        Array factor = lax::rsqrt(stats.variance + epsilon);
        if (scale.has_value()) factor = factor * scale;
        Array y = (stats.mean.has_value() ? x - stats.mean : x) * factor;
        if (bias.has_value()) y = y + bias;
        DType dtype = promote_types(x.dtype(), param_dtype);
        return y.astype(dtype.is_inexact() ? dtype : float32);
      },
      x, stats, scale, bias, epsilon, param_dtype);
}

Array pooled(const char* who, const In& x, const std::vector<std::int64_t>& window, const PoolOptions& o,
             lax::WindowReduction reduction) {
  int spatial = static_cast<int>(window.size());
  if (x.array.ndim() != spatial + 2)
    raise<ShapeError>(who,
                      "x has shape " + x.array.shape().str() + " and the window " + std::to_string(spatial) + " dims",
                      "x is [batch, spatial..., features].", x.loc);
  auto around = [](std::vector<std::int64_t> v) {
    v.insert(v.begin(), 1);
    v.push_back(1);
    return v;
  };
  return lax::reduce_window(
      x, reduction,
      {.window_dimensions = around(window),
       .window_strides = around(o.strides.expand("strides", spatial)),
       .padding = [&] {
         std::vector<std::int64_t> extents(x.array.shape().begin() + 1, x.array.shape().end() - 1);
         auto pairs = o.padding.resolve(who, extents, window, o.strides.expand("strides", spatial));
         pairs.insert(pairs.begin(), {0, 0});
         pairs.push_back({0, 0});
         return lax::Padding(pairs);
       }()});
}

}  // namespace

Array Embed::operator()(Scope& s, const Array& indices) const {
  if (!indices.dtype().is_integer())
    raise<TypeError>("Embed", "the indices are " + type_text(indices),
                     "Indices are integers: convert with astype(int32).");
  return take(s.param("embedding", embedding_init, {num_embeddings, features}, param_dtype), indices, 0);
}

Array Conv::operator()(Scope& s, const Array& in) const {
  int spatial = static_cast<int>(kernel_size.size());
  if (in.ndim() < spatial + 1)
    raise<ShapeError>("Conv", "x has shape " + in.shape().str() + ", the kernel " + std::to_string(spatial) + " dims",
                      "x is [batch..., spatial..., features].");
  Array x = in;
  Shape lead(std::vector<std::int64_t>(in.shape().begin(), in.shape().end() - spatial - 1));
  if (lead.ndim() != 1) {
    Shape flat{lead.num_elements()};
    for (int d = lead.ndim(); d < in.ndim(); ++d) flat.push_back(in.shape(d));
    x = x.reshape(flat);
  }
  std::int64_t channels = x.shape(-1);
  if (feature_group_count < 1 || channels % feature_group_count)
    raise<ValueError>(
        "Conv",
        std::to_string(channels) + " features do not divide into " + std::to_string(feature_group_count) + " groups",
        "Choose a feature_group_count that divides the features of x.");
  std::vector<std::int64_t> dilation = kernel_dilation.expand("kernel_dilation", spatial);
  lax::Padding around = padding;
  if (const std::string& name = padding.name(); name == "CIRCULAR" || name == "REFLECT" || name == "CAUSAL") {
    if (name == "CAUSAL" && spatial != 1)
      raise<ValueError>("Conv", "the padding CAUSAL with " + std::to_string(spatial) + " spatial dims",
                        "It needs one spatial dim.");
    PadWidths widths(static_cast<std::size_t>(x.ndim()));
    for (int d = 0; d < spatial; ++d) {
      const std::int64_t reach = dilation[static_cast<std::size_t>(d)] * (kernel_size[static_cast<std::size_t>(d)] - 1);
      widths[static_cast<std::size_t>(1 + d)] =
          name == "CAUSAL" ? std::pair{reach, std::int64_t{0}} : std::pair{reach / 2, (reach + 1) / 2};
    }
    x = name == "CAUSAL" ? pad(x, widths) : pad(x, widths, name == "CIRCULAR" ? PadMode::wrap : PadMode::reflect);
    around = "VALID";
  }
  Shape kernel_shape{};
  for (std::int64_t k : kernel_size) kernel_shape.push_back(k);
  kernel_shape.push_back(channels / feature_group_count);
  kernel_shape.push_back(features);
  Array kernel = s.param("kernel", kernel_init, kernel_shape, param_dtype);
  Array bias = use_bias ? s.param("bias", bias_init, {features}, param_dtype) : Array();
  promote(x, kernel, bias);
  std::string letters;  // of the spatial dims
  for (int d = 0; d < spatial; ++d) letters += static_cast<char>('a' + d);
  Array y = lax::conv_general_dilated(x, kernel,
                                      {.window_strides = strides.expand("strides", spatial),
                                       .padding = around,
                                       .lhs_dilation = input_dilation.expand("input_dilation", spatial),
                                       .rhs_dilation = dilation,
                                       .dimension_numbers = {"N" + letters + "C", letters + "IO", "N" + letters + "C"},
                                       .feature_group_count = feature_group_count});
  if (use_bias) y = y + bias;
  if (lead.ndim() == 1) return y;
  for (int d = 1; d < y.ndim(); ++d) lead.push_back(y.shape(d));
  return y.reshape(lead);
}

Array LayerNorm::operator()(Scope& s, const Array& x) const {
  if (x.ndim() == 0)
    raise<ShapeError>("LayerNorm", "x is " + type_text(x) + ", a scalar", "The last dim of x is its features.");
  return normalized(s, x, stats(x, {-1}, use_fast_variance), epsilon, use_scale, use_bias, param_dtype);
}

Array RMSNorm::operator()(Scope& s, const Array& x) const {
  if (x.ndim() == 0)
    raise<ShapeError>("RMSNorm", "x is " + type_text(x) + ", a scalar", "The last dim of x is its features.");
  Array v = x.astype(promote_types(x.dtype(), float32));
  return normalized(s, x, {Array(), mean(square(v), -1, true)}, epsilon, use_scale, false, param_dtype);
}

Array GroupNorm::operator()(Scope& s, const Array& x) const {
  if (x.ndim() == 0)
    raise<ShapeError>("GroupNorm", "x is " + type_text(x) + ", a scalar", "The last dim of x is its features.");
  std::int64_t channels = x.shape(-1);
  if (num_groups < 1 || channels % num_groups)
    raise<ValueError>(
        "GroupNorm",
        std::to_string(channels) + " channels do not divide into " + std::to_string(num_groups) + " groups",
        "Choose a number of groups that divides the channels.");
  Shape split(std::vector<std::int64_t>(x.shape().begin(), x.shape().end() - 1));
  split.push_back(num_groups);
  split.push_back(channels / num_groups);
  std::vector<std::int64_t> axes;  // all but batch and group
  for (int d = 1; d < split.ndim(); ++d)
    if (d != split.ndim() - 2) axes.push_back(d);
  Stats of_groups = stats(x.reshape(split), axes, use_fast_variance);
  auto spread = [&](const Array& a) {  // [batch, 1..., groups, 1] -> [batch, 1..., channels]
    return repeat(squeeze(a, -1), channels / num_groups, x.ndim() - 1);
  };
  return normalized(s, x, {spread(of_groups.mean), spread(of_groups.variance)}, epsilon, use_scale, use_bias,
                    param_dtype);
}

Array BatchNorm::operator()(Scope& s, const Array& x) const {
  if (x.ndim() == 0)
    raise<ShapeError>("BatchNorm", "x is " + type_text(x) + ", a scalar", "The last dim of x is its features.");
  Shape features{x.shape(-1)};
  Array mean = s.variable("batch_stats", "mean", [&] { return zeros(features, float32); }),
        variance = s.variable("batch_stats", "var", [&] { return ones(features, float32); });
  Stats now{mean, variance};
  if (!use_running_average) {
    std::vector<std::int64_t> axes;
    for (int d = 0; d + 1 < x.ndim(); ++d) axes.push_back(d);
    now = axes.empty() ? Stats{x, zeros(features, float32)}
                       : stats(x, axes, use_fast_variance, s.is_initializing() ? "" : axis_name);
    if (!s.is_initializing()) {
      auto running = [&](const Array& old, const Array& seen) {
        return momentum * old + (1 - momentum) * seen.reshape(features);
      };
      s.set("batch_stats", "mean", running(mean, now.mean));
      s.set("batch_stats", "var", running(variance, now.variance));
    }
  }
  return normalized(s, x, now, epsilon, use_scale, use_bias, param_dtype);
}

Array Dropout::operator()(Scope& s, const Array& x) const {
  if (!(0 <= rate && rate <= 1))
    raise<ValueError>("Dropout", "the rate is " + std::to_string(rate), "Probabilities are from 0 to 1.");
  if (rate == 0 || deterministic) return x;
  if (rate == 1) return zeros_like(x);
  double keep = 1 - rate;
  return where(random::bernoulli(s.make_rng(rng_collection), keep, x.shape()), x / keep, 0);
}

Array max_pool(const In& x, const std::vector<std::int64_t>& window, const PoolOptions& o) {
  CallScope scope(x.loc);
  return pooled("max_pool", x, window, o, lax::WindowReduction::max);
}
Array min_pool(const In& x, const std::vector<std::int64_t>& window, const PoolOptions& o) {
  CallScope scope(x.loc);
  return pooled("min_pool", x, window, o, lax::WindowReduction::min);
}
Array avg_pool(const In& x, const std::vector<std::int64_t>& window, const PoolOptions& o) {
  CallScope scope(x.loc);
  Array total = pooled("avg_pool", x, window, o, lax::WindowReduction::sum);
  if (!o.count_include_pad) return total / pooled("avg_pool", ones_like(x.array), window, o, lax::WindowReduction::sum);
  double elements = 1;
  for (std::int64_t n : window) elements *= static_cast<double>(n);
  return total / elements;
}

namespace detail {

Array replicated(const Array& x, const std::vector<Device>& given, Loc loc) {
  CallScope scope(loc);
  std::vector<Device> devices = given.empty() ? tutti::devices() : given;
  Shape lead{static_cast<std::int64_t>(devices.size())};
  Array copies = device_put(lax::broadcast(x, lead), NamedSharding(Mesh(devices, "devices"), P("devices")), loc);
  tutti::detail::mark_rows(copies);
  return copies;
}

}  // namespace detail
}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
