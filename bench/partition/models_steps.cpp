// Optimiser steps.
#include <fmt/format.h>

#include "models.hpp"
#include "programs.hpp"
#include "text/model.hpp"

namespace bench {
namespace {

using Weights = std::vector<Array>;

Array squared_error(const Weights& w, const Array& x, const Array& t) {
  Array h = x;
  for (std::size_t i = 0; i < w.size(); ++i) h = matmul(i > 0 ? nn::relu(h) : h, w[i]);
  return mean(square(h - t));
}

template <class Rule> auto state_of(const Rule& rule, const Weights& weights) {
  return eval_shape([&](const Weights& w) { return rule.init(w); }, weights);
}

// The inputs of a step: the leaves of weights and state, then the batch.
template <class Rule>
ProgramPtr recorded_step(const Weights& weights, const Rule& rule, std::int64_t rows, std::int64_t columns) {
  const auto state = state_of(rule, weights);
  std::vector<Type> types;
  auto add = [&](const auto& tree) {
    for (const Array& x : tree::leaves(tree)) types.push_back({x.dtype(), x.shape(), false, {}});
    return types.size();
  };
  const std::size_t n = add(weights), end = add(state);
  for (int i = 0; i < 2; ++i) types.push_back({float32, {rows, columns}, false, {}});
  return recorded_program(types, [&](const Arrays& in) {
    const std::span<const Array> all_inputs(in);
    const Weights w = tree::rebuild(weights, all_inputs.subspan(0, n));
    const auto before = tree::rebuild(state, all_inputs.subspan(n, end - n));
    auto [updates, after] = rule.update(grad(squared_error)(w, in[end], in[end + 1]), before, w);
    Arrays results = tree::leaves(optim::apply_updates(w, updates));
    for (const Array& x : tree::leaves(after)) results.push_back(x);
    return results;
  });
}

template <class Rule> Model data_parallel(const std::string& name, const Rule& rule, double bytes) {
  const Mesh mesh = make_mesh({8}, {"x"});
  const Weights weights{ShapeDtypeStruct({512, 2048}), ShapeDtypeStruct({2048, 512})};
  Model out{name + ", data-parallel, x:8, everything replicated"};
  out.inputs.assign(2 + tree::leaves(state_of(rule, weights)).size(), NamedSharding(mesh, P()));
  out.outputs = out.inputs;
  out.inputs.insert(out.inputs.end(), 2, NamedSharding(mesh, P("x", none)));
  out.record = [weights, rule] { return recorded_step(weights, rule, 8192, 512); };
  out.bytes = bytes;
  return out;
}

}  // namespace

Model text_step(const MeshAxes& axes, double bytes) {
  using State = optim::AdamState<text::Model>;
  constexpr int batch = 512, context = 32;
  const Mesh mesh = mesh_of(axes);
  auto rule = [](const Array& rate) { return optim::adam([rate](const Array&) { return rate; }); };
  const text::Model model =
      eval_shape([](const Array& key) { return text::init_model(context, 24, 512, key); }, random::key(0));
  const State state = eval_shape([&](const text::Model& m) { return rule(array(0.0f)).init(m); }, model);

  Model out{fmt::format("step of train_text with Adam, {}x{}", axes.sizes[0], axes.sizes[1])};
  std::vector<Type> types;
  auto add = [&](const auto& tree) {
    for (const auto& [path, x] : tree::leaves_with_path(tree)) {
      types.push_back({x.dtype(), x.shape(), false, {}});
      const PartitionSpec spec = path.matches("**.layers[0].weight")   ? P(none, "model")
                                 : path.matches("**.layers[0].bias")   ? P("model")
                                 : path.matches("**.layers[1].weight") ? P("model", none)
                                                                       : P();
      out.inputs.push_back(NamedSharding(mesh, spec));
    }
    return types.size();
  };
  const std::size_t n = add(model), end = add(state);
  types.insert(types.end(),
               {{uint8, {batch, context}, false, {}}, {uint8, {batch}, false, {}}, {float32, {}, false, {}}});
  out.inputs.insert(out.inputs.end(), 2, NamedSharding(mesh, P("data")));
  out.inputs.push_back({});
  out.record = [=] {
    return recorded_program(types, [&](const Arrays& in) {
      const std::span<const Array> all_inputs(in);
      const text::Model m = tree::rebuild(model, all_inputs.subspan(0, n));
      const State before = tree::rebuild(state, all_inputs.subspan(n, end - n));
      auto [value, gradient] = value_and_grad(text::loss)(m, in[end], in[end + 1]);
      auto [updates, after] = rule(in[end + 2]).update(gradient, before, m);
      Arrays results = tree::leaves(optim::apply_updates(m, updates));
      for (const Array& x : tree::leaves(after)) results.push_back(x);
      results.push_back(value);
      return results;
    });
  };
  out.bytes = bytes;
  return out;
}

std::vector<Model> data_parallel_steps(double bytes) {
  return {data_parallel("SGD", optim::sgd(0.1), bytes), data_parallel("SGD with momentum", optim::sgd(0.1, 0.9), bytes),
          data_parallel("Adam", optim::adam(1e-3), bytes)};
}

Model mlp_on_four_axes(double seconds) {
  const Mesh mesh = make_mesh({2, 2, 2, 2}, {"a", "b", "c", "d"});
  const SpecEntry model = axes("c", "d");
  Weights weights;
  Model out{"MLP, 4 layers, SGD, 2x2x2x2"};
  for (int i = 0; i < 4; ++i) {
    weights.push_back(ShapeDtypeStruct({512, 512}));
    out.inputs.push_back(NamedSharding(mesh, i % 2 == 0 ? P(none, model) : P(model, none)));
  }
  const auto rule = optim::sgd(0.1);
  out.inputs.insert(out.inputs.end(), tree::leaves(state_of(rule, weights)).size(), NamedSharding(mesh, P()));
  out.outputs = out.inputs;
  out.inputs.insert(out.inputs.end(), 2, NamedSharding(mesh, P(axes("a", "b"), none)));
  out.record = [weights, rule] { return recorded_step(weights, rule, 1024, 512); };
  out.seconds = seconds;
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
