// Images of other sizes. Not part of tutti.hpp: include this file. Source: jax.image.
//
//     Array small = image::resize(photos, {32, 64, 64, 3}, "linear");      // of [32, 512, 512, 3]
#pragma once

#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/choice.hpp"

namespace tutti::image {

/// How elements between others are made of them: the nearest one, straight lines (a triangle), Lanczos' kernels of
/// radius 3 and 5, Keys' cubic kernel (a = -0.5), that of OpenCV and PyTorch (a = -0.75), or means over the area that
/// an element covers.
enum class ResizeMethod { nearest, linear, lanczos3, lanczos5, cubic, cubic_pytorch, area };
constexpr Choices choices_of(ResizeMethod) {
  return {"resize", "method",
          "nearest linear|bilinear|trilinear|triangle lanczos3 lanczos5 cubic|bicubic|tricubic "
          "cubic-pytorch|bicubic-pytorch area"};
}

/// x in another shape, of as many dims (ShapeError): resampled along the dims whose extents change. `antialias`: where
/// it shrinks, kernels are wider by as much (not "nearest"); "cubic-pytorch" is then "cubic", and without it continues
/// the border. Integers become float32 (not under "nearest"). Products of x with a matrix per dim: differentiable, and
/// split over devices as other dims are.
Array resize(const In& x, const Shape& shape, OneOf<ResizeMethod> method, bool antialias = true);

/// result[i] = x[(i + 0.5 - translation) / scale - 0.5] along each of `spatial_dims`, an element of `scale` and of
/// `translation` (vectors, which may be differentiated) for each; 0 outside of x. shape: that of the result, with x's
/// other extents. ShapeError where lengths do not fit, IndexError for a dim that is not there, ValueError for
/// "nearest".
Array scale_and_translate(const In& x, const Shape& shape, const std::vector<int>& spatial_dims, const In& scale,
                          const In& translation, OneOf<ResizeMethod> method, bool antialias = true);

}  // namespace tutti::image

// SPDX-License-Identifier: Apache-2.0
