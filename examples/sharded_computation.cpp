// Introduction to sharded computation: three ways to compute in parallel, from automatic to manual. After the JAX page
// of that name.
#include <fmt/format.h>

#include <iostream>
#include <tutti/tutti.hpp>

#include "options/command_line.hpp"

using namespace tutti;

namespace {

void section(const char* title) { std::cout << "\n# " << title << "\n"; }

// Every array knows where it lies.
Array sharded_data(int rows, int columns) {
  section("Sharded data");
  std::cout << devices() << "\n";
  Array arr = arange(static_cast<double>(rows) * columns).reshape(rows, columns);
  std::cout << arr.devices() << "\n" << arr.sharding() << "\n";
  debug::visualize_array_sharding(arr);

  // Over a mesh of devices, whose axes have names, a spec says which axis cuts which dim.
  Mesh mesh(mesh_utils::create_device_mesh({2, 4}), {"x", "y"});
  NamedSharding sharding(mesh, P("x", "y"));
  std::cout << sharding << "\n";
  Array arr_sharded = device_put(arr, sharding);
  std::cout << arr_sharded << "\n";
  debug::visualize_array_sharding(arr_sharded);
  return arr_sharded;
}

void automatic(const Array& arr_sharded) {
  section("Automatic: jit");
  // Computation follows data: element by element each device works on what it has.
  auto f_elementwise = jit([](const Array& x) { return 2 * sin(x) + 1; });
  Array result = f_elementwise(arr_sharded);
  std::cout << "shardings match: " << (result.sharding() == arr_sharded.sharding() ? "True" : "False") << "\n";

  // A sum over the dim that lies along x: what is left is cut along y, and there are copies along x.
  auto f_contract = jit([](const Array& x) { return x.sum(0); });
  result = f_contract(arr_sharded);
  debug::visualize_array_sharding(result);
  std::cout << result << "\n";
}

void with_constraints(const Array& arr_sharded) {
  section("Half automatic: constraints");
  // The same sum, cut over all devices. The mesh inside has another shape, and the same devices in the same order.
  auto f_contract_2 = jit([](const Array& x) {
    Array out = x.sum(0);
    Mesh mesh(mesh_utils::create_device_mesh({8}), "x");
    return with_sharding_constraint(out, NamedSharding(mesh, P("x")));
  });
  Array result = f_contract_2(arr_sharded);
  debug::visualize_array_sharding(result);
  std::cout << result << "\n";
}

void manual(int n) {
  section("Manual: shard_map");
  // A function for one device's share; shard_map makes one for the whole array of it.
  Mesh mesh(devices(), "x");
  auto f_elementwise = jit([](const Array& x) { return 2 * sin(x) + 1; });
  auto f_elementwise_sharded = shard_map(f_elementwise, {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")});
  Array x = arange(n);
  std::cout << repr(f_elementwise_sharded(x)) << "\n";

  // The function sees the share only. It runs once, when it is recorded.
  std::cout << "global shape: x.shape=" << x.shape() << "\n";
  auto twice = [](const Array& x) {
    std::cout << "device local shape: x.shape=" << x.shape() << "\n";
    return x * 2;
  };
  shard_map(twice, {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")})(x);

  // So a sum is a sum of the share, and there are as many as devices ...
  auto local_sum = [](const Array& x) { return sum(x, all, true); };
  std::cout << repr(shard_map(local_sum, {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")})(x)) << "\n";
  // ... unless they are added up. That result is the same everywhere: no axis cuts it.
  auto whole_sum = [](const Array& x) { return lax::psum(x.sum(), "x"); };
  std::cout << repr(shard_map(whole_sum, {.mesh = mesh, .in_specs = P("x"), .out_specs = P()})(x)) << "\n";
}

void the_three_compared(int n) {
  section("The three ways compared");
  auto layer = jit(
      [](const Array& x, const Array& weights, const Array& bias) { return nn::sigmoid(matmul(x, weights) + bias); });
  data::HostRandom rng = data::default_rng(0);
  Array x = rng.normal({n}), weights = rng.normal({n, 4}), bias = rng.normal({4});
  std::cout << repr(layer(x, weights, bias)) << "\n";

  // Both operands cut along the dim that the product sums over: partial products, added up among the devices.
  Mesh mesh(devices(), "x");
  NamedSharding sharding(mesh, P("x"));
  Array x_sharded = device_put(x, sharding), weights_sharded = device_put(weights, sharding);
  std::cout << repr(layer(x_sharded, weights_sharded, bias)) << "\n";

  // Data that lie on one device, and constraints inside.
  auto layer_auto = jit([&](const Array& x, const Array& weights, const Array& bias) {
    return layer(with_sharding_constraint(x, sharding), with_sharding_constraint(weights, sharding), bias);
  });
  std::cout << repr(layer_auto(x, weights, bias)) << "\n";

  // By hand.
  auto layer_sharded =
      jit(shard_map([](const Array& x, const Array& weights,
                       const Array& bias) { return nn::sigmoid(lax::psum(matmul(x, weights), "x") + bias); },
                    {.mesh = mesh, .in_specs = {P("x"), P("x", none), P(none)}, .out_specs = P(none)}));
  std::cout << repr(layer_sharded(x, weights, bias)) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  tutti::distributed::initialize();
  CommandLine line("Introduction to sharded computation");
  std::string scale = "small";
  line.add("--scale", scale, "small and full are the same here: the page's arrays have 32 elements")
      .one_of({"small", "full"});
  if (const auto code = line.parse_or_exit_code(argc, argv)) return *code;

  set_cpu_devices(8);
  Array arr_sharded = sharded_data(4, 8);
  automatic(arr_sharded);
  with_constraints(arr_sharded);
  manual(32);
  the_three_compared(32);
}

// SPDX-License-Identifier: Apache-2.0
