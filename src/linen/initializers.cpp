#include <cmath>

#include "tutti/base/call_scope.hpp"
#include "tutti/linen/linen.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"

namespace tutti::linen::initializers {

Initializer variance_scaling(double scale, Fan fan, Distribution distribution, int in_axis, int out_axis) {
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

}  // namespace tutti::linen::initializers
