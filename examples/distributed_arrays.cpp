// Distributed arrays and automatic parallelization: the tutorial of that name for JAX, step by step in C++.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <tutti/tutti.hpp>

#include "options/command_line.hpp"

using namespace tutti;

namespace {

// How often a timed call runs: as in the tutorial; less with its sizes, where one call may take minutes.
TimeitOptions timing{.runs = 5, .loops = 5};

void section(const char* title) { std::cout << "\n# " << title << "\n"; }

// A neural network: layers of weights and biases, ReLU between them.
using Layer = std::pair<Array, Array>;
using Params = std::vector<Layer>;
using Batch = std::pair<Array, Array>;

Array predict(const Params& params, Array inputs) {
  Array outputs;
  for (const auto& [W, b] : params) {
    outputs = dot(inputs, W) + b;
    inputs = maximum(outputs, 0);
  }
  return outputs;
}
Array loss(const Params& params, const Batch& batch) {
  const auto& [inputs, targets] = batch;
  return mean(sum(square(predict(params, inputs) - targets), -1));
}

Layer init_layer(const Array& key, int n_in, int n_out) {
  auto [k1, k2] = random::split<2>(key);
  return {random::normal(k1, {n_in, n_out}) / sqrt(n_in), random::normal(k2, {n_out})};
}
std::pair<Params, Batch> init_model(Array key, const std::vector<int>& sizes, int batch_size) {
  // The first key of a split goes on, the others are used up.
  std::vector<Array> keys = random::split(key, static_cast<int>(sizes.size()));
  Params params;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) params.push_back(init_layer(keys[i + 1], sizes[i], sizes[i + 1]));
  keys = random::split(keys[0], 3);
  return {params,
          {random::normal(keys[1], {batch_size, sizes.front()}), random::normal(keys[2], {batch_size, sizes.back()})}};
}

// Arrays of which each device has a part.
void sharding_basics(int n) {
  section("A first example");
  // A mesh gives the devices a shape and its axes names. Over it an array is laid out: dim 0 is cut along x, dim 1
  // along y.
  Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  Array x = random::normal(random::key(0), {n, n});
  Array y = device_put(x, NamedSharding(mesh, P("x", "y")));
  debug::visualize_array_sharding(y);

  // A computation on it takes place where the parts are, and so its result lies there as well.
  Array z = sin(y);
  debug::visualize_array_sharding(z);

  // On one host the devices share cores and memory, and tutti runs one program for all of them: both take the same time
  // here.
  std::cout << timeit([&] { return sin(x); }, timing) << "\n";
  std::cout << timeit([&] { return sin(y); }, timing) << "\n";

  section("Shardings");
  // An array that nobody placed lies on one device.
  debug::visualize_array_sharding(x);

  mesh = make_mesh({4, 2}, {"a", "b"});
  y = device_put(x, NamedSharding(mesh, P("a", "b")));
  debug::visualize_array_sharding(y);

  // A helper with a default mesh.
  Mesh default_mesh = mesh;
  auto mesh_sharding = [&](const PartitionSpec& spec, std::optional<Mesh> other = {}) {
    return NamedSharding(other.value_or(default_mesh), spec);
  };
  debug::visualize_array_sharding(device_put(x, mesh_sharding(P("a", "b"))));
  debug::visualize_array_sharding(device_put(x, mesh_sharding(P("b", "a"))));
  // `none`: that dim is whole. Along an axis that no dim names there are copies. Trailing `none`s can be left out.
  debug::visualize_array_sharding(device_put(x, mesh_sharding(P("a", none))));
  debug::visualize_array_sharding(device_put(x, mesh_sharding(P(none, "b"))));
  debug::visualize_array_sharding(device_put(x, mesh_sharding(P(none, "a"))));
  // One dim over two axes.
  debug::visualize_array_sharding(device_put(x, mesh_sharding(P(axes("a", "b"), none))));
}

void computation_follows_data(Array x) {
  section("Computation follows data");
  Mesh mesh = make_mesh({4, 2}, {"a", "b"});
  x = device_put(x, NamedSharding(mesh, P("a", "b")));
  std::cout << "input sharding:\n";
  debug::visualize_array_sharding(x);
  std::cout << "output sharding:\n";
  debug::visualize_array_sharding(sin(x));

  // Rows of one operand and columns of the other: every device has what its block of the product needs.
  Array y = device_put(x, NamedSharding(mesh, P("a", none))), z = device_put(x, NamedSharding(mesh, P(none, "b")));
  std::cout << "lhs sharding:\n";
  debug::visualize_array_sharding(y);
  std::cout << "rhs sharding:\n";
  debug::visualize_array_sharding(z);
  Array w = dot(y, z);
  std::cout << "out sharding:\n";
  debug::visualize_array_sharding(w);

  // The same on one device.
  Array x_single = device_put(x, devices()[0]);
  debug::visualize_array_sharding(x_single);
  std::cout << (allclose(dot(x_single, x_single), dot(y, z)).item<bool>() ? "True" : "False") << "\n";
  std::cout << timeit([&] { return dot(x_single, x_single); }, timing) << "\n";
  std::cout << timeit([&] { return dot(y, z); }, timing) << "\n";

  // A copy is laid out as its original.
  debug::visualize_array_sharding(w.copy());
}

