// The gamma distribution and those that are made of its draws.
#include <limits>
#include <tuple>
#include <utility>

#include "random/parameters.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/special.hpp"
#include "tutti/nn/nn.hpp"
#include "tutti/numpy/limits.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/distributions.hpp"
#include "tutti/transform/custom_rules.hpp"

namespace tutti::random {
namespace {

struct Normal {
  Array key, x, v;
};
struct Proposal {
  Array key, xx, v, u;
};

// One number by rejection (Marsaglia and Tsang 2000): a x^3 that a squeeze or the density accepts. Below a = 1 that of
// a + 1 times u^(1/a), of which with `logs` the logarithm is given: it may be too small for a number.
Array one(const Array& key, const Array& a, bool logs) {
  const DType dtype = a.dtype();
  const Array large = a >= 1, shape = where(large, a, a + 1), zero = zeros_like(a);
  const Array d = shape - 1. / 3, c = 1. / 3 / sqrt(d);
  const auto [first, for_boost] = split<2>(key);
  auto rejected = [&](const Proposal& t) {
    return (t.u >= 1 - 0.0331 * (t.xx * t.xx)) & (log(t.u) >= t.xx * 0.5 + d * (1 - t.v + log(t.v)));
  };
  auto again = [&](const Proposal& last) {
    const auto [next, for_x, for_u] = split<3>(last.key);
    const Normal found = lax::while_loop([](const Normal& n) { return n.v <= 0; },
                                         [&](const Normal& n) {
                                           const auto [later, now] = split<2>(n.key);
                                           const Array x = normal(now, {}, dtype);
                                           return Normal{later, x, 1 + x * c};
                                         },
                                         Normal{for_x, zero, zero - 1});
    return Proposal{next, found.x * found.x, found.v * found.v * found.v, uniform(for_u, {}, 0., 1., dtype)};
  };
  const Array v = lax::while_loop(rejected, again, Proposal{first, zero, zero + 1, zero + 2}).v;
  if (!logs) return d * v * where(large, 1, power(1 - uniform(for_boost, {}, 0., 1., dtype), 1 / a));
  const Array boost = -exponential(for_boost, {}, dtype);
  return log(d) + log(v) + where(large | (boost == 0), 0, boost * (1 / a));
}

// A number for every element of a, each from a key of its own. Derivatives by a are those of the inverse of the
// cumulative distribution, at the number that was drawn (Figurnov, Mohamed and Mnih 2018).
Array draws(const Array& key, const Array& a, bool logs) {
  if (a.size() == 0) return a;
  auto numbers = [logs](const Array& key, const Array& a) {
    const Array keys = split_array(key, {a.size()});
    auto each = vmap([logs](const Array& k, const Array& x) { return one(k, x, logs); });
    return each(keys, a.reshape(-1)).reshape(a.shape());
  };
  using Pair = std::tuple<Array, Array>;
  auto rule = [numbers, logs](const Pair& args, const Pair& tangents) {
    const auto& [key, a] = args;
    const Array y = numbers(key, a);
    if (!std::get<1>(tangents).has_value()) return std::pair{y, Array()};
    Array slope;
    if (logs) {
      const Array e = exp(y), x = where(e == 0, finfo(y.dtype()).tiny, e);
      slope = lax::random_gamma_grad(a, x) / x;
    } else {
      slope = lax::random_gamma_grad(a, y);
    }
    return std::pair{y, std::get<1>(tangents) * slope};
  };
  return custom_jvp(numbers, rule)(key, a);
}

}  // namespace

Array gamma(const In& key, const Operand& a, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  return draws(key.array, parameters("random::gamma", {a.array}, shape, canonical(dtype))[0], false);
}

Array loggamma(const In& key, const Operand& a, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  return draws(key.array, parameters("random::loggamma", {a.array}, shape, canonical(dtype))[0], true);
}

Array beta(const In& key, const Operand& a, const Operand& b, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const std::vector<Array> p = parameters("random::beta", {a.array, b.array}, shape, canonical(dtype));
  const auto [for_a, for_b] = split<2>(key.array);
  const Array x = draws(for_a, p[0], true), y = draws(for_b, p[1], true), most = maximum(x, y);
  return exp(x - most) / (exp(x - most) + exp(y - most));
}

Array chisquare(const In& key, const Operand& df, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  return exp(loggamma(key, parameters("random::chisquare", {df.array}, shape, canonical(dtype))[0] / 2, {}, dtype)) * 2;
}

Array dirichlet(const In& key, const In& alpha, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  if (alpha.array.ndim() < 1)
    raise<ValueError>("random::dirichlet", "alpha is " + type_text(alpha.array), "It has the shape [..., n].");
  Shape whole = shape.value_or(Shape());
  whole.push_back(alpha.array.shape(-1));
  const Array a =
      parameters("random::dirichlet", {alpha.array}, shape ? std::optional(whole) : std::nullopt, canonical(dtype))[0];
  return nn::softmax(draws(key.array, a, true), -1);
}

Array f(const In& key, const Operand& dfnum, const Operand& dfden, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const std::vector<Array> p = parameters("random::f", {dfnum.array, dfden.array}, shape, canonical(dtype));
  const auto [for_den, for_num] = split<2>(key.array);
  return chisquare(for_num, p[0], {}, dtype) / p[0] / (chisquare(for_den, p[1], {}, dtype) / p[1]);
}

Array t(const In& key, const Operand& df, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const Array half = parameters("random::t", {df.array}, shape, canonical(dtype))[0] / 2;
  const auto [for_normal, for_gamma] = split<2>(key.array);
  return normal(for_normal, half.shape(), dtype) * sqrt(half / gamma(for_gamma, half, {}, dtype));
}

Array generalized_normal(const In& key, double p, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  const auto [for_size, for_sign] = split<2>(key.array);
  const Array size = gamma(for_size, full({}, 1 / p, canonical(dtype)), shape, dtype);
  return rademacher(for_sign, shape, dtype) * power(size, 1 / p);
}

Array ball(const In& key, Dim d, double p, const Shape& shape, DType dtype) {
  CallScope scope(key.loc);
  const auto [for_direction, for_length] = split<2>(key.array);
  Shape whole = shape;
  whole.push_back(d);
  const Array g = generalized_normal(for_direction, p, whole, dtype), e = exponential(for_length, shape, dtype);
  return g / expand_dims(power(sum(power(abs(g), p), -1) + e, 1 / p), -1);
}

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
