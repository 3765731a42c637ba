// Convolution and pooling layers, for one example: dim 0 is the channel, the others are spatial. Source: equinox.nn.
#pragma once

#include <initializer_list>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::nn {

/// One number for all spatial dims, or one per dim.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Sizes {
 public:
  template <Integer T> Sizes(T all) : values_{static_cast<std::int64_t>(all)}, all_(true) {}
  Sizes(std::initializer_list<Dim> each) : values_(each.begin(), each.end()) {}
  Sizes(std::vector<std::int64_t> each) : values_(std::move(each)) {}
  /// One per dim; ValueError, naming `what`, for another number.
  std::vector<std::int64_t> expand(const char* what, int dims) const;

 private:
  std::vector<std::int64_t> values_;
  bool all_ = false;
};

struct ConvOptions {
  Sizes stride = 1;
  lax::Padding padding = 0;  // a number, one per dim in pairs, "SAME", "SAME_LOWER" or "VALID"
  Sizes dilation = 1;
  std::int64_t groups = 1;
  bool use_bias = true;
  OneOf<PadMode> padding_mode = PadMode::constant;  // zeros
  DType dtype = float32;
};

/// A convolution over N spatial dims. weight: [out, in / groups, kernel...], bias: [out, 1...], uniform in +-1/sqrt(in
/// / groups * kernel). Source: equinox.nn.Conv.
template <int N> struct Conv {
  Array weight{}, bias{};
  std::vector<std::int64_t> stride{}, dilation{};
  lax::Padding padding = 0;
  std::int64_t groups = 1;
  PadMode padding_mode = PadMode::constant;
  /// Throws ValueError unless the groups divide the channels.
  static Conv init(Dim in_channels, Dim out_channels, const Sizes& kernel_size, const Array& key,
                   const ConvOptions& options = {});
  /// x: [in, spatial...] -> [out, spatial...]. Throws ShapeError.
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};
using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;

struct ConvTransposeOptions {
  Sizes stride = 1, output_padding = 0;
  lax::Padding padding = 0;
  Sizes dilation = 1;
  std::int64_t groups = 1;
  bool use_bias = true;
  DType dtype = float32;
};
/// The transpose of a convolution: it undoes the change of extents that Conv makes with the same options. Source:
/// equinox.nn.ConvTranspose.
template <int N> struct ConvTranspose {
  Array weight{}, bias{};
  std::vector<std::int64_t> stride{}, output_padding{}, dilation{};
  lax::Padding padding = 0;
  std::int64_t groups = 1;
  static ConvTranspose init(Dim in_channels, Dim out_channels, const Sizes& kernel_size, const Array& key,
                            const ConvTransposeOptions& options = {});
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};
using ConvTranspose1d = ConvTranspose<1>;
using ConvTranspose2d = ConvTranspose<2>;
using ConvTranspose3d = ConvTranspose<3>;

/// The mean (or the maximum) over windows of the spatial dims; what padding adds counts as 0 (as nothing). `use_ceil`:
/// a last window may stick out. Source: equinox.nn.AvgPool2d, equinox.nn.MaxPool2d.
template <int N, bool Max> struct Pool {
  std::vector<std::int64_t> kernel_size{}, stride{};
  lax::Padding padding = 0;
  bool use_ceil = false;
  static Pool init(const Sizes& kernel_size, const Sizes& stride = 1, const lax::Padding& padding = 0,
                   bool use_ceil = false);
  Array operator()(const Array& x, Loc loc = Loc::current()) const;
};
using AvgPool1d = Pool<1, false>;
using AvgPool2d = Pool<2, false>;
using AvgPool3d = Pool<3, false>;
using MaxPool1d = Pool<1, true>;
using MaxPool2d = Pool<2, true>;
using MaxPool3d = Pool<3, true>;

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
