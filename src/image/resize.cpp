// Resampling as products with a matrix of weights for each dim. Source: jax.image.
#include <cmath>
#include <numbers>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/image/image.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::image {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double kLeastWeight = 1000 * 1.1920928955078125e-07;  // sums of weights below it count as 0

// Kernels of a distance x >= 0.
Array lanczos(const Array& x, double radius) {
  const Array near = x <= 1e-3, t = where(near, 1, x);
  return where(x > radius, 0, where(near, 1, radius * sin(pi * t) * sin(pi * t / radius) / square(pi * t)));
}
Array cubic(const Array& x, double a) {
  const Array inner = ((a + 2) * x - (a + 3)) * x * x + 1, outer = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return where(x >= 2, 0, where(x >= 1, outer, inner));
}
Array kernel(ResizeMethod method, const Array& x) {
  switch (method) {
    case ResizeMethod::lanczos3: return lanczos(x, 3);
    case ResizeMethod::lanczos5: return lanczos(x, 5);
    case ResizeMethod::cubic: return cubic(x, -0.5);
    case ResizeMethod::cubic_pytorch: return cubic(x, -0.75);
    default: return maximum(0, 1 - x);
  }
}
Array normalized(const Array& weights) {
  const Array total = sum(weights, 0, true), counts = abs(total) > kLeastWeight;
  return where(counts, weights / where(counts, total, 1), 0);
}

// [in, out]: what each element of the input gives to each of the result.
Array weights_of(std::int64_t in, std::int64_t out, const Array& scale, const Array& translation, ResizeMethod method,
                 bool antialias) {
  const DType dtype = scale.dtype();
  const Array inverse = 1 / scale;
  const Array at = (arange(out).astype(dtype) + 0.5) * inverse - translation * inverse - 0.5;
  const Array places = expand_dims(arange(in).astype(dtype), 1);
  const Array spread = antialias ? maximum(inverse, 1) : ones_like(inverse);
  if (method == ResizeMethod::cubic_pytorch) {  // without antialias: the border goes on, at two more places each way
    const Array beyond = expand_dims(arange(-2, in + 2).astype(dtype), 1);
    const Array all_weights = kernel(method, abs(at - beyond));
    const Array first = sum(all_weights(slice(0, 3)), 0, true), last = sum(all_weights(slice(in + 1, in + 4)), 0, true);
    if (in == 1) return normalized(sum(all_weights, 0, true));
    return normalized(concatenate({first, all_weights(slice(3, in + 1)), last}, 0));
  }
  Array weights;
  if (method == ResizeMethod::area) {
    const Array left = arange(out).astype(dtype) * inverse - translation * inverse;
    weights = maximum(0, minimum(left + inverse, places + 1) - maximum(left, places));
  } else {
    weights = kernel(method, abs(at - places) / spread);
  }
  const Array inside = (at >= -0.5) & (at <= static_cast<double>(in) - 0.5);
  return where(inside, normalized(weights), 0);
}

Array along(const Array& x, int dim, const Array& weights) {
  return moveaxis(tensordot(x, weights.astype(x.dtype()), std::vector<int>{dim}, std::vector<int>{0}), -1, dim);
}
Array nearest(const Array& x, int dim, std::int64_t out) {
  const std::int64_t in = x.shape(dim);
  std::vector<int> places;
  for (std::int64_t i = 0; i < out; ++i) {  // in float32, as in JAX
    const float at = (static_cast<float>(i) + 0.5f) * static_cast<float>(in) / static_cast<float>(out);
    places.push_back(static_cast<int>(std::floor(at)));
  }
  return take(x, array(places), dim, TakeMode::clip);
}
void check_shape(const char* who, const Array& x, const Shape& shape) {
  bool fits = shape.ndim() == x.ndim();
  for (const std::int64_t n : shape) fits = fits && n >= 0;
  if (!fits)
    raise<ShapeError>(who, "the shape is " + shape.str() + " for " + type_text(x), "Give an extent for each dim.");
}

}  // namespace

