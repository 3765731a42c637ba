// Running products, extrema and logarithms of sums along one dim. Floats accumulate in float64 and are rounded where
// they are written. Source: jax.lax.cumprod, cummax, cummin, cumlogsumexp.
#include <cmath>
#include <complex>
#include <limits>

#include "ops/elementwise/complex_order.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/rule_math.hpp"
#include "ops/elementwise/special.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/cumsum.hpp"
#include "ops/reduction/running_across.hpp"
#include "tutti/lax/associative_scan.hpp"
#include "tutti/lax/cumulative.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
enum class Running { prod, max, min, logsumexp };
template <class T> constexpr bool is_complex_number = false;
template <class T> constexpr bool is_complex_number<std::complex<T>> = true;

// One step: what runs, and the next element.
template <Running running, class T> T joined(T so_far, T next) {
  if constexpr (running == Running::prod && std::integral<T>) {  // modulo 2^n
    return static_cast<T>(static_cast<std::uint64_t>(so_far) * static_cast<std::uint64_t>(next));
  } else if constexpr (running == Running::prod) {
    return so_far * next;
  } else if constexpr (running == Running::logsumexp && is_complex_number<T>) {
    const T high = comes_first<true>(so_far, next) ? so_far : next, low = high == so_far ? next : so_far;
    if (low.real() == -std::numeric_limits<double>::infinity()) return high;
    const T sum = high + std::log(1. + std::exp(low - high));
    return {sum.real(), std::remainder(sum.imag(), 2 * M_PI)};  // the angle between -pi and pi
  } else if constexpr (running == Running::logsumexp) {
    const T high = std::max(so_far, next);
    if (std::isnan(so_far) || std::isnan(next)) return so_far + next;
    return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(so_far, next) - high));
  } else {
    const lane::Host<T> x{so_far}, y{next};
    return extremum_of<running == Running::max>()(x, y).v;
  }
}
template <Running running, unsigned mask>
void eval_cumulative(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Cumulative>();
  const Shape& shape = c.operands[0].shape;
  std::int64_t n = shape[p.axis], inner = 1;
  for (int d = p.axis + 1; d < shape.ndim(); ++d) inner *= shape[d];
  with_storage<mask>(c.operands[0].dtype, [&]<class T>() {
    using Compute = typename Element<T>::Compute;
    using Wide =
        std::conditional_t<is_complex_number<Compute> && running == Running::logsumexp, std::complex<double>, Compute>;
    using State = std::conditional_t<std::floating_point<Compute>, double, Wide>;
    const std::int64_t lines = n ? shape.num_elements() / n : 0;
    for (std::int64_t k = 0; k < lines; ++k) {
      const std::int64_t base = k / inner * n * inner + k % inner;
      State state{};
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t at = base + (p.reverse ? n - 1 - i : i) * inner;
        const State next = static_cast<State>(Element<T>::load(in[0].as<const T>()[at]));
        state = i ? joined<running>(state, next) : next;
        out[0].as<T>()[at] = Element<T>::store(static_cast<Compute>(state));
      }
    }
  });
}

// Up to a multiple of 2 pi in the angle.
Array complex_logaddexp(const Array& x, const Array& y) {
  const Array high = lax::max(x, y), low = lax::min(x, y);
  return lax::add(high, bind1(log1p, {}, {bind1(exp, {}, {lax::sub(low, high)})}));
}

// A value that runs, and its tangent.
struct Dual {
  Array value, tangent;
};
Dual joined(Running running, const Dual& x, const Dual& y) {
  const V a{x.value}, b{y.value}, da{x.tangent}, db{y.tangent};
  switch (running) {
    case Running::prod: return {(a * b).a, (da * b + a * db).a};
    case Running::logsumexp: {
      const Array z =
          x.value.dtype().is_complex() ? complex_logaddexp(x.value, y.value) : bind1(logaddexp, {}, {x.value, y.value});
      auto weight = [&](const V& v) {  // 1 at equal values, also infinite ones
        return choose(v == V{z}, full_like(v, 1), V{bind1(exp, {}, {(v - V{z}).a})});
      };
      return {z, (weight(a) * da + weight(b) * db).a};
    }
    default: {
      const Array z = running == Running::max ? lax::max(x.value, y.value) : lax::min(x.value, y.value);
      return {z, choose(a == b, (da + db) * 0.5, choose(a == V{z}, da, db)).a};
    }
  }
}

