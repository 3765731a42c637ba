// Flax's modules, and training with them.
#include <fmt/format.h>

#include "golden/nn_cases.hpp"

namespace golden {
namespace {

using namespace tutti;

Array prng_key_of(const json& p) { return random::PRNGKey(p.at("seed").get<std::int64_t>()); }

// A module with setup: a list of layers and one more, by name.
struct SetupMLP {
  int layers, width, out;
  Array operator()(linen::Scope& s, Array x) const {
    for (int i = 0; i < layers; ++i) x = nn::relu(s.apply(fmt::format("layers_{}", i), linen::Dense{width}, x));
    return s.apply("output_layer", linen::Dense{out}, x);
  }
};
SetupMLP setup_of(const json& p) { return {p.at("num_layers"), p.at("width"), p.at("out")}; }

struct Compact {
  Array operator()(linen::Scope& s, const Array& x) const {
    Array h = nn::relu(s.apply(linen::Dense{3}, x));
    return s.apply("head", linen::Dense{2}, s.apply(linen::LayerNorm{}, h));
  }
};

// {'variables': ..., 'y': ...}
template <class Model> NnOutputs variables_and_result(const Model& model, const NnInputs& in, const json& p) {
  Dict variables = linen::init(model, prng_key_of(p), in.array(0));
  NnOutputs out = leaves_below("variables", variables);
  out.emplace_back("y", linen::apply(model, variables, in.array(0)));
  return out;
}
// init_with_output: (y, variables)
template <class Model> NnOutputs with_output(const Model& model, const NnInputs& in, const json& p) {
  auto [y, variables] = linen::init_with_output(model, prng_key_of(p), in.array(0));
  NnOutputs out{{"[0]", y}};
  append(out, leaves_below("[1]", variables));
  return out;
}

NnOutputs flax_conv(const NnInputs& in, const json& p) {
  auto sizes = [&](const char* name) {
    return !p.contains(name)    ? nn::Sizes(1)
           : p[name].is_array() ? nn::Sizes(p[name].get<std::vector<std::int64_t>>())
                                : nn::Sizes(p[name].get<int>());
  };
  lax::Padding padding = "SAME";
  if (p.contains("padding"))
    padding = p["padding"].is_string() ? lax::Padding(p["padding"].get<std::string>())
                                       : lax::Padding(p["padding"].get<int>());
  return with_output(linen::Conv{.features = p.at("features"),
                                 .kernel_size = p.at("kernel_size").get<std::vector<std::int64_t>>(),
                                 .strides = sizes("strides"),
                                 .padding = padding,
                                 .kernel_dilation = sizes("kernel_dilation"),
                                 .feature_group_count = p.value("feature_group_count", 1),
                                 .use_bias = p.value("use_bias", true)},
                     in, p);
}
NnOutputs layer_norm(const NnInputs& in, const json& p) {
  return {
      {"", linen::init_with_output(linen::LayerNorm{.epsilon = p.value("epsilon", 1e-6)}, random::key(0), in.array(0))
               .first}};
}
NnOutputs flax_dropout(const NnInputs& in, const json& p) {
  return {{"", linen::apply(linen::Dropout{.rate = p.at("rate"), .deterministic = p.value("deterministic", false)},
                            Dict(), in.array(0))}};
}
NnOutputs replicate(const NnInputs& in, const json& p) {
  set_cpu_devices(p.at("devices"));
  std::vector<Device> all = devices();
  all.resize(p.at("devices"));
  Dict copies = linen::replicate(in.dict(0), all);
  for (const Array& x : tree::leaves(copies))
    if (x.addressable_shards().size() != p.at("devices").get<std::size_t>() ||
        x.addressable_shards()[0].data().shape()[0] != 1)
      throw Mismatch("replicate: not one copy per device");
  NnOutputs out = leaves_below("replicated", copies);
  append(out, leaves_below("back", linen::unreplicate(copies)));
  return out;
}
NnOutputs parameter_key(const NnInputs&, const json& p) {
  std::vector<std::string> path;
  int count = 0;
  for (const json& step : p.at("path"))
    if (step.is_string())
      path.push_back(step);
    else
      count = step;
  return {
      {"", random::key_data(linen::detail::fold_in_path(random::key(p.at("seed").get<std::int64_t>()), path, count))}};
}

NnOutputs train_state(const NnInputs& in, const json& p) {
  Array x = in.array(0), y = in.array(1);
  SetupMLP model = setup_of(p);
  std::string text = p.at("optimizer");
  AnyTransform tx = optimiser_of(*python::parse(text.starts_with("optax.") ? text : "optax." + text));
  auto state = linen::TrainState::create(model, linen::init(model, prng_key_of(p), x), tx);
  std::vector<Array> losses;
  for (int i = 0; i < p.at("steps"); ++i) {
    auto [loss, grads] =
        value_and_grad([&](const Dict& params) { return mean(square(state.apply(params, x) - y)); })(state.params);
    state = state.apply_gradients(grads);
    losses.push_back(loss);
  }
  NnOutputs out = leaves_below("params", state.params);
  append(out, leaves_below("", state.opt_state));
  out.emplace_back("losses", stack(losses));
  out.emplace_back("step", state.step);
  return out;
}

NnOutputs dense_form(const NnInputs& in, const json& p) {
  // Cases with bias and a float input record {'variables', 'y'}, the others (y, variables).
  linen::Dense m{.features = p.at("features"), .use_bias = p.value("use_bias", true)};
  bool first = !p.contains("use_bias") && in.array(0).dtype().is_floating();
  return first ? variables_and_result(m, in, p) : with_output(m, in, p);
}

const NnFamily flax_family({
    {"flax.linen.Dense", dense_form},
    {"flax module with setup",
     [](const NnInputs& in, const json& p) { return variables_and_result(setup_of(p), in, p); }},
    {"flax compact module", [](const NnInputs& in, const json& p) { return with_output(Compact{}, in, p); }},
    {"flax.linen.Embed",
     [](const NnInputs& in, const json& p) {
       return with_output(linen::Embed{p.at("num_embeddings"), p.at("features")}, in, p);
     }},
    {"flax.linen.Conv", flax_conv},
    {"flax.linen.LayerNorm", layer_norm},
    {"flax.linen.Dropout", flax_dropout},
    {"flax.jax_utils.replicate", replicate},
    {"flax parameter key", parameter_key},
    {"flax TrainState", train_state},
});

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
