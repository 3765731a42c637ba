// A convolution whose operands are in one order of dims.
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/array/array.hpp"
#include "tutti/lax/windows.hpp"

namespace tutti::lax {

/// The operands in one order of dims, in which the products over features and places are one matrix product. Features
/// that are last stay so, where there are no groups; else they come first.
struct Convolution {
  bool features_last = false;
  Array lhs;  // features, batch, spatial; or batch, spatial, features. Padded and dilated
  Array rhs;  // out features, spatial, in features; or spatial, in features, out features
  Dims out;   // where the result has batch, feature and spatial dims
  Dims window, strides, dilation, count;
  std::int64_t groups = 1, batch_groups = 1;

  std::int64_t features() const { return lhs.shape(features_last ? -1 : 0); }
  std::int64_t examples() const { return lhs.shape(features_last ? 0 : 1); }
  std::int64_t ins() const { return rhs.shape(features_last ? -2 : -1); }
  std::int64_t outs() const { return rhs.shape(features_last ? -1 : 0); }
  std::int64_t batch() const { return examples() / batch_groups; }  // of a group
  std::size_t behind() const { return features_last ? 1 : 0; }      // dims behind the spatial ones
};

/// Elements of a window that are weighed one by one where each out feature is made of one feature.
constexpr std::int64_t kMostWeights = 128;

/// Out features, batch and windows; or batch, windows and out features.
Array convolved(const Convolution& c, const std::optional<DType>& preferred);

}  // namespace tutti::lax
