// Flax's layers. Batches stand in the leading dims, features in the last. Source: flax.linen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/lax/windows.hpp"
#include "tutti/linen/linen.hpp"
#include "tutti/nn/conv.hpp"

namespace tutti::linen {

/// x kernel + bias over the last dim; integers become floating. Parameters: kernel [in, features], bias [features].
struct Dense {
  std::int64_t features = 1;
  bool use_bias = true;
  Initializer kernel_init = initializers::lecun_normal(), bias_init = initializers::zeros();
  DType param_dtype = float32;
  Array operator()(Scope& scope, const Array& x) const;
};

/// The same over several dims: the sum over `axis` of x times kernel, the new dims last. Parameters: kernel [batch...,
/// axis..., features...], bias [batch..., features...]; batch_dims, leading dims of x, have parameters of their own.
struct DenseGeneral {
  std::vector<int> features{1};
  std::vector<int> axis{-1};
  std::vector<int> batch_dims{};
  bool use_bias = true;
  Initializer kernel_init = initializers::lecun_normal(), bias_init = initializers::zeros();
  DType param_dtype = float32;
  /// Throws IndexError for axes that x lacks, ValueError unless batch_dims are the leading ones.
  Array operator()(Scope& scope, const Array& x) const;
};

/// A row of the parameter embedding [num_embeddings, features] per index.
struct Embed {
  std::int64_t num_embeddings = 1, features = 1;
  Initializer embedding_init =
      initializers::variance_scaling(1, initializers::Fan::in, initializers::Distribution::normal, -2, 0);
  DType param_dtype = float32;
  /// Throws TypeError unless the indices are integers.
  Array operator()(Scope& scope, const Array& indices) const;
};

/// x: [batch..., spatial..., in] -> [batch..., spatial..., features]. Parameters: kernel [kernel_size..., in / groups,
/// features], bias [features]. Paddings beyond those of lax: "CIRCULAR", "REFLECT", and "CAUSAL" for one spatial dim.
struct Conv {
  std::int64_t features = 1;
  std::vector<std::int64_t> kernel_size{};
  nn::Sizes strides = 1;
  lax::Padding padding = "SAME";
  nn::Sizes input_dilation = 1, kernel_dilation = 1;
  std::int64_t feature_group_count = 1;
  bool use_bias = true;
  Initializer kernel_init = initializers::lecun_normal(), bias_init = initializers::zeros();
  DType param_dtype = float32;
  Array operator()(Scope& scope, const Array& x) const;
};

/// (x - mean) / sqrt(variance + epsilon) over the last dim, times scale plus bias.
struct LayerNorm {
  double epsilon = 1e-6;
  bool use_bias = true, use_scale = true;
  DType param_dtype = float32;
  bool use_fast_variance = true;  // mean(x^2) - mean(x)^2, as Flax; false: by deviations, also right for large means
  Array operator()(Scope& scope, const Array& x) const;
};
/// x / sqrt(mean(x^2) + epsilon) over the last dim, times scale.
struct RMSNorm {
  double epsilon = 1e-6;
  bool use_scale = true;
  DType param_dtype = float32;
  bool use_fast_variance = true;  // as Flax's field: both values give the same, since no mean is subtracted
  Array operator()(Scope& scope, const Array& x) const;
};
/// LayerNorm over groups of the last dim and all spatial dims.
struct GroupNorm {
  std::int64_t num_groups = 32;
  double epsilon = 1e-6;
  bool use_bias = true, use_scale = true;
  DType param_dtype = float32;
  bool use_fast_variance = true;  // mean(x^2) - mean(x)^2, as Flax; false: by deviations, also right for large means
  /// Throws ValueError unless the groups divide the channels.
  Array operator()(Scope& scope, const Array& x) const;
};
/// Over all dims but the last; keeps running means in the collection batch_stats, which apply_mutable returns.
/// `axis_name`: over these devices too.
struct BatchNorm {
  bool use_running_average = false;
  double momentum = 0.99, epsilon = 1e-5;
  bool use_bias = true, use_scale = true;
  std::string axis_name{};
  DType param_dtype = float32;
  bool use_fast_variance = true;  // mean(x^2) - mean(x)^2, as Flax; false: by deviations, also right for large means
  Array operator()(Scope& scope, const Array& x) const;
};

/// Each element becomes 0 with probability `rate`; the others are divided by 1 - rate. Takes a key of the stream
/// "dropout".
struct Dropout {
  double rate = 0.5;
  bool deterministic = false;
  std::string rng_collection = "dropout";
  Array operator()(Scope& scope, const Array& x) const;
};

struct PoolOptions {
  nn::Sizes strides = 1;
  lax::Padding padding = "VALID";
  bool count_include_pad = true;  // avg_pool
};
/// The maximum, minimum or mean over windows of x: [batch, spatial..., features].
Array max_pool(const In& x, const std::vector<std::int64_t>& window_shape, const PoolOptions& options = {});
Array min_pool(const In& x, const std::vector<std::int64_t>& window_shape, const PoolOptions& options = {});
Array avg_pool(const In& x, const std::vector<std::int64_t>& window_shape, const PoolOptions& options = {});

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
