// reduce_sum reduce_prod reduce_max reduce_min reduce_any reduce_all over sorted dims, which disappear. 16-bit floats
// accumulate in float32. Source: jax.lax.
#include <algorithm>
#include <limits>

#include "ops/elementwise/complex_order.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

bool contains(const std::vector<int>& axes, int d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); }

Shape reduced(const Shape& shape, const std::vector<int>& axes) {
  Shape out;
  for (int d = 0; d < shape.ndim(); ++d)
    if (!contains(axes, d)) out.push_back(shape[d]);
  return out;
}

template <unsigned mask> std::vector<Type> infer_reduction(const Call& c) {
  const Type& x = c.operands[0];
  const auto& axes = c.get<Reduction>().axes;
  pointwise_shape(c, mask);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] >= x.ndim() || (i && axes[i] <= axes[i - 1]))
      raise<ValueError>(c.op.name, "axes " + field::text(axes) + " of " + x.str(),
                        "Axes are different and from 0 to ndim - 1 here.");
  return {Type{x.dtype, reduced(x.shape, axes), false, {}}};
}

Factors reduction_factors(const Call& c, const std::vector<Type>&, Factors::Kind kind) {
  const auto& axes = c.get<Reduction>().axes;
  Factors f;
  f.operands.resize(1);
  f.results.resize(1);
  for (int d = 0; d < c.operands[0].ndim(); ++d) {
    bool gone = contains(axes, d);
    f.factors.push_back({c.operands[0].shape[d], gone ? kind : Factors::Kind::parallel});
    f.operands[0].push_back({d});
    if (!gone) f.results[0].push_back({d});
  }
  return f;
}