void placements_that_disagree() {
  section("Placements that disagree");
  // device_put commits an array to its devices, and committed arrays are not moved: operands on other devices, or on
  // the same ones in another order, are an error.
  Array x = arange(24);
  std::vector<Device> all = devices(), permuted;
  for (int i : {0, 1, 2, 3, 6, 7, 4, 5}) permuted.push_back(all[i]);
  auto add = [&](const std::vector<Device>& first, const std::vector<Device>& second) {
    Array y = device_put(x, NamedSharding(Mesh(first, "x"), P("x"))),
          z = device_put(x, NamedSharding(Mesh(second, "x"), P("x")));
    try {
      y + z;
    } catch (const ValueError& e) {
      print_exception(e);
    }
  };
  add({all.begin(), all.begin() + 4}, {all.begin() + 4, all.end()});
  add(all, permuted);

  // What nobody placed is uncommitted, and goes where the others are.
  Array y = device_put(x, NamedSharding(Mesh({all.begin(), all.begin() + 4}, "x"), P("x")));
  y + ones_like(y);
  y + arange(static_cast<int>(y.size())).reshape(y.shape());
  std::cout << "no error!\n";
}

void constraints(int n) {
  section("Constraints inside jit");
  // Inside a compiled function a constraint says how a value is to be laid out; the layouts of the others follow from
  // it.
  Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  Array x = device_put(random::normal(random::key(0), {n, n}), NamedSharding(mesh, P("x", "y")));
  for (const PartitionSpec& spec : {P("y", "x"), P()}) {
    auto f = jit([&](const Array& x) {
      Array next = x + 1;
      return with_sharding_constraint(next, NamedSharding(mesh, spec));
    });
    debug::visualize_array_sharding(x);
    debug::visualize_array_sharding(f(x));
  }
}

void neural_network(const std::vector<int>& sizes, int batch_size, double step_size) {
  auto loss_jit = jit(loss);
  auto gradfun = jit(grad(loss));
  auto [params, batch] = init_model(random::key(0), sizes, batch_size);
  auto train = [&] {
    for (int i = 0; i < 30; ++i) {
      Params grads = gradfun(params, batch);
      params = tree::map([&](const Array& p, const Array& g) { return p - step_size * g; }, params, grads);
    }
  };

  section("8-way data parallelism");
  Mesh mesh = make_mesh({8}, "batch");
  batch = device_put(batch, NamedSharding(mesh, P("batch")));
  params = device_put(params, NamedSharding(mesh, P()));
  std::cout << repr(loss_jit(params, batch)) << "\n";
  train();
  std::cout << loss_jit(params, batch) << "\n";
  std::cout << timeit([&] { return gradfun(params, batch)[0].first; }, timing) << "\n";
  Batch batch_single = device_put(batch, devices()[0]);
  Params params_single = device_put(params, devices()[0]);
  std::cout << timeit([&] { return gradfun(params_single, batch_single)[0].first; }, timing) << "\n";

  section("4-way data parallelism and 2-way tensor parallelism");
  // Two of the weights are cut along `model`: the first by columns, the next by rows, so that what lies between them
  // stays cut.
  mesh = make_mesh({4, 2}, {"batch", "model"});
  batch = device_put(batch, NamedSharding(mesh, P("batch", none)));
  debug::visualize_array_sharding(batch.first);
  debug::visualize_array_sharding(batch.second);
  params = device_put(params, NamedSharding(mesh, P()));
  auto& [W2, b2] = params[1];
  W2 = device_put(W2, NamedSharding(mesh, P(none, "model")));
  b2 = device_put(b2, NamedSharding(mesh, P("model")));
  params[2].first = device_put(params[2].first, NamedSharding(mesh, P("model", none)));
  debug::visualize_array_sharding(params[1].first);
  debug::visualize_array_sharding(params[2].first);
  std::cout << loss_jit(params, batch) << "\n";
  train();
  std::cout << loss_jit(params, batch) << "\n";
  debug::visualize_array_sharding(params[1].first);
  debug::visualize_array_sharding(params[2].first);
  std::cout << timeit([&] { return gradfun(params, batch)[0].first; },
                      timing.runs == 5 ? TimeitOptions{.runs = 10, .loops = 10} : timing)
            << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  tutti::distributed::initialize();
  CommandLine line("Distributed arrays and automatic parallelization");
  std::string scale = "small";
  line.add("--scale", scale,
           "small: seconds on two cores; full: the tutorial's sizes (8192 x 8192, layers of 8192), an hour or more")
      .one_of({"small", "full"});
  if (const auto code = line.parse_or_exit_code(argc, argv)) return *code;
  bool full = scale == "full";
  int n = full ? 8192 : 512;
  if (full) timing = {.runs = 2, .loops = 1};

  set_cpu_devices(8);
  config::threefry_partitionable(false);  // the layout of random numbers when the tutorial was written
  if (device_count() < 8) throw DeviceError("eight devices are needed");
  sharding_basics(n);
  computation_follows_data(random::normal(random::key(0), {n, n}));
  placements_that_disagree();
  constraints(n);
  if (full)
    neural_network({784, 8192, 8192, 8192, 10}, 8192, 1e-5);
  else
    neural_network({784, 256, 256, 256, 10}, 256, 1e-3);
}

// SPDX-License-Identifier: Apache-2.0
