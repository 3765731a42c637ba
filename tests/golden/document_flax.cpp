// S4: data-parallel training in three modes, with named parameters.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <optional>

#include "golden/document_steps.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;

struct MLP {
  int n_layers, hidden_dim, output_dim;
  Array operator()(linen::Scope& s, Array x) const {
    for (int i = 0; i < n_layers; ++i) x = nn::relu(s.apply(fmt::format("layers_{}", i), linen::Dense{hidden_dim}, x));
    return s.apply("output_layer", linen::Dense{output_dim}, x);
  }
  bool operator==(const MLP&) const = default;
};
using State = decltype(linen::TrainState::create(MLP{}, Dict(), optim::adam(1e-4)));

void flat(const Dict& d, const std::string& path, std::map<std::string, Array>& out) {
  if (d.is_array())
    out[path] = d;
  else
    for (const auto& [key, value] : d) flat(value, path.empty() ? key : path + "/" + key, out);
}
std::map<std::string, Array> flat(const Dict& d) {
  std::map<std::string, Array> out;
  flat(d, "", out);
  return out;
}

class Flax final : public Document {
 public:
  StepResult step(const std::string& what, const json& test) override {
    const json values = test.value("values", json::object());
    if (what == "devices") {
      std::cout << "JAX devices: " << devices() << "\n";
      return StepResult{};
    }
    if (auto m = match(what, R"(model\.init\(PRNGKey\((\d+)\), ones\): parameters)"); !m.empty())
      return init(std::stoi(m[1]), test.at("scale"));
    if (what == "order of the parameter tree") {
      json paths = json::array();
      for (const auto& [path, leaf] : tree::leaves_with_path(start_->params)) {
        std::string text;
        for (const auto& key : path.keys()) text += (text.empty() ? "" : "/") + key.name;
        paths.push_back(text);
      }
      return {{{"paths", paths}}, {}};
    }
    if (what.starts_with("model.apply of the initial parameters"))
      return {{{"y", json_of(linen::apply(model_, start_->params, x0_[slice(1)]))}}, {}};
    if (what == "pmap: replicated state") {
      State r = linen::replicate(*start_);
      return {{}, {{"step", r.step}, {"layers_0/kernel", r.params["params"]["layers_0"]["kernel"]}}};
    }
    if (auto m = match(what, R"((\w+), (ones|varied) batch: loss of 5 steps;.*)"); !m.empty())
      return train(m[1], m[2], values);
    if (auto m = match(what, R"((\w+), (ones|varied) batch: parameters after 5 steps)"); !m.empty()) {
      StepResult out;
      for (const auto& [name, x] : flat(last_.at(m[1] + m[2]).params)) out.values[name] = json_of(x);
      return out;
    }
    if (what.ends_with("mu['params']['layers_0']['kernel'].shape")) {
      std::cout << mu_.shape() << "\n";
      return StepResult{};
    }
    if (what.ends_with("pictures of mu and batch_data")) {
      show(mu_);
      show(batch_);
      return StepResult{};
    }
    if (what.starts_with("largest difference of the parameters")) return differences(values);
    throw Unknown("step " + what);
  }

  bool instead(const std::string& what, const json& test) override {
    if (what.starts_with("jit_multi: mesh_sharding(())")) {
      expect_jax_refuses(test, "AttributeError");
      expect_that(NamedSharding(Mesh(devices(), "data"), {}) == NamedSharding(Mesh(devices(), "data"), P()),
                  "the braces are another spec");
      return true;
    }
    if (what.starts_with("pmap: pictures of mu[0]")) {
      Mesh both(devices(), "device");
      std::string theirs, batches;
      for (int i : {0, 1}) {
        Array one = mu_[i];
        expect_that(one.sharding() == SingleDeviceSharding(devices()[static_cast<std::size_t>(i)]) && !one.committed(),
                    "an element lies elsewhere: " + one.sharding().str());
        expect_that(
            one.to_vector<float>() == mu_.addressable_shards()[static_cast<std::size_t>(i)].data().to_vector<float>(),
            "an element has other values than its device");
        theirs += picture(one.shape(), NamedSharding(both, P()));
        batches += picture(batch_[i].shape(), batch_[i].sharding());
      }
      expect_that(test.at("printed") == theirs + batches,
                  "JAX's pictures are not those of copies on all devices:\n" + theirs + batches);
      return true;
    }
    return false;
  }

 private:
  static std::string picture(const Shape& shape, const Sharding& s) {
    std::string text = debug::sharding_text(shape, s);
    return text.ends_with("\n") ? text : text + "\n";
  }
  static void show(const Array& x) { debug::visualize_array_sharding(x); }