/// Walks the operand row-major; `place(k)` of element k is its index in the result.
template <class Fn> void for_each_element(const Shape& shape, const std::vector<int>& axes, Fn&& fn) {
  int n = shape.ndim();
  std::vector<std::int64_t> stride(static_cast<std::size_t>(n), 0), index(static_cast<std::size_t>(n), 0);
  std::int64_t s = 1, place = 0;
  for (int d = n - 1; d >= 0; --d)
    if (!contains(axes, d)) {
      stride[d] = s;
      s *= shape[d];
    }
  for (std::int64_t k = 0, total = shape.num_elements(); k < total; ++k) {
    fn(k, place);
    for (int d = n - 1; d >= 0; --d) {
      place += stride[d];
      if (++index[d] < shape[d]) break;
      place -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

template <unsigned mask, class Start, class Combine> decltype(Op::eval) eval_reduction(Start start, Combine combine) {
  return [=](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    with_storage<mask>(c.operands[0].dtype, [&]<class T>() {
      using A = typename Accumulator<typename Element<T>::Compute>::type;
      std::vector<lane::Host<A>> sums(static_cast<std::size_t>(out[0].size()),
                                      lane::Host<A>{start.template operator()<A>()});
      const T* x = in[0].as<const T>();
      for_each_element(in[0].type.shape, c.get<Reduction>().axes, [&](std::int64_t k, std::int64_t place) {
        sums[place] = combine(sums[place], lane::Host<A>{static_cast<A>(Element<T>::load(x[k]))});
      });
      T* y = out[0].as<T>();
      for (std::size_t i = 0; i < sums.size(); ++i)
        y[i] = Element<T>::store(static_cast<typename Element<T>::Compute>(sums[i].v));
    });
  };
}

template <unsigned mask, class Start, class Combine>
Op reduction(std::string name, Op::Reduce kind, Factors::Kind factor, Start start, Combine combine) {
  Op op;
  op.name = std::move(name);
  op.reduce = kind;
  if (!(mask & takes_inexact)) op.not_differentiable = "it takes no inexact numbers";
  op.own_weak = true;  // a reduction of a weak array is strong, as in JAX
  op.infer = infer_reduction<mask>;
  op.eval = eval_reduction<mask>(start, combine);
  op.factors = [factor](const Call& c, const std::vector<Type>& results) {
    return reduction_factors(c, results, factor);
  };
  op.batch = [](const Call& c, const Arrays& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    Reduction p = c.get<Reduction>();
    for (int& a : p.axes) ++a;
    return {{bind1(c.op, p, x)}, {true}};
  };
  for (DType d : {float32, bfloat16, float16, int32, uint8, bool_}) {
    if (!(mask & class_of(d))) continue;
    for (auto& [shape, axes] : std::vector<std::pair<Shape, std::vector<int>>>{{Shape{3, 4}, {0}},
                                                                               {Shape{3, 4}, {1}},
                                                                               {Shape{2, 3, 5}, {0, 2}},
                                                                               {Shape{7}, {0}},
                                                                               {Shape{4, 3}, {0, 1}},
                                                                               {Shape{}, {}},
                                                                               {Shape{2, 33}, {1}}}) {
      Sample s;
      s.params = Reduction{axes};
      s.operands = {Type{d, shape, false, {}}};
      s.differentiable = d == float32;
      op.samples.push_back(s);
    }
  }
  return op;
}

lax::Dims kept_dims(int ndim, const std::vector<int>& axes) {
  lax::Dims out;
  for (int d = 0; d < ndim; ++d)
    if (!contains(axes, d)) out.push_back(d);
  return out;
}

Arrays transpose_sum(const Call& c, const Arrays& ct, const Arrays&, const std::vector<bool>&) {
  if (!ct[0].has_value()) return {Array()};
  return {lax::broadcast_in_dim(ct[0], c.operands[0].shape, kept_dims(c.operands[0].ndim(), c.get<Reduction>().axes))};
}

// The mean of the tangents where the extremum is reached.
Arrays jvp_extremum(const Call& c, const Arrays& x, const Arrays& y, const Arrays& t) {
  if (!t[0].has_value()) return {Array()};
  const auto& axes = c.get<Reduction>().axes;
  lax::Dims dims(axes.begin(), axes.end());
  V reached = V{x[0]} == V{lax::broadcast_in_dim(y[0], x[0].shape(), kept_dims(x[0].ndim(), axes))};
  V here{lax::convert_element_type(reached.a, x[0].dtype())};
  return {(V{lax::reduce_sum((V{t[0]} * here).a, dims)} / V{lax::reduce_sum(here.a, dims)}).a};
}

// Two arrays that stand for one, of which a product is a pair again.
using Pair = std::pair<V, V>;

// The product of all elements along one dim: of `parts` parts of it, again and again, side by side.
template <class Times> Pair product_along(Pair x, int axis, std::int64_t parts, Times times) {
  auto part = [&](const V& v, std::int64_t from, std::int64_t to) {
    lax::Dims start(v.a.shape().size(), 0), limit = v.a.shape().dims();
    start[axis] = from;
    limit[axis] = to;
    return V{lax::slice(v.a, start, limit)};
  };
  auto pair = [&](std::int64_t from, std::int64_t to) {
    return Pair{part(x.first, from, to), part(x.second, from, to)};
  };
  for (std::int64_t n; (n = x.first.a.shape()[axis]) > 1;) {
    const std::int64_t k = std::min(parts, n), h = n / k;
    std::vector<Pair> all;
    for (std::int64_t i = 0; i < k; ++i) all.push_back(pair(i * h, (i + 1) * h));
    for (; all.size() > 1; all.resize((all.size() + 1) / 2))
      for (std::size_t i = 0; i < all.size(); i += 2)
        all[i / 2] = i + 1 < all.size() ? times(all[i], all[i + 1]) : all[i];
    if (k * h < n) {
      const Pair rest = pair(k * h, n);
      all[0] = {V{lax::concatenate({all[0].first.a, rest.first.a}, axis)},
                V{lax::concatenate({all[0].second.a, rest.second.a}, axis)}};
    }
    x = all[0];
  }
  return x;
}

// A product and its tangent: exact also where elements are 0, in all orders of derivatives.
Arrays jvp_prod(const Call& c, const Arrays& x, const Arrays& y, const Arrays& t) {
  if (!t[0].has_value()) return {Array()};
  if (x[0].size() == 0) return {full_like({y[0]}, 0).a};
  Pair p{{x[0]}, {t[0]}};
  for (int axis : c.get<Reduction>().axes)
    p = product_along(p, axis, 2, [](const Pair& a, const Pair& b) {
      return Pair{a.first * b.first, a.second * b.first + a.first * b.second};
    });
  return {lax::reshape(p.second.a, y[0].shape())};
}

// Of complex numbers, by their parts. A loop reads so many vectors as wholes.
Arrays prod_in_parts(const Call& c, const Arrays& parts) {
  constexpr std::int64_t kSideBySide = 8;
  const auto& axes = c.get<Reduction>().axes;
  const Shape shape = reduced(parts[0].shape(), axes);
  if (parts[0].size() == 0) {  // one, and no imaginary part
    const lax::Dims dims(axes.begin(), axes.end());
    return {lax::reduce_prod(parts[0], dims), lax::reduce_sum(parts[1], dims)};
  }
  Pair p{{parts[0]}, {parts[1]}};
  for (int axis : axes)
    p = product_along(p, axis, kSideBySide, [](const Pair& a, const Pair& b) {
      return Pair{a.first * b.first - a.second * b.second, a.first * b.second + a.second * b.first};
    });
  return {lax::reshape(p.first.a, shape), lax::reshape(p.second.a, shape)};
}

// -inf or the least integer; for the greatest, inf.
template <class A, int sign> A limit() {
  using L = std::numeric_limits<A>;
  if constexpr (is_complex_number<A>)
    return {limit<typename A::value_type, sign>(), limit<typename A::value_type, sign>()};
  else if constexpr (L::has_infinity)
    return sign < 0 ? -L::infinity() : L::infinity();
  else
    return sign < 0 ? L::lowest() : L::max();
}
constexpr auto zero = []<class A>() { return A(0); };
constexpr auto one = []<class A>() { return A(1); };
constexpr auto least = []<class A>() { return limit<A, -1>(); };
constexpr auto greatest = []<class A>() { return limit<A, 1>(); };

Op with_jvp(Op op, decltype(Op::jvp) jvp) {
  op.jvp = std::move(jvp);
  return op;
}

}  // namespace

using Kind = Factors::Kind;

constinit const Home reduce_sum = [] {
  Op op = reduction<takes_number>("reduce_sum", Op::Reduce::sum, Kind::sum, zero, [](auto x, auto y) { return x + y; });
  op.linear = {{0}};
  op.transpose = transpose_sum;
  op.in_parts = [](const Call& c, const Arrays& p) -> Arrays {
    const auto& axes = c.get<Reduction>().axes;
    const lax::Dims dims(axes.begin(), axes.end());
    return {lax::reduce_sum(p[0], dims), lax::reduce_sum(p[1], dims)};
  };
  return op;
};
constinit const Home reduce_prod = [] {
  Op op = with_jvp(reduction<takes_number>("reduce_prod", Op::Reduce::prod, Kind::replicated, one,
                                           [](auto x, auto y) { return x * y; }),
                   jvp_prod);
  op.in_parts = prod_in_parts;
  return op;
};
constinit const Home reduce_max = [] {
  return with_jvp(
      reduction<takes_number | takes_bool>("reduce_max", Op::Reduce::max, Kind::max, least, extremum_of<true>()),
      jvp_extremum);
};
constinit const Home reduce_min = [] {
  return with_jvp(
      reduction<takes_number | takes_bool>("reduce_min", Op::Reduce::min, Kind::min, greatest, extremum_of<false>()),
      jvp_extremum);
};
// Of bools, any is the maximum and all the minimum.
constinit const Home reduce_any = [] {
  return reduction<takes_bool>("reduce_any", Op::Reduce::any, Kind::max, zero, [](auto x, auto y) { return x | y; });
};
constinit const Home reduce_all = [] {
  return reduction<takes_bool>("reduce_all", Op::Reduce::all, Kind::min, one, [](auto x, auto y) { return x & y; });
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
