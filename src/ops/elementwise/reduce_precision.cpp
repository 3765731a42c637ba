// Floats rounded to a format of fewer bits, and kept in their own dtype; subnormal results are 0. Linear, as in JAX:
// tangents are rounded alike. Source: jax.lax.reduce_precision.
#include "ops/elementwise/reduce_precision.hpp"

#include <cmath>
#include <limits>

#include "ops/elementwise/pointwise.hpp"

namespace tutti::ops {
namespace {

double rounded(double x, const ReducePrecision& p) {
  if (!std::isfinite(x) || x == 0) return x;
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| = m 2^exponent, m from 1/2 to 1
  const double unit = std::ldexp(1.0, exponent - 1 - p.mantissa_bits);
  const double y = std::nearbyint(x / unit) * unit;
  std::frexp(y, &exponent);
  const int bias = (1 << (p.exponent_bits - 1)) - 1;
  if (exponent - 1 > bias) return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (exponent - 1 < 1 - bias) return std::copysign(0.0, x);
  return y;
}

}  // namespace

constinit const Home reduce_precision = [] {
  Op op = pointwise_frame("reduce_precision");
  op.infer = [](const Call& c) -> std::vector<Type> {
    const auto& p = c.get<ReducePrecision>();
    const Shape shape = pointwise_shape(c, takes_floating);
    if (p.exponent_bits < 1 || p.exponent_bits > 11 || p.mantissa_bits < 0 || p.mantissa_bits > 52)
      raise<ValueError>(
          "reduce_precision",
          std::to_string(p.exponent_bits) + " exponent and " + std::to_string(p.mantissa_bits) + " mantissa bits",
          "Give 1 to 11 and 0 to 52.");
    return {Type{c.operands[0].dtype, shape, false, {}}};
  };
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    with_storage<takes_floating>(c.operands[0].dtype, [&]<class T>() {
      for (std::int64_t i = 0; i < out[0].size(); ++i) {
        const double x = Element<T>::load(in[0].as<const T>()[i]);
        out[0].as<T>()[i] =
            Element<T>::store(static_cast<typename Element<T>::Compute>(rounded(x, c.get<ReducePrecision>())));
      }
    });
  };
  op.linear = {{0}};
  op.transpose = [](const Call& c, const std::vector<Array>& ct, const std::vector<Array>&,
                    const std::vector<bool>&) -> std::vector<Array> {
    return {ct[0].has_value() ? bind1(c.op, c.params, {ct[0]}) : Array()};
  };
  // Rounding is far from linear: only where nothing is rounded are the laws of derivatives exact.
  for (DType d : {float32, bfloat16}) {
    const Type t{d, Shape{3, 4}, false, {}};
    op.samples.push_back({.params = ReducePrecision{11, 52}, .operands = {t}});
    op.samples.push_back({.params = ReducePrecision{5, 3}, .operands = {t}, .differentiable = false});
  }
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