  StepResult init(int seed, const std::string& scale) {
    std::vector<std::string> m = match(
        scale,
        R"(batch \d+ -> (\d+), input \d+ -> (\d+), hidden \d+ -> (\d+), layers \d+ -> (\d+), outputs \d+ -> (\d+))");
    if (m.empty()) throw Unknown("scale " + scale);
    int rows = std::stoi(m[1]), inputs = std::stoi(m[2]), outputs = std::stoi(m[5]);
    model_ = MLP{std::stoi(m[4]), std::stoi(m[3]), outputs};
    x0_ = ones({rows, inputs}, float32);
    y0_ = ones({rows, outputs}, int32);
    start_.emplace(
        linen::TrainState::create(model_, linen::init(model_, random::PRNGKey(seed), x0_), optim::adam(1e-4)));
    StepResult out;
    for (const auto& [name, x] : flat(start_->params)) out.values[name] = json_of(x);
    return out;
  }

  StepResult train(const std::string& mode, const std::string& variant, const json& values) {
    bool mapped = mode == "pmap";
    auto train_step = [mapped](const State& state, const Array& x, const Array& y) {
      auto loss_fn = [&](const Dict& params) { return mean(square(state.apply(params, x) - y)); };
      auto [loss, grads] = value_and_grad(loss_fn)(state.params);
      if (mapped) grads = lax::pmean(grads, "device");
      return std::pair{state.apply_gradients(grads), loss};
    };
    StepResult out;
    if (values.contains("batch_data")) {
      varied_ = {array_of(values["batch_data"]), array_of(values["label_data"])};
      out.values["batch_data"] = values["batch_data"];
      out.values["label_data"] = values["label_data"];
    }
    auto [x, y] = variant == "ones" ? std::pair{x0_, y0_} : varied_;
    State state = *start_;
    std::function<std::pair<State, Array>(const State&, const Array&, const Array&)> compiled;
    if (mode == "jit_single") {
      compiled = [f = jit(train_step)](const State& s, const Array& a, const Array& b) { return f(s, a, b); };
    } else if (mode == "jit_multi") {
      Mesh mesh(devices(), "data");
      std::tie(x, y) = device_put(std::tuple{x, y}, NamedSharding(mesh, P("data")));
      state = device_put(state, NamedSharding(mesh, P()));
      compiled = [f = jit(train_step)](const State& s, const Array& a, const Array& b) { return f(s, a, b); };
    } else {
      int n = device_count();
      state = linen::replicate(state);
      x = x.reshape(n, x.shape()[0] / n, x.shape()[1]);
      y = y.reshape(n, y.shape()[0] / n, y.shape()[1]);
      compiled = [f = pmap(train_step, {.axis_name = "device", .in_axes = {0, 0, 0}})](
                     const State& s, const Array& a, const Array& b) { return f(s, a, b); };
    }
    json losses = json::array();
    Array loss;
    for (int i = 0; i < 5; ++i) {
      std::tie(state, loss) = compiled(state, x, y);
      losses.push_back(json_of(loss));
      if (i > 0) continue;
      const Dict& mu = state.opt_state.mu["params"]["layers_0"]["kernel"];
      out.placed["mu"] = mu;
      out.values["mu"] = json_of(mu);
      out.values["nu"] = json_of(state.opt_state.nu["params"]["layers_0"]["kernel"]);
      out.values["kernel"] = json_of(state.params["params"]["layers_0"]["kernel"]);
      out.values["output_bias"] = json_of(state.params["params"]["output_layer"]["bias"]);
      out.values["count"] = json_of(state.opt_state.count);
      out.values["step"] = json_of(state.step);
      if (variant == "ones") mu_ = mu;
    }
    last_.insert_or_assign(mode + variant, state);
    if (variant == "ones") batch_ = x;
    out.values["losses"] = losses;
    out.placed["loss"] = loss;
    out.placed["batch_data"] = x;
    return out;
  }

  // Rounding decides: it must be of JAX's size.
  StepResult differences(const json& values) {
    auto largest = [&](const char* mode, bool first) {
      std::map<std::string, Array> a = flat(last_.at("jit_singlevaried").params),
                                   b = flat(last_.at(std::string(mode) + "varied").params);
      double most = 0;
      for (const auto& [name, x] : a) {
        std::vector<float> p = x.to_vector<float>(), q = (first ? b.at(name)[0] : b.at(name)).to_vector<float>();
        for (std::size_t i = 0; i < p.size(); ++i) most = std::max(most, static_cast<double>(std::abs(p[i] - q[i])));
      }
      return most;
    };
    StepResult out;
    for (auto [name, mine] :
         {std::pair{"single_multi", largest("jit_multi", false)}, {"single_pmap", largest("pmap", true)}}) {
      double other = values.at(name);
      if (mine > std::max(2 * other, 1e-6))
        throw Mismatch(fmt::format("{}: the modes differ by {}, JAX's by {}", name, mine, other));
      out.values[name] = values.at(name);
    }
    return out;
  }

  MLP model_{};
  std::optional<State> start_;
  Array x0_, y0_, mu_, batch_;
  std::pair<Array, Array> varied_;
  std::map<std::string, State> last_;
};

}  // namespace

std::unique_ptr<Document> flax_document() { return std::make_unique<Flax>(); }

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
