// Short training runs: data parallel with pmap, with a sharded batch, and a model over a 4x2 mesh.
#include "golden/nn_cases.hpp"

namespace golden {
namespace {

using namespace tutti;
using Layer = std::pair<Array, Array>;
using Params = std::vector<Layer>;

std::vector<Array> parts(const Array& x, int n) { return split(x, n); }

NnOutputs linear_pmap(const NnInputs& in, const json& p) {
  int n = p.at("devices");
  set_cpu_devices(n);
  auto [k0, k1] = random::split<2>(random::PRNGKey(p.at("seed").get<std::int64_t>()));
  Layer start{random::normal(k0), random::normal(k1)};
  auto loss = [](const Layer& w, const Array& x, const Array& y) { return mean(square(x * w.first + w.second - y)); };
  auto update = pmap(
      [=](const Layer& w, const Array& x, const Array& y) {
        auto [l, g] = value_and_grad(loss)(w, x, y);
        g = lax::pmean(g, "num_devices");
        return std::pair{tree::map([](const Array& a, const Array& b) { return a - 0.05 * b; }, w, g),
                         lax::pmean(l, "num_devices")};
      },
      {.axis_name = "num_devices"});
  Layer w = tree::map([&](const Array& v) { return stack(std::vector<Array>(static_cast<std::size_t>(n), v)); }, start);
  Array x = stack(parts(in.array(0), n)), y = stack(parts(in.array(1), n));
  std::vector<Array> losses;
  for (int i = 0; i < p.at("steps"); ++i) {
    auto [next, l] = update(w, x, y);
    w = next;
    losses.push_back(l[0]);
  }
  return {{"init[0]", start.first},
          {"init[1]", start.second},
          {"losses", stack(losses)},
          {"weight", w.first},
          {"bias", w.second}};
}

NnOutputs mlp_data_parallel(const NnInputs& in, const json& p) {
  set_cpu_devices(p.at("mesh")[0]);
  Mesh mesh({{"batch", p.at("mesh")[0].get<int>()}});
  NamedSharding data(mesh, P("batch")), everywhere(mesh, P());
  auto model = nn::MLP::init({.in_size = 4, .out_size = 4, .width_size = 32, .depth = 1},
                             random::PRNGKey(p.at("seed").get<std::int64_t>()));
  auto opt = optim::adam(3e-4);
  auto state = opt.init(model);
  std::tie(model, state) = shard(std::tuple{model, state}, everywhere);
  auto [x, y] = shard(std::pair{in.array(0), in.array(1)}, data);
  auto loss = [](const nn::MLP& m, const Array& x, const Array& y) { return mean(square(y - vmap(m)(x))); };
  auto step = jit([&](nn::MLP model, optim::AdamState<nn::MLP> state, Array x, Array y) {
    std::tie(model, state) = shard(std::tuple{model, state}, everywhere);
    std::tie(x, y) = shard(std::tuple{x, y}, data);
    auto [l, g] = value_and_grad(loss)(model, x, y);
    auto [updates, next] = opt.update(g, state);
    return std::tuple{shard(std::tuple{optim::apply_updates(model, updates), next}, everywhere), l};
  });
  std::vector<Array> losses;
  for (int i = 0; i < p.at("steps"); ++i) {
    auto [both, l] = step(model, state, x, y);
    std::tie(model, state) = both;
    losses.push_back(l);
  }
  NnOutputs out = leaves_below("model", model);
  out.emplace_back("losses", stack(losses));
  out.emplace_back("count", state.count);
  return out;
}

NnOutputs mlp_4x2(const NnInputs& in, const json& p) {
  std::vector<std::int64_t> shape = p.at("mesh");
  set_cpu_devices(static_cast<int>(shape[0] * shape[1]));
  Mesh mesh = make_mesh({shape[0], shape[1]}, {"batch", "model"});
  const int sizes[] = {8, 16, 16, 16, 4};
  auto keys = random::split(random::key(p.at("seed").get<std::int64_t>()), 4);
  Params params;
  for (int i = 0; i < 4; ++i) {
    auto [k1, k2] = random::split<2>(keys[static_cast<std::size_t>(i)]);
    params.push_back(
        {random::normal(k1, {sizes[i], sizes[i + 1]}) / sqrt(Array(sizes[i])), random::normal(k2, {sizes[i + 1]})});
  }
  params = device_put(
      params, mesh, {{"[1][0]", P(none, "model")}, {"[1][1]", P("model")}, {"[2][0]", P("model", none)}, {"**", P()}});
  Array x = device_put(in.array(0), NamedSharding(mesh, P("batch", none))),
        y = device_put(in.array(1), NamedSharding(mesh, P("batch", none)));
  auto loss = [](const Params& p, const Array& inputs, const Array& y) {
    Array x = inputs, o;
    for (const auto& [w, b] : p) {
      o = dot(x, w) + b;
      x = maximum(o, 0);
    }
    return mean(sum(square(o - y), -1));
  };
  auto gradient = jit(value_and_grad(loss));
  std::vector<Array> losses;
  for (int i = 0; i < p.at("steps"); ++i) {
    auto [l, g] = gradient(params, x, y);
    losses.push_back(l);
    params = tree::map([](const Array& w, const Array& d) { return w - d * 1e-2; }, params, g);
  }
  Shape shard = params[2].first.addressable_shards()[0].data().shape();
  std::vector<int> block(shard.begin(), shard.end());
  return {{"losses", stack(losses)},
          {"W2", params[1].first},
          {"b3", params[2].second},
          {"W3_shard_shape", array(block, {2})}};
}

NnOutputs train(const NnInputs& in, const json& p) {
  std::string program = p.at("program");
  if (program.starts_with("linear regression with pmap")) return linear_pmap(in, p);
  if (program.starts_with("MLP(4,4,32,1)")) return mlp_data_parallel(in, p);
  if (program.starts_with("sizes 8-16-16-16-4")) return mlp_4x2(in, p);
  throw Unknown("program " + program);
}
const NnFamily training_family({{"training", train}});

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
