// A program of a user.
#pragma once

#include <tutti/tutti.hpp>

int main() {
  using namespace tutti;
  try {
    const auto key = random::key(0);
    const auto [first, second] = random::split<2>(key);
    const nn::MLP net = nn::MLP::init({.in_size = 4, .out_size = 2, .width_size = 8, .depth = 2}, first);
    const Array x = random::normal(second, {3, 4});
    const auto loss = [](const nn::MLP& m, const Array& in) { return square(vmap(m)(in)).mean(); };
    const auto optimiser = optim::adam(1e-3);
    auto state = optimiser.init(net);
    const auto step = jit([=](const nn::MLP& m, const auto& s, const Array& in) {
      const auto [value, g] = value_and_grad(loss)(m, in);
      const auto [updates, next] = optimiser.update(g, s, m);
      return std::tuple{optim::apply_updates(m, updates), next, value};
    });
    const auto [updated, next, value] = step(net, state, x);
    const auto gradients = jit(grad<0>(loss))(updated, x);
    const auto hessian = jacfwd(jacrev([](const Array& y) { return sum(y * y * y); }))(ones({3}));
    const auto total = lax::scan(
        [](const Array& c, const Array& y) {
          return std::pair{c + y, c};
        },
        Array(0.f), ones({5}));
    const HostSpan<float, 2> seen = host_span<float, 2>(x);
    return std::isfinite(value.item<float>()) && seen(0, 0) < 1e9f && hessian.ndim() == 2 && total.first.ndim() == 0 &&
                   !tree::leaves(gradients).empty()
               ? 0
               : 1;
  } catch (const Error& e) {
    print_exception(e);
    return 2;
  }
}

// SPDX-License-Identifier: Apache-2.0
