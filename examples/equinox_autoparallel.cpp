// Data parallelism with models that are structs: after Equinox' page on autoparallelism.
#include <fmt/format.h>

#include <iostream>
#include <tutti/tutti.hpp>

#include "options/command_line.hpp"

using namespace tutti;

namespace {

struct Options {
  int dataset_size = 64, channel_size = 4, hidden_size = 32, depth = 1, num_steps = 10,
      batch_size = 16;  // batches: a multiple of the devices
  double learning_rate = 3e-4;
};

// The loss of a batch. The model takes one example: vmap makes it take many.
Array compute_loss(const nn::MLP& model, const Array& x, const Array& y) { return mean(square(y - vmap(model)(x))); }

// Rows of the data set in random order, epoch after epoch; what does not fill a batch is left out.
class TrainBatches {
 public:
  TrainBatches(Array xs, Array ys, int batch) : xs_(std::move(xs)), ys_(std::move(ys)), batch_(batch) {}
  std::pair<Array, Array> next() {
    std::int64_t rows = xs_.shape()[0];
    if (at_ + batch_ > static_cast<std::int64_t>(order_.size())) {
      order_ = rng_.permutation(rows);
      at_ = 0;
    }
    std::vector<std::int32_t> mine(order_.begin() + at_, order_.begin() + at_ + batch_);
    at_ += batch_;
    Array index = array(mine, Shape{batch_});
    return {xs_[index], ys_[index]};
  }

 private:
  Array xs_, ys_;
  std::int64_t batch_, at_ = 0;
  std::vector<std::int64_t> order_;
  data::HostRandom rng_ = data::default_rng(1);
};

void train(const Options& o) {
  data::HostRandom rng = data::default_rng(0);
  Array xs = rng.normal({o.dataset_size, o.channel_size}), ys = sin(xs);
  auto model = nn::MLP::init(
      {.in_size = o.channel_size, .out_size = o.channel_size, .width_size = o.hidden_size, .depth = o.depth},
      random::PRNGKey(6789));
  auto optim = optim::adam(o.learning_rate);
  auto opt_state = optim.init(model);

  // Parameters are everywhere, data are cut. `shard` asserts that on the way in, and sees to it on the way out. All
  // arguments are donated: their memory is used again for the results, and they are gone after the call.
  auto train_step = jit(
      [&](nn::MLP model, decltype(opt_state) opt_state, Array x, Array y, const PositionalSharding& sharding) {
        PositionalSharding replicated = sharding.replicate();
        std::tie(model, opt_state) = shard(std::tuple{model, opt_state}, replicated);
        std::tie(x, y) = shard(std::tuple{x, y}, sharding);
        auto grads = grad(compute_loss)(model, x, y);
        auto [updates, next] = optim.update(grads, opt_state);
        model = optim::apply_updates(model, updates);
        return shard(std::pair{model, next}, replicated);
      },
      {.donate = Donate::all});

  // One column of devices: rows are dealt out, and dim 1 is whole.
  int num_devices = device_count();
  PositionalSharding sharding(mesh_utils::create_device_mesh({num_devices, 1}));
  model = shard(model, sharding.replicate());
  TrainBatches batches(xs, ys, o.batch_size);
  for (int step = 1; step <= o.num_steps; ++step) {
    auto [x, y] = shard(batches.next(), sharding);
    if (step == 1) debug::visualize_array_sharding(x);
    std::tie(model, opt_state) = train_step(model, opt_state, x, y, sharding);
  }
  debug::visualize_array_sharding(model.layers[0].weight);

  // Here the model is used again: it is not donated.
  auto evaluate = jit(
      [](nn::MLP model, Array x, Array y, const PositionalSharding& sharding) {
        model = shard(model, sharding.replicate());
        std::tie(x, y) = shard(std::tuple{x, y}, sharding);
        return compute_loss(model, x, y);
      },
      {.donate = Donate::all_except_first});
  double loss = 0;
  int num_batches = 0;
  for (auto [x, y] : data::batches(std::pair{xs, ys}, o.batch_size)) {
    loss += evaluate(model, x, y, sharding).item<float>();
    ++num_batches;
  }
  fmt::print("train loss={}\n", loss / num_batches);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::distributed::initialize();
  CommandLine line("Autoparallelism with struct models");
  std::string scale = "small";
  line.add("--scale", scale, "small and full are the same here: the page's own sizes run in a second")
      .one_of({"small", "full"});
  if (const auto code = line.parse_or_exit_code(argc, argv)) return *code;

  set_cpu_devices(8);
  config::threefry_partitionable(false);  // the layout of random numbers when the page was written
  train({});
}

// SPDX-License-Identifier: Apache-2.0
