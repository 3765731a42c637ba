// Names of jax.scipy, jax.image, jax.experimental.ode and Optax: spectra, images, differential equations, L-BFGS.
#include <tutti/fft/cosine.hpp>
#include <tutti/image/image.hpp>
#include <tutti/optim/lbfgs.hpp>
#include <tutti/scipy/ndimage.hpp>
#include <tutti/scipy/ode.hpp>
#include <tutti/scipy/optimize.hpp>
#include <tutti/scipy/signal.hpp>
#include <tutti/special/multivariate.hpp>
#include <tutti/tutti.hpp>

#include <utility>

#include "case.hpp"

namespace bench {
namespace {

Array stft_of(const Array& x) { return signal::stft(x, {.nperseg = 512}).values; }
Array welch_of(const Array& x) { return signal::welch(x, {.nperseg = 1024}).values; }
Array there_and_back(const Array& x) {
  return signal::istft(signal::stft(x, {.nperseg = 512}).values, {.nperseg = 512}).values;
}
Array blurred(const Array& x) { return signal::convolve2d(x, ones({9, 9}) / 81, "same"); }
Array smaller(const Array& x) { return image::resize(x, {16, 128, 128, 3}, "cubic"); }
Array moved(const Array& x) {
  const std::vector<Array> at = meshgrid({linspace(0, 500, 512), linspace(5, 511, 512)}, {.indexing = "ij"});
  return ndimage::map_coordinates(x, {at[0] + sin(at[1]), at[1]}, 1, {.mode = "nearest"});
}
Array cosines_of(const Array& x) { return fft::dctn(x, {.norm = "ortho"}); }

// Lotka and Volterra's equations from many starts at once.
Array hunted(const Array& y0) {
  auto slope = [](const Array& y, const Array&) {
    const Array prey = y[0], hunters = y[1];
    return stack({prey * (1.1f - 0.4f * hunters), hunters * (0.1f * prey - 0.4f)});
  };
  return ode::odeint(slope, abs(y0) + 1, linspace(0, 10, 11), {.rtol = 1e-5, .atol = 1e-5});
}
// A layer of a neural differential equation, and the gradient by its weights.
Array flow_loss(const Array& w, const Array& y0) {
  auto slope = [](const Array& y, const Array&, const Array& w) { return tanh(matmul(y, w)); };
  return sum(square(ode::odeint(slope, y0, array({0.f, 1.f}), {.rtol = 1e-4, .atol = 1e-4}, w / 8)[1]));
}

// Ten steps of L-BFGS on a logistic regression.
Array regression(const Array& x) {
  const Array labels = x(all, 0) + 0.5f * x(all, 1) > 0;
  auto loss = [&](const Array& w) {
    const Array logits = matmul(x, w);
    return mean(nn::softplus(logits) - labels * logits) + 1e-3f * sum(square(w));
  };
  const auto opt = optim::lbfgs();
  using State = decltype(opt.init(Array()));
  const auto from_state = optim::value_and_grad_from_state(loss);
  const Array w0 = zeros({x.shape()[1]});
  auto step = [&](const Array&, const std::pair<Array, State>& now) {
    auto [value, grads] = from_state(now.first, now.second);
    auto [updates, next] = opt.update(grads, now.second, now.first, optim::Objective{value, grads, loss});
    return std::pair{optim::apply_updates(now.first, updates), next};
  };
  return lax::fori_loop(0, 10, step, std::pair{w0, opt.init(w0)}).first;
}
Array rosenbrock_minimum(const Array& x0) {
  auto f = [](const Array& x) {
    const Array head = x(slice(0, -1)), rest = x(slice(1, none));
    return sum(100 * square(rest - square(head)) + square(1 - head));
  };
  return optimize::minimize(f, 0.1f * x0, {.maxiter = 20}).x;
}
Array density(const Array& data, const Array& at) { return stats::gaussian_kde(data)(at); }

}  // namespace

std::vector<Case> scipy_cases() {
  return {compiled("stft_64x16k", stft_of, rows({64, 1 << 14})),
          compiled("welch_64x16k", welch_of, rows({64, 1 << 14})),
          compiled("stft_istft_1M", there_and_back, whole({1 << 20})),
          compiled("convolve2d_9x9_512", blurred, whole({512, 512})),
          compiled("resize_cubic_16x512_128", smaller, rows({16, 512, 512, 3})),
          compiled("map_coordinates_512", moved, whole({512, 512})),
          compiled("dctn_1024", cosines_of, whole({1024, 1024})),
          compiled("odeint_hunters_4096", hunted, whole({2, 4096})),
          compiled("odeint_grad_64", grad(flow_loss), whole({64, 64}), whole({256, 64})),
          compiled("lbfgs_logistic_4096x256", regression, whole({4096, 256})),
          compiled("minimize_rosenbrock_32", rosenbrock_minimum, whole({32})),
          compiled("kde_2x4096_1024", density, whole({2, 4096}), whole({2, 1024}))};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
