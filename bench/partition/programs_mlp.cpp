// A two-layer perceptron: forward, gradients, optimiser steps, microbatches, clipping.
#include "programs.hpp"
#include "tutti/optim/optim.hpp"
#include "tutti/transform/remat.hpp"

namespace bench {
namespace {

Arrays first_two(const Arrays& in) { return {in[0], in[1]}; }
Arrays added(const Arrays& a, const Arrays& b) { return {a[0] + b[0], a[1] + b[1]}; }
Arrays nothing_yet(const Arrays& in) { return {zeros_like(in[0]), zeros_like(in[1])}; }
Arrays gradients(const Arrays& weights, const Array& x, const Array& t) {
  return grad(mean_squared_error)(weights, x, t);
}

Arrays summed_over(const Arrays& in, const Array& batches) {
  auto size = [](const Arrays& w, const Array& x) { return mean(square(mlp({x, w[0], w[1]}))); };
  auto step = [&](const Arrays& sums, const Array& x) {
    return std::pair{added(sums, grad(size)(first_two(in), x)), Arrays{}};
  };
  return lax::scan(step, nothing_yet(in), batches).first;
}
Array batches_of(const Array& x) { return x.reshape({8, x.shape(0) / 8, -1}); }

}  // namespace

Array mlp(const Arrays& in) { return matmul(nn::relu(matmul(in[0], in[1])), in[2]); }
Array mlp_by_einsum(const Arrays& in) {
  return einsum("th,hd->td", {maximum(einsum("td,dh->th", {in[0], in[1]}), 0), in[2]});
}
Array mean_squared_error(const Arrays& weights, const Array& x, const Array& t) {
  return mean(square(mlp({x, weights[0], weights[1]}) - t));
}

Arrays mlp_value_and_gradients(const Arrays& in) {
  auto [loss, g] = value_and_grad(mean_squared_error)(first_two(in), in[2], in[3]);
  return {loss, g[0], g[1]};
}
Arrays mlp_value_and_gradients_by_tensordot(const Arrays& in) {
  auto error = [](const Arrays& w, const Array& x, const Array& t) {
    const Array off = tensordot(nn::relu(tensordot(x, w[0], 1)), w[1], 1) - t;
    return sum(off * off) / static_cast<float>(t.size());
  };
  auto [loss, g] = value_and_grad(error)(first_two(in), in[2], in[3]);
  return {loss, g[0], g[1]};
}
Arrays mlp_gradients(const Arrays& in) { return gradients(first_two(in), in[2], in[3]); }
Arrays mlp_gradients_by_hand(const Arrays& in) {
  const Array &w1 = in[0], &w2 = in[1], &x = in[2], &t = in[3];
  const Array before = matmul(x, w1), h = maximum(before, 0);
  const Array dy = (matmul(h, w2) - t) * (2.0f / static_cast<float>(t.size()));
  const Array dh = where(before > 0, matmul(dy, transpose(w2)), 0.0f);
  return {matmul(transpose(x), dh), matmul(transpose(h), dy)};
}
Arrays mlp_gradients_with_remat(const Arrays& in) {
  return grad(remat(mean_squared_error))(first_two(in), in[2], in[3]);
}

// Weights, first moments, second moments, x, t.
Arrays adam_step(const Arrays& in) {
  const Arrays g = gradients(first_two(in), in[6], in[7]);
  Arrays out, first, second;
  for (std::size_t i = 0; i < 2; ++i) {
    first.push_back(0.9 * in[2 + i] + 0.1 * g[i]);
    second.push_back(0.999 * in[4 + i] + 0.001 * g[i] * g[i]);
    out.push_back(in[i] - 1e-3 * first[i] / (sqrt(second[i]) + 1e-8));
  }
  out.insert(out.end(), first.begin(), first.end());
  out.insert(out.end(), second.begin(), second.end());
  return out;
}
Arrays adam_step_library(const Arrays& in) {
  const auto rule = optim::adam(1e-3);
  optim::AdamState<Arrays> state = rule.init(first_two(in));
  state.mu = {in[2], in[3]};
  state.nu = {in[4], in[5]};
  auto [updates, next] = rule.update(gradients(first_two(in), in[6], in[7]), state, first_two(in));
  const Arrays w = optim::apply_updates(first_two(in), updates);
  return {w[0], w[1], next.mu[0], next.mu[1], next.nu[0], next.nu[1]};
}

// Weights, then [8, rows, D] of x and of t.
Arrays microbatches(const Arrays& in) {
  auto step = [&](const Arrays& sums, const Arrays& batch) {
    return std::pair{added(sums, gradients(first_two(in), batch[0], batch[1])), Arrays{}};
  };
  return lax::scan(step, nothing_yet(in), Arrays{in[2], in[3]}).first;
}
Arrays microbatches_inside(const Arrays& in) {
  auto total = [&](const Arrays& w) {
    auto step = [&](const Array& sum, const Arrays& batch) {
      return std::pair{sum + mean_squared_error(w, batch[0], batch[1]), Arrays{}};
    };
    return lax::scan(step, array(0.0f), Arrays{in[2], in[3]}).first;
  };
  return grad(total)(first_two(in));
}
Arrays microbatches_counted(const Arrays& in) {
  return lax::fori_loop(
      0, 8,
      [&](const Array& i, const Arrays& sums) {
        return added(sums, gradients(first_two(in), take(in[2], i, 0), take(in[3], i, 0)));
      },
      nothing_yet(in));
}

Arrays batch_scan(const Arrays& in) { return summed_over(in, batches_of(in[2])); }
Arrays batch_scan_constrained(const Arrays& in) {
  return summed_over(in, constrained(batches_of(in[2]), P(none, "x", none)));
}

Arrays clip_by_norm(const Arrays& in) {
  Array squares = sum(in[0] * in[0]);
  for (std::size_t i = 1; i < in.size(); ++i) squares = squares + sum(in[i] * in[i]);
  const Array scale = minimum(1.0, 1.0 / sqrt(squares));
  return tree::map([&](const Array& g) { return g * scale; }, in);
}
Arrays clip_by_vdot(const Arrays& in) {
  Array squares = vdot(in[0], in[0]);
  for (std::size_t i = 1; i < in.size(); ++i) squares = squares + vdot(in[i], in[i]);
  const Array scale = minimum(1.0, 1.0 / sqrt(squares));
  return tree::map([&](const Array& g) { return g * scale; }, in);
}
Arrays clip_flat(const Arrays& in) {
  std::vector<Array> flat;
  for (const Array& g : in) flat.push_back(ravel(g));
  const Array all_of_them = concatenate(flat);
  const Array scale = minimum(1.0, 1.0 / sqrt(sum(square(all_of_them))));
  return tree::map([&](const Array& g) { return g * scale; }, in);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
