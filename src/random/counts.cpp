// How often something happens: Poisson, binomial and multinomial numbers, by counting where few are expected, by
// rejection where many are.
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "random/parameters.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/special.hpp"
#include "tutti/numpy/movement.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/distributions.hpp"

namespace tutti::random {
namespace {

constexpr double kFew = 10;

struct Count {
  Array k, sum, key;
};
struct Trial {
  Array k, done, key;
};

Array unit(const Array& key, const Array& like) { return uniform(key, like.shape(), 0., 1., like.dtype()); }

// How many exponential waits fit in lam (Knuth).
Array poisson_by_counting(const Array& key, const Array& lam) {
  auto on = [&](const Count& c) { return any(c.sum > -lam); };
  auto step = [&](const Count& c) {
    const auto [next, now] = split<2>(c.key);
    return Count{where(c.sum > -lam, c.k + 1, c.k), c.sum + log(unit(now, lam)), next};
  };
  return lax::while_loop(on, step, Count{zeros_like(lam), zeros_like(lam), key}).k - 1;
}

// Numbers k that `propose` draws from two uniform ones until it accepted one for every element.
template <class Propose> Array by_rejection(const Array& key, const Array& like, Propose&& propose) {
  auto on = [](const Trial& t) { return any(~t.done); };
  auto again = [&](const Trial& t) {
    const auto [next, for_u, for_v] = split<3>(t.key);
    const auto [proposed, accepted] = propose(unit(for_u, like) - 0.5, unit(for_v, like));
    return Trial{where(accepted, proposed, t.k), t.done | accepted, next};
  };
  return lax::while_loop(on, again, Trial{full_like(like, -1), zeros_like(like, bool_), key}).k;
}

// Transformed rejection (Hoermann 1993, PTRS).
Array poisson_by_rejection(const Array& key, const Array& lam) {
  const Array log_lam = log(lam), b = 0.931 + 2.53 * sqrt(lam), a = -0.059 + 0.02483 * b;
  const Array inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  return by_rejection(key, lam, [&](const Array& u, const Array& v) {
    const Array us = 0.5 - abs(u), k = floor((2 * a / us + b) * u + lam + 0.43);
    const Array s = log(v * inverse_alpha / (a / (us * us) + b)), most = -lam + k * log_lam - lax::lgamma(k + 1);
    const Array squeezed = (us >= 0.07) & (v <= v_r), outside = (k < 0) | ((us < 0.013) & (v > us));
    return std::pair{k, squeezed | (~outside & (s <= most))};
  });
}

// How many successes come before more than `count` trials are over: the trials between two are geometric numbers.
Array binomial_by_counting(const Array& key, const Array& count, const Array& p) {
  const Array log_failure = log1p(-p);
  auto on = [&](const Count& c) { return any(c.sum <= count); };
  auto step = [&](const Count& c) {
    const auto [now, next] = split<2>(c.key);
    return Count{where(c.sum <= count, c.k + 1, c.k), c.sum + ceil(log(unit(now, p)) / log_failure), next};
  };
  return lax::while_loop(on, step, Count{zeros_like(p), zeros_like(p), key}).k - 1;
}

// log(k!) less Stirling's formula.
Array stirling_tail(const Array& k) {
  const Array table =
      array({0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
             0.0138761288230707, 0.0118967099454917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287})
          .astype(k.dtype());
  const Array near = clip(k, 0, 9), square = (near + 1) * (near + 1);
  const Array series = (1. / 12 - (1. / 360 - 1. / 1260 / square) / square) / (near + 1);
  return where(k <= 9, take(table, floor(near).astype(int32)), series);
}

// Transformed rejection (Hoermann 1993, BTRS).
Array binomial_by_rejection(const Array& key, const Array& count, const Array& p) {
  const Array deviation = sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * deviation;
  const Array a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5, v_r = 0.92 - 4.2 / b, r = p / (1 - p);
  const Array alpha = (2.83 + 5.1 / b) * deviation, m = floor((count + 1) * p);
  return by_rejection(key, p, [&](const Array& u, const Array& v) {
    const Array us = 0.5 - abs(u), k = floor((2 * a / us + b) * u + c);
    const Array s = log(v * alpha / (a / (us * us) + b));
    const Array most = (m + 0.5) * log((m + 1) / (r * (count - m + 1))) +
                       (count + 1) * log((count - m + 1) / (count - k + 1)) +
                       (k + 0.5) * log(r * (count - k + 1) / (k + 1)) + stirling_tail(m) + stirling_tail(count - m) -
                       stirling_tail(k) - stirling_tail(count - k);
    const Array squeezed = (us >= 0.07) & (v <= v_r), outside = (k < 0) | (k > count);
    return std::pair{k, squeezed | (~outside & (s <= most))};
  });
}

}  // namespace

Array poisson(const In& key, const Operand& lam, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const Array l = parameters("random::poisson", {lam.array}, shape, float32)[0];
  const Array few = isnan(l) | (l < kFew);
  const Array k =
      where(few, poisson_by_counting(key.array, where(few, l, 0)), poisson_by_rejection(key.array, where(few, 1e5, l)));
  // An infinite rate gives what no dtype exceeds; JAX gives 0.
  return where(l == 0, 0, where(l == INFINITY, INFINITY, k)).astype(canonical(dtype));
}

Array binomial(const In& key, const Operand& n, const Operand& p, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const DType real = p.array.dtype().is_floating() ? p.array.dtype() : canonical(float64);
  const std::vector<Array> given = parameters("random::binomial", {n.array, p.array}, shape, real);
  const Array &count = given[0], &chance = given[1], seldom = chance < 0.5, least = where(seldom, chance, 1 - chance);
  const Array no_count = isnan(count) | (count < 0), no_chance = isnan(least) | (least < 0);
  const Array q = where(no_chance, 0.01, least), few = no_count | (count * q <= kFew), whole = floor(count);
  Array k = where(few, binomial_by_counting(key.array, where(few, whole, 0), q),
                  binomial_by_rejection(key.array, where(few, 1e4, whole), where(few, 0.5, q)));
  k = k.astype(canonical(dtype));
  k = where(no_chance | no_count, NAN, where(isinf(count), INFINITY, k));
  return where(seldom | no_count | isnan(least) | isinf(count), k, whole.astype(k.dtype()) - k);
}

Array multinomial(const In& key, const Operand& n, const In& p, const std::optional<Shape>& shape, DType dtype) {
  CallScope scope(key.loc);
  const DType real = p.array.dtype().is_floating() ? p.array.dtype() : canonical(float64);
  if (p.array.ndim() < 1)
    raise<ValueError>("random::multinomial", "p is " + type_text(p.array), "It has the shape [..., outcomes].");
  const Array chances = parameters("random::multinomial", {p.array}, shape, real)[0];
  const Shape draws(std::vector<std::int64_t>(chances.shape().begin(), chances.shape().end() - 1));
  const Array count = parameters("random::multinomial", {n.array}, draws, real)[0];
  const Array by_outcome = moveaxis(chances, -1, 0), rest = lax::cumsum(by_outcome, 0, true);
  // Each outcome is a binomial number of what those before it left.
  auto step = [](const Array& left, const std::pair<Array, Array>& outcome) {
    const Array k = binomial(outcome.second, left, clip(outcome.first, 0, 1), {}, left.dtype());
    return std::pair{left - k, k};
  };
  const std::pair xs{by_outcome / where(rest == 0, 1, rest), split_array(key.array, {by_outcome.shape(0)})};
  return moveaxis(lax::scan(step, count, xs).second, 0, -1).astype(canonical(dtype));
}

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
