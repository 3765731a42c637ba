#include <array>

#include "mlp_model.hpp"

namespace bench {
namespace {

Batch gradient(const Setup& s, const std::vector<int>& widths, int batch, bool split, DType dtype = float32) {
  const auto in_dtype = [=](const Array& a) { return a.astype(dtype); };
  Network network = tree::map(in_dtype, make_network(s, widths, split));
  auto [kx, ky] = random::split<2>(random::key(1));
  NamedSharding rows = s.at(split ? P("x") : P(axes("x", "y")));
  Array x = in_dtype(device_put(random::normal(kx, {batch, widths.front()}), rows));
  Array y = in_dtype(device_put(random::normal(ky, {batch, widths.back()}), rows));
  return repeat([=, step = jit(grad(squared_error))] { return step(network, x, y); });
}

Batch forward(const Setup& s) {
  Network network{{s.normal({512, 512}, P(none, "y")), s.normal({512}, P("y"))},
                  {s.normal({512, 512}, P("y", none)), s.normal({512}, P())}};
  return repeat([=, f = jit(predict), x = s.normal({256, 512}, P("x", none))] { return f(network, x); });
}

struct Trained {
  Network model;
  optim::AdamState<Network> state;
};

// One step of a small model on little data: nearly all of it is overhead.
Batch small_training_step(const Setup& s) {
  auto optimiser = optim::adam(3e-4);
  Network model = make_network(s, {4, 32, 4}, false);
  Trained now = device_put(Trained{model, optimiser.init(model)}, s.at(P()));
  Array x = device_put(linspace(-1, 1, 64).reshape(16, 4), s.at(P(axes("x", "y"), none)));
  Array y = sin(x);
  auto loss = [](const Network& m, const Array& in, const Array& out) {
    return square(vmap([&](const Array& one) { return predict(m, one); })(in) - out).mean();
  };
  auto step = jit([=](const Trained& t, const Array& in, const Array& out) {
    auto [value, gradient] = value_and_grad(loss)(t.model, in, out);
    auto [updates, state] = optimiser.update(gradient, t.state, t.model);
    return std::pair{Trained{optim::apply_updates(t.model, updates), state}, value};
  });
  return repeat([=]() mutable {
    auto [next, value] = step(now, x, y);
    now = std::move(next);
    return value;
  });
}

}  // namespace

std::vector<Case> mlp_cases() {
  std::vector<Case> cases;
  for (auto [width, batch] : {std::array{2048, 1024}, std::array{512, 256}, std::array{64, 64}}) {
    const int in = width == 64 ? 64 : 784;
    std::vector<int> widths{in, width, width, width, 10};
    for (bool split : {false, true}) {
      std::string name = std::string("mlp_grad_") + (split ? "tp" : "dp") + "_w" + std::to_string(width) + "_b" +
                         std::to_string(batch);
      cases.push_back({name, [=](const Setup& s) { return gradient(s, widths, batch, split); }});
    }
  }
  const std::vector<int> wide{784, 4096, 4096, 4096, 10}, middle{784, 512, 512, 512, 10};
  for (const auto& [name, dtype] :
       {std::pair{"mlp_grad_dp_w4096_b1024", float32}, {"mlp_grad_bf16_dp_w4096_b1024", bfloat16}})
    cases.push_back(by_name({name, [=](const Setup& s) { return gradient(s, wide, 1024, false, dtype); }}));
  cases.push_back(
      {"mlp_grad_bf16_dp_w512_b256", [=](const Setup& s) { return gradient(s, middle, 256, false, bfloat16); }});
  cases.push_back({"mlp_fwd_tp_w512_b256", forward});
  cases.push_back({"equinox_mlp_adam_step", small_training_step});
  return cases;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