Array resize(const In& in, const Shape& shape, OneOf<ResizeMethod> method, bool antialias) {
  CallScope scope(in.loc);
  check_shape("resize", in.array, shape);
  Array x = in.array;
  const bool is_nearest = method == ResizeMethod::nearest;
  if (!is_nearest) x = x.astype(inexact(x.dtype()));
  const ResizeMethod kind =
      method == ResizeMethod::cubic_pytorch && antialias ? ResizeMethod::cubic : ResizeMethod(method);
  const DType dtype = canonical(float64);
  for (int d = 0; d < x.ndim(); ++d) {
    const std::int64_t has = x.shape(d), wants = shape[static_cast<std::size_t>(d)];
    if (has == wants) continue;
    if (has == 0)
      raise<ShapeError>("resize", "the image is " + type_text(in.array) + ", the shape " + shape.str(),
                        "There is nothing to resize.");
    if (is_nearest) {
      x = nearest(x, d, wants);
    } else {
      const double by = wants == 0 ? 1 : static_cast<double>(wants) / static_cast<double>(has);
      x = along(x, d, weights_of(has, wants, full({}, by, dtype), zeros({}, dtype), kind, antialias));
    }
  }
  return x;
}

Array scale_and_translate(const In& in, const Shape& shape, const std::vector<int>& spatial_dims, const In& scale,
                          const In& translation, OneOf<ResizeMethod> method, bool antialias) {
  CallScope scope(in.loc);
  check_shape("scale_and_translate", in.array, shape);
  if (method == ResizeMethod::nearest)
    raise<ValueError>("scale_and_translate", "the method is nearest", "Take another one, or resize.");
  const auto count = static_cast<std::int64_t>(spatial_dims.size());
  for (const Array* v : {&scale.array, &translation.array})
    if (v->ndim() != 1 || v->size() != count)
      raise<ShapeError>("scale_and_translate",
                        "scale is " + type_text(scale.array) + ", translation " + type_text(translation.array) +
                            " for " + std::to_string(count) + " dims",
                        "Give vectors with a number for each of spatial_dims.");
  Array x = in.array.astype(inexact(in.array.dtype()));
  const DType dtype = inexact(promote_types(scale.array.dtype(), translation.array.dtype()));
  const ResizeMethod kind =
      method == ResizeMethod::cubic_pytorch && antialias ? ResizeMethod::cubic : ResizeMethod(method);
  std::vector<bool> changes(static_cast<std::size_t>(x.ndim()));
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const int given = spatial_dims[i], d = given < 0 ? given + x.ndim() : given;
    if (d < 0 || d >= x.ndim())
      raise<IndexError>("scale_and_translate",
                        "dim " + std::to_string(given) + " is out of range for " + type_text(in.array),
                        "It has " + std::to_string(x.ndim()) + " dims.");
    if (changes[static_cast<std::size_t>(d)])
      raise<ValueError>("scale_and_translate", "dim " + std::to_string(d) + " comes twice", "Name each dim once.");
    changes[static_cast<std::size_t>(d)] = true;
  }
  for (int d = 0; d < x.ndim(); ++d)
    if (!changes[static_cast<std::size_t>(d)] && x.shape(d) != shape[static_cast<std::size_t>(d)])
      raise<ShapeError>("scale_and_translate", "the shape is " + shape.str() + " for " + type_text(in.array),
                        "Extents of dims that are not in spatial_dims stay.");
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const int d = spatial_dims[i] < 0 ? spatial_dims[i] + x.ndim() : spatial_dims[i];
    const int k = static_cast<int>(i);
    x = along(x, d,
              weights_of(x.shape(d), shape[static_cast<std::size_t>(d)], scale.array[k].astype(dtype),
                         translation.array[k].astype(dtype), kind, antialias));
  }
  return x;
}

}  // namespace tutti::image

// SPDX-License-Identifier: Apache-2.0
