// Parts with moments, one function each. In all of them: m is the running mean of gradients, v that of their squares.
#include "optim/stages.hpp"

namespace tutti::optim {
namespace {

Array over_root(const Array& m, const Array& v, double eps, double eps_root) {
  return m / (sqrt(eps_root == 0 ? v : v + eps_root) + eps);
}
// The mean as Nesterov's method sees it: one step ahead.
Array ahead(const Array& m, const Array& g, double b1, const Array& next, const Array& here) {
  return b1 * corrected(m, next) + (1 - b1) * corrected(g, here);
}

// Adam's step and its variants: `second` gives the next v and what stands under the root, `direction` puts both
// together.
struct Corrections {
  Array now, next, second;
};
Corrections corrections(const Leaves& l, double b1, double b2, bool nesterov) {
  Array count = detail::next_step(l.count);
  return {correction(b1, count), nesterov ? correction(b1, detail::next_step(count)) : Array(), correction(b2, count)};
}
Array first_moment(const Array& m, const Array& g, double b1, const Corrections& c) {
  return c.next.has_value() ? ahead(m, g, b1, c.next, c.now) : corrected(m, c.now);
}

}  // namespace

Transform<TraceState> trace(double decay, bool nesterov) {
  return {{zeros_start}, Stage::pure([=](Leaves& l) {
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array& t = l.state[0][i];
              t = g + decay * t;
              g = nesterov ? g + decay * t : t;
            });
          })};
}

Transform<EmaState> ema(double decay, bool debias) {
  return {{zeros_start}, Stage::pure([=](Leaves& l) {
            Array by = debias ? correction(decay, detail::next_step(l.count)) : Array();
            l.each([&](std::size_t i) {
              Array& e = l.state[0][i];
              e = moment(l.updates[i], e, decay);
              l.updates[i] = debias ? corrected(e, by) : e;
            });
          })};
}

Transform<AdamState> scale_by_adam(const AdamOptions& o) {
  return {{zeros_in(o.mu_dtype), moments_start()}, in_float32([=](Leaves& l) {
            Corrections c = corrections(l, o.b1, o.b2, o.nesterov);
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array m = moment(g, l.state[0][i], o.b1), v = moment(square(g), l.state[1][i], o.b2);
              g = over_root(first_moment(m, g, o.b1, c), corrected(v, c.second), o.eps, o.eps_root);
              l.state[1][i] = v.astype(l.state[1][i].dtype());
              l.state[0][i] = cast(m, o.mu_dtype);
            });
          })};
}

Transform<AmsgradState> scale_by_amsgrad(const AmsgradOptions& o) {
  return {{zeros_in(o.mu_dtype), moments_start(), moments_start()}, in_float32([=](Leaves& l) {
            Corrections c = corrections(l, o.b1, o.b2, false);
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array m = moment(g, l.state[0][i], o.b1), v = moment(square(g), l.state[1][i], o.b2);
              Array most = maximum(l.state[2][i], o.bias_correction_nu ? corrected(v, c.second) : v);
              g = over_root(o.bias_correction_mu ? corrected(m, c.now) : m, most, o.eps, o.eps_root);
              l.state[0][i] = cast(m, o.mu_dtype);
              l.state[1][i] = v;
              l.state[2][i] = most;
            });
          })};
}

Transform<AdamState> scale_by_adamax(double b1, double b2, double eps) {
  return {{moments_start(), moments_start()}, in_float32([=](Leaves& l) {
            Corrections c = corrections(l, b1, b2, false);
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &m = l.state[0][i], &u = l.state[1][i];
              m = moment(g, m, b1);
              u = maximum(abs(g) + eps, b2 * u);
              g = corrected(m, c.now) / u;
            });
          })};
}

Transform<AdamState> scale_by_belief(const BeliefOptions& o) {
  return {{moments_start(), moments_start()}, in_float32([=](Leaves& l) {
            Corrections c = corrections(l, o.b1, o.b2, o.nesterov);
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &m = l.state[0][i], &v = l.state[1][i];
              m = moment(g, m, o.b1);
              v = moment(square(g - m), v, o.b2) + o.eps_root;
              g = over_root(first_moment(m, g, o.b1, c), corrected(v, c.second), o.eps, 0);
            });
          })};
}

Transform<AdamState> scale_by_yogi(const YogiOptions& o) {
  return {{moments_start(o.initial_accumulator_value), moments_start(o.initial_accumulator_value)},
          in_float32([=](Leaves& l) {
            Corrections c = corrections(l, o.b1, o.b2, false);
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &m = l.state[0][i], &v = l.state[1][i];
              m = moment(g, m, o.b1);
              v = v - (1 - o.b2) * sign(v - square(g)) * square(g);
              g = over_root(corrected(m, c.now), corrected(v, c.second), o.eps, o.eps_root);
            });
          })};
}

Transform<AdamState> scale_by_radam(const RAdamOptions& o) {
  return {{moments_start(), moments_start()}, in_float32([=](Leaves& l) {
            Corrections c = corrections(l, o.b1, o.b2, o.nesterov);
            // The length of the approximated simple moving average, and the rectification of the variance.
            double inf = 2 / (1 - o.b2) - 1;
            Array decayed = 1 - c.second;
            Array rho = inf - 2 * detail::next_step(l.count) * decayed / c.second;
            Array r = sqrt((rho - 4) * (rho - 2) * inf / ((inf - 4) * (inf - 2) * rho));
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &m = l.state[0][i], &v = l.state[1][i];
              m = moment(g, m, o.b1);
              v = moment(square(g), v, o.b2);
              Array first = first_moment(m, g, o.b1, c);
              g = where(rho >= o.threshold,
                        over_root(r.astype(first.dtype()) * first, corrected(v, c.second), o.eps, o.eps_root), first);
            });
          })};
}

