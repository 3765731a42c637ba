// Data parallelism with pmap: copies of a model on all devices, each with its share of the batch. After a blog post on
// pmap in JAX.
#include <fmt/format.h>

#include <iostream>
#include <tutti/tutti.hpp>

#include "options/command_line.hpp"

using namespace tutti;

namespace {

void section(const char* title) { std::cout << "\n# " << title << "\n"; }

Array linear_layer(const Array& x, const Array& w) { return dot(x, w); }

// Activations grow with the batch, parameters do not: where a model fits on one device but a useful batch does not, the
// batch is dealt out.
void one_layer(int n, int d) {
  constexpr int num_devices = 8;
  data::HostRandom rng = data::default_rng(0);

  section("One data point");
  Array x = rng.uniform({d}), w = rng.uniform({d});
  std::cout << linear_layer(x, w).shape() << "\n";  // (): a scalar

  section("Many points on one device: vmap");
  Array xs = rng.uniform({n, d}), ws = rng.uniform({d});
  Array out = vmap(linear_layer, {.in_axes = {0, none}})(xs, ws);
  std::cout << out.shape() << "\n";

  section("Many points on many devices: pmap");
  // One part of the points and one copy of the weights per device.
  Array x_parts = stack(split(xs, num_devices));
  Array w_parts = tree::map([](const Array& w) { return stack(std::vector<Array>(num_devices, w)); }, ws);
  Array parts = pmap(linear_layer)(x_parts, w_parts);
  std::cout << parts.shape() << "\n";
  // The copies need not be made by hand: `none` hands the same weights to all.
  parts = pmap(linear_layer, {.in_axes = {0, none}})(x_parts, ws);
  std::cout << parts.shape() << "\n";
  debug::visualize_array_sharding(parts);
  std::cout << "equal to vmap: " << (allclose(parts.reshape(-1), out).item<bool>() ? "True" : "False") << "\n";
}

struct Params {
  Array weight, bias;
};

Params init(const Array& rng) {
  auto [weight_key, bias_key] = random::split<2>(rng);
  return {random::normal(weight_key, {}), random::normal(bias_key, {})};
}
// Mean squared error of a line through the points.
Array loss_fn(const Params& params, const Array& xs, const Array& ys) {
  Array pred = params.weight * xs + params.bias;
  return mean(square(pred - ys));
}

void linear_regression(int n, int steps) {
  section("Data-parallel linear regression");
  constexpr double learning_rate = 0.005;
  int num_devices = device_count();
  // One step on one device. pmean averages the gradients over all devices, so that every copy makes the same step.
  auto update = pmap(
      [](const Params& params, const Array& xs, const Array& ys) {
        auto [loss, grads] = value_and_grad(loss_fn)(params, xs, ys);
        grads = lax::pmean(grads, "num_devices");
        loss = lax::pmean(loss, "num_devices");
        Params next =
            tree::map([](const Array& param, const Array& g) { return param - g * learning_rate; }, params, grads);
        return std::pair{next, loss};
      },
      {.axis_name = "num_devices"});

  // Points near y = 2x - 1.
  data::HostRandom rng = data::default_rng(1);
  Array xs = rng.normal({n, 1}), ys = 2 * xs - 1 + 0.5 * rng.normal({n, 1});
  Array x_parts = xs.reshape(num_devices, n / num_devices, 1), y_parts = ys.reshape(num_devices, n / num_devices, 1);
  Params params =
      tree::map([&](const Array& p) { return stack(std::vector<Array>(num_devices, p)); }, init(random::key(0)));
  Array loss;
  for (int step = 1; step <= steps; ++step) {
    std::tie(params, loss) = update(params, x_parts, y_parts);
    if (step == 1 || step % (steps / 5) == 0) fmt::print("step {:4}: loss {:.5f}\n", step, loss[0].item<float>());
  }
  // Every device has the same parameters; one copy is taken out.
  Params one = tree::map([](const Array& p) { return p[0]; }, params);
  std::cout << std::flush << "weight " << one.weight << ", bias " << one.bias << ", on each device: " << params.weight
            << "\n";

  // pmean belongs into a function that names the axis.
  try {
    lax::pmean(ones({3}), "num_devices");
  } catch (const NameError& e) {
    print_exception(e);
  }
}

}  // namespace

int main(int argc, char** argv) {
  tutti::distributed::initialize();
  CommandLine line("Data parallelism with pmap");
  std::string scale = "small";
  line.add("--scale", scale, "small, or full: a million points and 2000 steps").one_of({"small", "full"});
  if (const auto code = line.parse_or_exit_code(argc, argv)) return *code;
  bool full = scale == "full";

  set_cpu_devices(8);
  one_layer(16, 3);
  linear_regression(full ? 1 << 20 : 128, full ? 2000 : 500);
}

// SPDX-License-Identifier: Apache-2.0
