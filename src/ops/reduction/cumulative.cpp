// Running products, extrema and logarithms of sums along one dim. Floats accumulate in float64 and are rounded where
// they are written. Source: jax.lax.cumprod, cummax, cummin, cumlogsumexp.
#include <cmath>

#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/rule_math.hpp"
#include "ops/elementwise/special.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/cumsum.hpp"
#include "tutti/lax/cumulative.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
enum class Running { prod, max, min, logsumexp };

// One step: what runs, and the next element.
template <Running running, class T> T joined(T so_far, T next) {
  if constexpr (running == Running::prod && std::integral<T>) {  // modulo 2^n
    return static_cast<T>(static_cast<std::uint64_t>(so_far) * static_cast<std::uint64_t>(next));
  } else if constexpr (running == Running::prod) {
    return so_far * next;
  } else if constexpr (running == Running::logsumexp) {
    const T high = std::max(so_far, next);
    if (std::isnan(so_far) || std::isnan(next)) return so_far + next;
    return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(so_far, next) - high));
  } else {
    const lane::Host<T> x{so_far}, y{next};
    return (running == Running::max ? lane::max(x, y) : lane::min(x, y)).v;
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
    using State = std::conditional_t<std::floating_point<Compute>, double, Compute>;
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

// A value that runs, and its tangent.
struct Dual {
  Array value, tangent;
};
Dual joined(Running running, const Dual& x, const Dual& y) {
  const V a{x.value}, b{y.value}, da{x.tangent}, db{y.tangent};
  switch (running) {
    case Running::prod: return {(a * b).a, (da * b + a * db).a};
    case Running::logsumexp: {
      const Array z = bind1(logaddexp, {}, {x.value, y.value});
      auto weight = [&](const V& v) {  // 1 at equal values, also infinite ones
        return choose(v == V{z}, full_like(v, 1), V{bind1(exp, {}, {(v - V{z}).a})});
      };
      return {z, (weight(a) * da + weight(b) * db).a};
    }
    default: {
      const Array z = running == Running::max ? lax::max(x.value, y.value) : lax::min(x.value, y.value);
      const V first = running == Running::max ? a > b : a < b;
      return {z, choose(a == b, (da + db) * 0.5, choose(first, da, db)).a};
    }
  }
}
Array part(const Array& x, int dim, std::int64_t from, std::int64_t to, std::int64_t step = 1) {
  Dims start(x.shape().size(), 0), limit = x.shape().dims(), strides(x.shape().size(), 1);
  start[dim] = from;
  limit[dim] = to;
  strides[dim] = step;
  return lax::slice(x, start, limit, strides);
}
Dual part(const Dual& x, int dim, std::int64_t from, std::int64_t to, std::int64_t step = 1) {
  return {part(x.value, dim, from, to, step), part(x.tangent, dim, from, to, step)};
}
// Elements of `even` and `odd` by turns.
Array interleaved(const Array& even, const Array& odd, int dim) {
  const std::int64_t n = even.shape()[dim] + odd.shape()[dim];
  std::vector<lax::PadDim> low(even.shape().size()), high(even.shape().size());
  low[dim].interior = high[dim].interior = 1;
  low[dim].high = n - (2 * even.shape()[dim] - 1);
  high[dim].low = 1;
  high[dim].high = n - 2 * odd.shape()[dim];
  const Array zero = literal(even.dtype(), 0);
  return lax::add(lax::pad(even, zero, low), lax::pad(odd, zero, high));
}
// By pairs: the results of the pairs are every second result, the others come of them by one more step.
Dual scanned(Running running, const Dual& x, int dim) {
  const std::int64_t n = x.value.shape()[dim];
  if (n < 2) return x;
  const Dual pairs = joined(running, part(x, dim, 0, n - 1, 2), part(x, dim, 1, n, 2));
  const Dual odd = scanned(running, pairs, dim);
  const Dual first = part(x, dim, 0, 1);
  if (n == 2) {
    return {lax::concatenate({first.value, odd.value}, dim), lax::concatenate({first.tangent, odd.tangent}, dim)};
  }
  const std::int64_t before = (n - 1) / 2;  // even places but the first
  const Dual rest = joined(running, part(odd, dim, 0, before), part(x, dim, 2, n, 2));
  auto whole = [&](const Array& head, const Array& tail, const Array& odds) {
    return interleaved(lax::concatenate({head, tail}, dim), odds, dim);
  };
  return {whole(first.value, rest.value, odd.value), whole(first.tangent, rest.tangent, odd.tangent)};
}

template <Running running, unsigned mask> Op home(const char* name) {
  std::vector<DType> samples{float32, bfloat16};
  if (running != Running::logsumexp) samples.push_back(int32);
  Op op = running_frame(name, mask, samples);
  op.eval = eval_cumulative<running, mask>;
  op.jvp = [](const Call& c, const Arrays& primals, const Arrays&, const Arrays& tangents) -> Arrays {
    const auto& p = c.get<Cumulative>();
    Dual x{primals[0], tangents[0]};
    const Dims along{p.axis};
    if (p.reverse) x = {lax::rev(x.value, along), lax::rev(x.tangent, along)};
    const Array t = scanned(running, x, p.axis).tangent;
    return {p.reverse ? lax::rev(t, along) : t};
  };
  return op;
}

}  // namespace

constinit const Home cumprod = [] { return home<Running::prod, takes_number>("cumprod"); };
constinit const Home cummax = [] { return home<Running::max, takes_real | takes_bool>("cummax"); };
constinit const Home cummin = [] { return home<Running::min, takes_real | takes_bool>("cummin"); };
constinit const Home cumlogsumexp = [] { return home<Running::logsumexp, takes_floating>("cumlogsumexp"); };

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