Array joined(Running running, const Array& x, const Array& y) {
  switch (running) {
    case Running::prod: return lax::mul(x, y);
    case Running::max: return lax::max(x, y);
    case Running::min: return lax::min(x, y);
    case Running::logsumexp: break;
  }
  if (!x.dtype().is_complex()) return bind1(logaddexp, {}, {x, y});
  // Two in a row, as the op itself has them.
  Dims dims = range(1, x.ndim() + 1), start(dims.size() + 1, 0), limit = with_front(2, x.shape()).dims();
  start[0] = 1;
  auto one = [&](const Array& a) { return lax::broadcast_in_dim(a, with_front(1, a.shape()), dims); };
  const Array both = bind1(cumlogsumexp, Cumulative{0, false}, {lax::concatenate({one(x), one(y)}, 0)});
  return lax::reshape(lax::slice(both, start, limit), x.shape());
}
Scalar neutral(Running running, DType dtype) {
  if (running == Running::prod) return Scalar(1);
  if (dtype.is_bool()) return Scalar(running == Running::min);
  const double infinity = std::numeric_limits<double>::infinity();
  return Scalar(running == Running::min ? infinity : -infinity);
}

template <Running running, unsigned mask> Op home(const char* name) {
  std::vector<DType> samples{float32, bfloat16};
  if (running != Running::logsumexp) samples.push_back(int32);
  Op op = running_frame(name, mask, samples);
  op.eval = eval_cumulative<running, mask>;
  op.across = running_across([](const Array& x, const Array& y) { return joined(running, x, y); },
                             [](DType dtype) { return neutral(running, dtype); });
  op.jvp = [](const Call& c, const Arrays& primals, const Arrays&, const Arrays& tangents) -> Arrays {
    const auto& p = c.get<Cumulative>();
    auto step = [](const Dual& x, const Dual& y) { return joined(running, x, y); };
    const Dual x{primals[0], tangents[0]};
    const V t{lax::associative_scan(step, x, {.reverse = p.reverse, .axis = p.axis}).tangent};
    return {(t + 0.0).a};  // JAX weaves its results by adding: there are no zeros below 0
  };
  return op;
}

}  // namespace

std::optional<Cumulative> running(const Eqn& e) {
  for (const Op* op : {&cumsum, &cumprod, &cummax, &cummin, &cumlogsumexp})
    if (e.op == op) return e.params.get<Cumulative>();
  return std::nullopt;
}

constinit const Home cumprod = [] { return home<Running::prod, takes_number>("cumprod"); };
constinit const Home cummax = [] { return home<Running::max, takes_number | takes_bool>("cummax"); };
constinit const Home cummin = [] { return home<Running::min, takes_number | takes_bool>("cummin"); };
constinit const Home cumlogsumexp = [] { return home<Running::logsumexp, takes_inexact>("cumlogsumexp"); };

}  // namespace tutti::ops

namespace tutti::lax {

namespace {
Array running(const Op& op, const In& x, int axis, bool reverse) {
  CallScope scope(x.loc, {"", op.name.c_str(), 0});
  return bind1(op, ops::Cumulative{axis, reverse}, {x.array});
}
}  // namespace
Array cumprod(const In& x, int axis, bool reverse) { return running(ops::cumprod, x, axis, reverse); }
Array cummax(const In& x, int axis, bool reverse) { return running(ops::cummax, x, axis, reverse); }
Array cummin(const In& x, int axis, bool reverse) { return running(ops::cummin, x, axis, reverse); }
Array cumlogsumexp(const In& x, int axis, bool reverse) { return running(ops::cumlogsumexp, x, axis, reverse); }

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