Transform<AdamState> scale_by_novograd(const NovogradOptions& o) {
  auto scalar = [](const Array& p) { return zeros({}, dtype_of_moments(p)); };
  return {{moments_start(), scalar}, in_float32([=](Leaves& l) {
            if (o.weight_decay != 0) l.needed_params("novograd with weight decay");
            Array first = l.count == 0;
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &m = l.state[0][i], &v = l.state[1][i];
              Array norm = sum(square(g)).astype(v.dtype());
              v = where(first, norm, moment(norm, v, o.b2));
              Array step = over_root(g, v, o.eps, o.eps_root);
              if (o.weight_decay != 0) step = step + o.weight_decay * l.params[i];
              m = where(first, step, o.b1 * m + step);
              g = m;
            });
          })};
}

Transform<AdanState> scale_by_adan(const AdanOptions& o) {
  return {{moments_start(), moments_start(), moments_start(), moments_start()}, in_float32([=](Leaves& l) {
            Array count = detail::next_step(l.count), first = l.count == 0;
            Array c1 = correction(o.b1, count), c2 = correction(o.b2, count), c3 = correction(o.b3, count);
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &m = l.state[0][i], &v = l.state[1][i], &n = l.state[2][i], &before = l.state[3][i];
              Array change = where(first, zeros_like(g), g - before);
              before = g;
              m = moment(g, m, o.b1);
              v = moment(change, v, o.b2);
              n = moment(square(g + (1 - o.b2) * change), n, o.b3);
              g = over_root(corrected(m, c1) + (1 - o.b2) * corrected(v, c2), corrected(n, c3), o.eps, o.eps_root);
            });
          })};
}

Transform<LionState> scale_by_lion(double b1, double b2, std::optional<DType> mu_dtype) {
  return {{zeros_in(mu_dtype)}, in_float32([=](Leaves& l) {
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array& m = l.state[0][i];
              Array step = sign(moment(g, m, b1));
              m = cast(moment(g, m, b2), mu_dtype);
              g = step;
            });
          })};
}

Transform<RssState> scale_by_rss(double initial_accumulator_value, double eps) {
  return {{moments_start(initial_accumulator_value)}, in_float32([=](Leaves& l) {
            l.each([&](std::size_t i) {
              Array& s = l.state[0][i];
              s = square(l.updates[i]) + s;
              l.updates[i] = where(s > 0, 1 / sqrt(s + eps), zeros_like(s)) * l.updates[i];
            });
          })};
}

namespace {
Array scaled_by_root(const Array& g, const Array& v, const RmsOptions& o) {
  return g * (1 / (o.eps_in_sqrt ? sqrt(v + o.eps) : sqrt(v) + o.eps));
}
}  // namespace

Transform<RmsState> scale_by_rms(const RmsOptions& o) {
  return {{moments_start(o.initial_scale)}, in_float32([=](Leaves& l) {
            Array by = o.bias_correction ? correction(o.decay, detail::next_step(l.count)) : Array();
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array& v = l.state[0][i];
              v = moment(square(g), v, o.decay);
              g = scaled_by_root(g, o.bias_correction ? corrected(v, by) : v, o);
            });
          })};
}

Transform<AdamState> scale_by_stddev(const RmsOptions& o) {
  return {{moments_start(), moments_start(o.initial_scale)}, in_float32([=](Leaves& l) {
            Array by = o.bias_correction ? correction(o.decay, detail::next_step(l.count)) : Array();
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &m = l.state[0][i], &v = l.state[1][i];
              m = moment(g, m, o.decay);
              v = moment(square(g), v, o.decay);
              g = scaled_by_root(g, o.bias_correction ? corrected(v, by) - square(corrected(m, by)) : v - square(m), o);
            });
          })};
}

Transform<AdadeltaState> scale_by_adadelta(double rho, double eps) {
  return {{moments_start(), moments_start()}, in_float32([=](Leaves& l) {
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &e_g = l.state[0][i], &e_x = l.state[1][i];
              e_g = moment(square(g), e_g, rho);
              g = sqrt(e_x + eps) / sqrt(e_g + eps) * g;
              e_x = moment(square(g), e_x, rho);
            });
          })};
}

Transform<RpropState> scale_by_rprop(double learning_rate, const RpropOptions& o) {
  return {{moments_start(learning_rate), moments_start()}, in_float32([=](Leaves& l) {
            l.each([&](std::size_t i) {
              Array& g = l.updates[i];
              Array &size = l.state[0][i], &before = l.state[1][i];
              Array agree = g * before;
              size = where(
                  agree == 0, size,
                  tutti::clip(size * where(agree > 0, o.eta_plus, o.eta_minus), o.min_step_size, o.max_step_size));
              Array next = where(agree < 0, zeros_like(g), size * sign(g));
              g = where(agree < 0, zeros_like(before), before);
              before = next;
            });
          })};
}

Transform<OptimisticState> scale_by_optimistic_gradient(double alpha, double beta) {
  return {{zeros_start}, Stage::pure([=](Leaves& l) {
            Array first = l.count == 0;
            l.each([&](std::size_t i) {
              Array& before = l.state[0][i];
              Array g = l.updates[i];
              l.updates[i] = (alpha + beta) * g - beta * where(first, g, before);
              before = g;
            });
          })};
}

}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
