// Data-parallel training in three modes with one step function: after a notebook with Flax and Optax.
//   jit_single: one device.   jit_multi: data cut over the devices, parameters everywhere, one compiled program; to be
//   preferred. pmap: data with a new leading dim, one copy of the parameters per device; the older way.
#include <fmt/format.h>

#include <iostream>
#include <tutti/tutti.hpp>

#include "options/command_line.hpp"

using namespace tutti;

namespace {

struct MLP {
  int n_layers, hidden_dim, output_dim;
  Array operator()(linen::Scope& s, Array x) const {
    for (int i = 0; i < n_layers; ++i) x = nn::relu(s.apply(fmt::format("layers_{}", i), linen::Dense{hidden_dim}, x));
    return s.apply("output_layer", linen::Dense{output_dim}, x);
  }
};
enum class Mode { jit_single, jit_multi, pmap };
struct Options {
  int batchsize = 256, input_dim = 128, hidden_dim = 256, n_layers = 8;
};

void train(Mode mode, const Options& o) {
  auto optimizer = optim::adam(1e-4);
  Array key = random::PRNGKey(0);
  Array batch_data = ones({o.batchsize, o.input_dim}, float32), label_data = ones({o.batchsize, 10}, int32);
  MLP model{o.n_layers, o.hidden_dim, 10};
  auto init_fn = [&](const Array& k, const Array& x) {
    return linen::TrainState::create(model, linen::init(model, k, x), optimizer);
  };
  auto initialized_state = init_fn(key, batch_data);

  auto train_step = [mode](const decltype(initialized_state)& state, const Array& x, const Array& y) {
    auto loss_fn = [&](const Dict& params) { return mean(square(state.apply(params, x) - y)); };
    auto [loss, grads] = value_and_grad(loss_fn)(state.params);
    if (mode == Mode::pmap) grads = lax::pmean(grads, "device");
    return std::pair{state.apply_gradients(grads), loss};
  };
  auto show = [&](const auto& compiled) {
    auto [state, loss] = compiled(initialized_state, batch_data, label_data);
    const Array& mu = state.opt_state.mu["params"]["layers_0"]["kernel"];
    std::cout << mu.shape() << "\n";
    if (mode == Mode::pmap) {  // element i lies on device i
      for (int i = 0; i < device_count(); ++i) debug::visualize_array_sharding(mu[i]);
      for (int i = 0; i < device_count(); ++i) debug::visualize_array_sharding(batch_data[i]);
    } else {
      debug::visualize_array_sharding(mu);
      debug::visualize_array_sharding(batch_data);
    }
    std::cout << timeit([&] { return compiled(initialized_state, batch_data, label_data); }, {.runs = 7, .loops = 1})
              << "\n";
  };

  if (mode == Mode::jit_single) {
    show(jit(train_step));
  } else if (mode == Mode::jit_multi) {
    Mesh mesh(devices(), "data");
    auto mesh_sharding = [&](const PartitionSpec& spec) { return NamedSharding(mesh, spec); };
    batch_data = device_put(batch_data, mesh_sharding(P("data")));
    label_data = device_put(label_data, mesh_sharding(P("data")));
    initialized_state = device_put(initialized_state, mesh_sharding(P()));  // a copy on every device
    show(jit(train_step));
  } else {
    int n = device_count();
    initialized_state = linen::replicate(initialized_state);
    batch_data = batch_data.reshape(n, o.batchsize / n, o.input_dim);
    label_data = label_data.reshape(n, o.batchsize / n, 10);
    show(pmap(train_step, {.axis_name = "device", .in_axes = {0, 0, 0}}));
  }
}

}  // namespace

int main(int argc, char** argv) {
  tutti::distributed::initialize();
  CommandLine line("Data-parallel training in three modes");
  std::string scale = "small", which = "all";
  line.add("--scale", scale,
           "small: seconds on two cores; full: the notebook's model, 90 layers of 2056 (many minutes)")
      .one_of({"small", "full"});
  line.add("--mode", which, "all, or one of the three").one_of({"all", "jit_single", "jit_multi", "pmap"});
  if (const auto code = line.parse_or_exit_code(argc, argv)) return *code;
  Options o;
  if (scale == "full") o = {.batchsize = 256 * 27, .input_dim = 1024, .hidden_dim = 2056, .n_layers = 90};

  set_cpu_devices(2);
  config::threefry_partitionable(false);  // the layout of random numbers when the notebook was written
  std::cout << "devices: " << devices() << "\n";
  for (auto [name, mode] :
       {std::pair{"jit_single", Mode::jit_single}, {"jit_multi", Mode::jit_multi}, {"pmap", Mode::pmap}}) {
    if (which != "all" && which != name) continue;
    std::cout << "\n# " << name << "\n";
    train(mode, o);
  }
}

// SPDX-License-Identifier: Apache-2.0
