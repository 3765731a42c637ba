#include <cmath>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/linen/linen.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/distributions.hpp"
#include "tutti/random/random.hpp"

namespace tutti::linen::initializers {

Initializer variance_scaling(double scale, OneOf<Fan> fan, OneOf<Distribution> distribution, int in_axis,
                             int out_axis) {
  return [=](const Array& key, const Shape& shape, DType dtype) {
    if (shape.ndim() < 2)
      raise<ValueError>("variance_scaling", "a parameter of shape " + shape.str() + " has no in and out dims",
                        "It needs 2 dims or more: use normal or uniform here.");
    auto extent = [&](int axis) {
      return static_cast<double>(shape[static_cast<std::size_t>(axis < 0 ? axis + shape.ndim() : axis)]);
    };
    double in = extent(in_axis), out = extent(out_axis), field = static_cast<double>(shape.num_elements()) / in / out;
    double n = fan == Fan::in ? in * field : fan == Fan::out ? out * field : (in + out) * field / 2;
    Array variance = array(scale / n).astype(dtype);
    switch (distribution) {
      // 0.8796...: the standard deviation of a standard normal cut to +-2.
      case Distribution::truncated_normal:
        return random::truncated_normal(key, -2., 2., shape, dtype) *
               (sqrt(variance) / array(0.87962566103423978).astype(dtype));
      case Distribution::normal: return random::normal(key, shape, dtype) * sqrt(variance);
      default: return random::uniform(key, shape, -1., 1., dtype) * sqrt(3 * variance);
    }
  };
}
Initializer lecun_normal() { return variance_scaling(1, Fan::in, Distribution::truncated_normal); }
Initializer lecun_uniform() { return variance_scaling(1, Fan::in, Distribution::uniform); }
Initializer glorot_normal() { return variance_scaling(1, Fan::average, Distribution::truncated_normal); }
Initializer glorot_uniform() { return variance_scaling(1, Fan::average, Distribution::uniform); }
Initializer he_normal() { return variance_scaling(2, Fan::in, Distribution::truncated_normal); }
Initializer he_uniform() { return variance_scaling(2, Fan::in, Distribution::uniform); }
Initializer normal(double stddev) {
  return [=](const Array& key, const Shape& shape, DType dtype) { return random::normal(key, shape, dtype) * stddev; };
}
Initializer uniform(double scale) {
  return [=](const Array& key, const Shape& shape, DType dtype) { return random::uniform(key, shape, dtype) * scale; };
}
Initializer constant(double value) {
  return [=](const Array&, const Shape& shape, DType dtype) { return full(shape, value, dtype); };
}
Initializer zeros() { return constant(0); }
Initializer ones() { return constant(1); }

Initializer truncated_normal(double stddev, double lower, double upper) {
  return [=](const Array& key, const Shape& shape, DType dtype) {
    return random::truncated_normal(key, lower, upper, shape, dtype) * array(stddev).astype(dtype);
  };
}
Initializer orthogonal(double scale, int column_axis) {
  return [=](const Array& key, const Shape& shape, DType dtype) {
    if (shape.ndim() < 2)
      raise<ShapeError>("orthogonal", "a parameter of shape " + shape.str() + " is no matrix",
                        "It needs 2 dims or more: use normal or uniform here.");
    if (shape.num_elements() == 0) return tutti::zeros(shape, dtype);
    const int axis = column_axis < 0 ? column_axis + shape.ndim() : column_axis;
    const std::int64_t cols = shape[static_cast<std::size_t>(axis)];
    const Array q = random::orthogonal(key, shape.num_elements() / cols, {}, dtype, cols);
    Shape rest;
    for (int d = 0; d < shape.ndim(); ++d)
      if (d != axis) rest.push_back(shape[static_cast<std::size_t>(d)]);
    rest.push_back(cols);
    return moveaxis(reshape(q, rest), -1, axis) * array(scale).astype(dtype);
  };
}
Initializer delta_orthogonal(double scale, int column_axis) {
  return [=](const Array& key, const Shape& shape, DType dtype) {
    const int n = shape.ndim();
    if (n < 3 || n > 5 || shape[static_cast<std::size_t>(n - 1)] < shape[static_cast<std::size_t>(n - 2)])
      raise<ShapeError>("delta_orthogonal", "a kernel of shape " + shape.str(),
                        "It has 1 to 3 spatial dims, and as many output as input features or more.");
    const Shape features{shape[static_cast<std::size_t>(n - 2)], shape[static_cast<std::size_t>(n - 1)]};
    std::vector<lax::PadDim> around(static_cast<std::size_t>(n));
    Shape middle = features;
    for (int d = 0; d < n - 2; ++d) {
      const std::int64_t k = shape[static_cast<std::size_t>(d)];
      around[static_cast<std::size_t>(d)] = {(k - 1) / 2, k - 1 - (k - 1) / 2, 0};
      middle.insert(0, 1);
    }
    const Array matrix = orthogonal(scale, column_axis)(key, features, dtype);
    return lax::pad(reshape(matrix, middle), tutti::zeros({}, dtype), around);
  };
}

}  // namespace tutti::linen::initializers

// SPDX-License-Identifier: Apache-2.0
