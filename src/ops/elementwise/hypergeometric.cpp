// hyp1f1 hyp2f1 owens_t kl_div. Source: jax.scipy.special, scipy.special.
#include "lane/hypergeometric.hpp"

#include <cmath>
#include <numbers>

#include "lane/lane_functions.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/hypergeometric.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/special.hpp"
#include "tutti/lax/gamma.hpp"

namespace tutti::ops {

/// The derivative by which parameter.
struct Slope {
  int parameter;
  friend bool operator==(const Slope&, const Slope&) = default;
};

namespace {

// An op of `arity` numbers that is called for each element: f(call, precision, numbers).
template <std::size_t arity, class F> Op by_element(const char* name, F f, Rules rules) {
  Op op = pointwise_frame(name, arity, takes_floating, std::move(rules));
  op.infer = [](const Call& c) -> std::vector<Type> {
    const Shape shape = pointwise_shape(c, takes_floating);
    check_equal_dtypes(c);
    return {Type{c.operands[0].dtype, shape, false, {}}};
  };
  op.eval = [f](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    with_storage<takes_floating>(c.operands[0].dtype, [&]<class T>() {
      const double within = std::is_same_v<T, double> ? 0x1p-52 : 0x1p-30;
      T* y = out[0].as<T>();
      for (std::int64_t i = 0; i < out[0].size(); ++i) {
        double x[arity];
        for (std::size_t k = 0; k < arity; ++k)
          x[k] = Element<T>::load(in[k].template as<const T>()[in[k].type.ndim() == 0 ? 0 : i]);
        y[i] = Element<T>::store(static_cast<typename Element<T>::Compute>(f(c, within, x)));
      }
    });
  };
  return op;
}
Array slope_of(const Op& op, int parameter, const std::vector<Array>& x) { return bind1(op, Slope{parameter}, x); }

// Of a function of parameters and of x, behind them, whose derivative is a ratio of parameters times the function of
// parameters that are larger by 1.
auto hypergeometric_jvp(const Home& slope, std::size_t above) {
  return [&slope, above](const Call& c, const std::vector<Array>& x, const std::vector<Array>&,
                         const std::vector<Array>& t) -> std::vector<Array> {
    Array sum;
    auto add = [&](const Array& part) { sum = sum.has_value() ? lax::add(sum, part) : part; };
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (!t[k].has_value()) continue;
      if (k + 1 < x.size()) {
        add(lax::mul(t[k], slope_of(slope, static_cast<int>(k), x)));
        continue;
      }
      std::vector<Array> next = x;
      V ratio{full_like(V{x[k]}, 1)};
      for (std::size_t i = 0; i < k; ++i) {
        ratio = i < above ? ratio * V{x[i]} : ratio / V{x[i]};
        next[i] = (V{x[i]} + 1.).a;
      }
      // 0 times an infinite one is a polynomial of degree 0.
      const V value{bind1(c.op, {}, next)}, none = ratio == 0.;
      add(lax::mul(t[k], choose(none, full_like(ratio, 0), ratio * value).a));
    }
    return {sum};
  };
}

constexpr double half_root = 0.70710678118654752440;
V times(const V& x, double c) { return x * c; }

}  // namespace

constinit const Home hyp1f1 = [] {
  Op op = by_element<3>(
      "hyp1f1", [](const Call&, double within, const double* x) { return lane::hyp1f1(x[0], x[1], x[2], within); },
      {.lo = 0.3, .hi = 2});
  op.jvp = hypergeometric_jvp(hyp1f1_slope, 1);
  return op;
};
constinit const Home hyp2f1 = [] {
  Op op = by_element<4>(
      "hyp2f1",
      [](const Call&, double within, const double* x) { return lane::hyp2f1(x[0], x[1], x[2], x[3], within); },
      {.lo = 0.3, .hi = 0.9});
  op.jvp = hypergeometric_jvp(hyp2f1_slope, 2);
  return op;
};
constinit const Home hyp1f1_slope = [] {
  Op op = by_element<3>("hyp1f1_slope",
                        [](const Call& c, double, const double* x) {
                          return lane::hyp1f1_slope(c.get<Slope>().parameter, x[0], x[1], x[2]);
                        },
                        {.not_differentiable = "the second derivative of hyp1f1 by a parameter is not implemented",
                         .lo = 0.3,
                         .hi = 2,
                         .smooth = false});
  for (Sample& s : op.samples) s.params = Slope{1};
  return op;
};
constinit const Home hyp2f1_slope = [] {
  Op op = by_element<4>("hyp2f1_slope",
                        [](const Call& c, double, const double* x) {
                          return lane::hyp2f1_slope(c.get<Slope>().parameter, x[0], x[1], x[2], x[3]);
                        },
                        {.not_differentiable = "the second derivative of hyp2f1 by a parameter is not implemented",
                         .lo = 0.3,
                         .hi = 0.9,
                         .smooth = false});
  for (Sample& s : op.samples) s.params = Slope{2};
  return op;
};
constinit const Home owens_t = [] {
  return binary_op<takes_floating>(
      "owens_t", [](auto h, auto a) { return lane::call(lane::lanes_owens_t, h, a); },
      {.dx =
           [](V h, V a, V) {
             const V bell = apply(exp, times(h * h, -0.5)), share = apply(erf, times(h * a, half_root));
             return times(bell * share, -1 / std::sqrt(8 * std::numbers::pi));
           },
       .dy =
           [](V h, V a, V) {
             const V wide = a * a + 1.;
             return times(apply(exp, times(h * h * wide, -0.5)) / wide, 0.5 / std::numbers::pi);
           }});
};
constinit const Home kl_div = [] {
  auto inside = [](const V& x, const V& y) { return V{lax::bitwise_and((x > 0.).a, (y > 0.).a)}; };
  return binary_op<takes_floating>("kl_div", [](auto x, auto y) { return lane::call(lane::lanes_kl_div, x, y); },
                                   {.dx =
                                        [inside](V x, V y, V) {
                                          const V both = inside(x, y), one = full_like(x, 1),
                                                  ratio = choose(both, x, one) / choose(both, y, one);
                                          return choose(both, apply(log, ratio), full_like(x, -1));
                                        },
                                    .dy =
                                        [inside](V x, V y, V) {
                                          const V both = inside(x, y), one = full_like(y, 1);
                                          return choose(both, 1. - choose(both, x, one) / choose(both, y, one), one);
                                        },
                                    .lo = 0.2});
};

}  // namespace tutti::ops

namespace tutti::lax {

Array hyp1f1(const In& a, const In& b, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::hyp1f1, {}, {a.array, b.array, x.array});
}
Array hyp2f1(const In& a, const In& b, const In& c, const In& x) {
  CallScope scope(a.loc);
  return bind1(ops::hyp2f1, {}, {a.array, b.array, c.array, x.array});
}
Array owens_t(const In& h, const In& a) {
  CallScope scope(h.loc);
  return bind1(ops::owens_t, {}, {h.array, a.array});
}
Array kl_div(const In& x, const In& y) {
  CallScope scope(x.loc);
  return bind1(ops::kl_div, {}, {x.array, y.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
