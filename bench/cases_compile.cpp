#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tuple>

#include "mlp_model.hpp"

namespace bench {
namespace {

Batch tiny_program(const Setup&) {
  return [a = ones({16})](std::int64_t) { jit([](const Array& v) { return v * 2 + 1 + 3; }).lower(a).compile(); };
}

Batch gradient_program(const Setup& s) {
  Network network(4, Dense{device_put(ones({64, 64}), s.at(P(none, "y"))), device_put(ones({64}), s.at(P("y")))});
  Array x = s.normal({64, 64}, P("x", none));
  return [=](std::int64_t) { jit(grad(squared_error)).lower(network, x, x).compile(); };
}

// A training step of a perceptron with that many layers, split over the mesh.
Batch training_program(const Setup& s, int layers) {
  Network network(layers, Dense{device_put(ones({64, 64}), s.at(P(none, "y"))), device_put(ones({64}), s.at(P("y")))});
  const auto optimiser = optim::adam(1e-3);
  const auto state = optimiser.init(network);
  const Array x = s.normal({64, 64}, P("x", none));
  auto step = [=](const Network& n, const optim::AdamState<Network>& now, const Array& in, const Array& out) {
    auto [value, gradient] = value_and_grad(squared_error)(n, in, out);
    auto [updates, next] = optimiser.update(gradient, now, n);
    return std::tuple{optim::apply_updates(n, updates), next, value};
  };
  return [=](std::int64_t) { jit(step, {.donate_argnums = {0, 1}}).lower(network, state, x, x).compile(); };
}

Batch first_sin(const Setup&) {
  return [](std::int64_t n) {
    for (; n > 0; --n)
      if (std::system("\"$(readlink /proc/$PPID/exe)\" --first-sin >/dev/null") != 0)
        throw std::runtime_error("the child process failed");
  };
}

}  // namespace

std::vector<Case> compile_cases() {
  std::vector<Case> cases{{"compile_mlp_grad_tp", gradient_program, true, true},
                          {"compile_tiny", tiny_program, true, true},
                          {"startup_first_sin", first_sin, true}};
  for (int layers : {4, 16, 64, 256})
    cases.push_back({"compile_layers_" + std::to_string(layers),
                     [layers](const Setup& s) { return training_program(s, layers); }, true, true});
  return cases;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
