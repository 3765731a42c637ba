// S0: data parallelism with a struct model; everything but the model and its data is recorded host randomness.
#include <fmt/format.h>

#include <iostream>

#include "golden/document_steps.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;

Array compute_loss(const nn::MLP& model, const Array& x, const Array& y) { return mean(square(y - vmap(model)(x))); }

class Equinox final : public Document {
 public:
  StepResult step(const std::string& what, const json& test) override {
    const json& values = test.value("values", json::object());
    if (what.starts_with("dataset:")) return dataset(test);
    if (what.starts_with("model = ")) {
      model_ = nn::MLP::init({.in_size = hyper_["channel_size"].get<int>(),
                              .out_size = hyper_["channel_size"].get<int>(),
                              .width_size = hyper_["hidden_size"],
                              .depth = hyper_["depth"]},
                             random::PRNGKey(hyper_["key_seed"].get<int>()));
      first_model_ = model_;
      state_ = optim_.init(model_);
      return {layers(model_), {}};
    }
    if (what == "model applied to the first data row") return {{{"out", json_of(model_(xs_[0]))}}, {}};
    if (what.starts_with("optimizer state after init")) {
      json shapes = json::array();
      for (const Array& x : tree::leaves(state_.mu)) shapes.push_back(x.shape().dims());
      return {{{"count", json_of(state_.count)}, {"mu_shapes", shapes}}, {}};
    }
    if (what.starts_with("filter_shard(model, replicated)")) {
      model_ = shard(model_, replicated());
      return {{}, placed(model_)};
    }
    if (what.starts_with("first batch:")) return first_batch(values.at("rows"));
    if (what == "picture of x") return picture(x_);
    if (what.starts_with("after the first step")) return first_step();
    if (what == "the donated batch and model after the call") {
      // JAX keeps a donated batch when no result can take its memory.
      bool kept = values.at("x_deleted") == false && values.at("old_weight_deleted") == true &&
                  values.at("old_bias_deleted") == true;
      if (kept && old_x_.is_deleted() && old_.layers[0].weight.is_deleted() && old_.layers[0].bias.is_deleted())
        throw Different("a donated batch that no result can take");
      return {{{"x_deleted", old_x_.is_deleted()},
               {"old_weight_deleted", old_.layers[0].weight.is_deleted()},
               {"old_bias_deleted", old_.layers[0].bias.is_deleted()}},
              {}};
    }
    if (what == "use of the donated old weight") {
      std::cout << old_.layers[0].weight + 1;
      return {};
    }
    if (what.starts_with("training: rows of every batch")) return train(values.at("rows"));
    if (what == "parameters and adam count after training") {
      StepResult out{layers(model_), {}};
      out.values["count"] = json_of(state_.count);
      return out;
    }
    if (what.starts_with("picture of layers[0].weight")) return picture(model_.layers[0].weight);
    if (what == "evaluation over the ordered batches") return evaluate();
    if (what.starts_with("the same steps on one device")) return on_one_device();
    throw Unknown("step " + what);
  }

  bool instead(const std::string& what, const json& test) override {
    if (what.starts_with("jshard.PositionalSharding")) {
      expect_jax_refuses(test, "AttributeError");
      Sharding column = PositionalSharding(mesh_utils::create_device_mesh({8, 1}));
      expect_that(PositionalSharding(mesh_utils::create_device_mesh({8, 1})).shape() == Shape{8, 1}, "its shape");
      expect_that(column.is_equivalent_to(NamedSharding(make_mesh({8}, "batch"), P("batch")), 2), "its blocks");
      expect_that(
          PositionalSharding(mesh_utils::create_device_mesh({8, 1})).replicate().is_equivalent_to(replicated(), 2),
          "its copies");
      return true;
    }
    if (auto m = match(what, R"(batch of (\d+) rows.*)"); !m.empty()) {
      expect_jax_refuses(test, "IndivisibleError");
      std::int64_t rows = std::stoll(m[1]), width = xs_.shape(1), block = (rows + 7) / 8;
      expect_that(test["error"]["message"].get<std::string>().find("(full shape: " + Shape{rows, width}.str() + ",") !=
                      std::string::npos,
                  "JAX refuses another shape");
      Array taken = xs_[slice(rows)], x = shard(taken, data());
      expect_that(x.sharding() == data() && x.committed() && x.to_vector<float>() == taken.to_vector<float>(),
                  "its sharding or its values");
      std::vector<Shard> shards = x.addressable_shards();
      expect_that(shards.size() == 8, "its shards");
      for (std::int64_t i = 0; i < 8; ++i)
        expect_that(shards[static_cast<std::size_t>(i)].data().shape() ==
                        Shape{std::max<std::int64_t>(0, std::min(block, rows - i * block)), width},
                    "its blocks");
      return true;
    }
    if (what ==
        "filter_jit with an unknown donate option") {  // Donate is an enumeration: another value does not compile
      not_in_cpp("Donate is an enumeration")(test);
      return true;
    }
    return false;
  }

 private:
  Sharding data() const { return NamedSharding(make_mesh({8}, "batch"), P("batch")); }
  Sharding replicated() const { return NamedSharding(make_mesh({8}, "batch"), P()); }

  static std::map<std::string, Array> placed(const nn::MLP& m) {
    std::map<std::string, Array> out;
    for (std::size_t i = 0; i < m.layers.size(); ++i) {
      out[fmt::format("layers[{}].weight", i)] = m.layers[i].weight;
      out[fmt::format("layers[{}].bias", i)] = m.layers[i].bias;
    }
    return out;
  }
  static std::map<std::string, json> layers(const nn::MLP& m, const std::string& before = "") {
    std::map<std::string, json> out;
    for (const auto& [name, x] : placed(m)) out[before + name] = json_of(x);
    return out;
  }
  static StepResult picture(const Array& x) {
    debug::visualize_array_sharding(x);
    return {};
  }

  StepResult dataset(const json& test) {
    hyper_ = test.at("hyper");
    xs_ = array_of(test["values"].at("xs"));
    ys_ = array_of(test["values"].at("ys"));
    optim_ = optim::adam(hyper_["learning_rate"].get<double>());
    return {{{"xs", json_of(xs_)}, {"ys", json_of(sin(xs_))}}, {}};
  }
  // The rows of a batch, as the host draws them.
  std::pair<Array, Array> rows(const json& list) const {
    std::vector<std::int32_t> index = list;
    Array i = array(index, Shape{static_cast<std::int64_t>(index.size())});
    return {xs_[i], ys_[i]};
  }
  std::pair<Array, Array> batch(const json& list) const { return shard(rows(list), data()); }

  StepResult first_batch(const json& list) {
    std::tie(x_, y_) = batch(list);
    first_loss_ = compute_loss(model_, x_, y_).item<float>();
    StepResult out{layers(grad(compute_loss)(model_, x_, y_), "grad."), {{"x", x_}, {"y", y_}}};
    out.values["rows"] = list;
    out.values["loss"] = first_loss_;
    return out;
  }
  void one_step(const Array& x, const Array& y) {
    auto body = [this](nn::MLP model, State state, Array x, Array y, const Sharding& sharding) {
      std::tie(model, state) = shard(std::tuple{model, state}, replicated());
      std::tie(x, y) = shard(std::tuple{x, y}, sharding);
      auto grads = grad(compute_loss)(model, x, y);
      auto [updates, next] = optim_.update(grads, state);
      model = optim::apply_updates(model, updates);
      return shard(std::pair{model, next}, replicated());
    };
    if (!train_step_) {
      auto compiled = jit(body, {.donate = Donate::all});
      train_step_ = [=](const nn::MLP& m, const State& s, const Array& x, const Array& y, const Sharding& where) {
        return compiled(m, s, x, y, where);
      };
    }
    std::tie(model_, state_) = train_step_(model_, state_, x, y, data());
  }
  StepResult first_step() {
    old_ = model_;
    old_x_ = x_;
    one_step(x_, y_);
    StepResult out{layers(model_), placed(model_)};
    out.values["count"] = json_of(state_.count);
    std::vector<Array> mu = tree::leaves(state_.mu), nu = tree::leaves(state_.nu);
    for (std::size_t i = 0; i < mu.size(); ++i) {
      out.values[fmt::format("mu[{}]", i)] = json_of(mu[i]);
      out.values[fmt::format("nu[{}]", i)] = json_of(nu[i]);
    }
    return out;
  }
  StepResult train(const json& all) {
    all_rows_ = all;
    json losses = {first_loss_};
    for (std::size_t k = 1; k < all.size(); ++k) {
      auto [x, y] = batch(all[k]);
      losses.push_back(compute_loss(model_, x, y).item<float>());
      one_step(x, y);
    }
    return {{{"rows", all}, {"losses", losses}}, {}};
  }
  StepResult evaluate() {
    auto evaluate = jit(
        [this](nn::MLP model, Array x, Array y, const Sharding& sharding) {
          model = shard(model, replicated());
          std::tie(x, y) = shard(std::tuple{x, y}, sharding);
          return compute_loss(model, x, y);
        },
        {.donate = Donate::all_except_first});
    double loss = 0;
    json each = json::array();
    for (auto [x, y] : tutti::data::batches(std::pair{xs_, ys_}, hyper_["batch_size"].get<int>())) {
      double v = evaluate(model_, x, y, data()).item<float>();
      each.push_back(v);
      loss += v;
    }
    loss /= static_cast<double>(each.size());
    std::cout << fmt::format("train loss={}\n", loss);
    return {{{"batch_losses", each}, {"train_loss", loss}}, {}};
  }
  StepResult on_one_device() {
    nn::MLP model = nn::MLP::init({.in_size = hyper_["channel_size"].get<int>(),
                                   .out_size = hyper_["channel_size"].get<int>(),
                                   .width_size = hyper_["hidden_size"],
                                   .depth = hyper_["depth"]},
                                  random::PRNGKey(hyper_["key_seed"].get<int>()));
    State state = optim_.init(model);
    auto one = jit([this](const nn::MLP& m, const State& s, const Array& x, const Array& y) {
      auto [loss, grads] = value_and_grad(compute_loss)(m, x, y);
      auto [updates, next] = optim_.update(grads, s);
      return std::tuple{optim::apply_updates(m, updates), next, loss};
    });
    json losses = json::array();
    for (const json& list : all_rows_) {
      auto [x, y] = rows(list);
      Array loss;
      std::tie(model, state, loss) = one(model, state, x, y);
      losses.push_back(loss.item<float>());
    }
    return {{{"losses", losses}}, {}};
  }

  using Optimiser = decltype(optim::adam(0.1));
  using State = std::decay_t<decltype(std::declval<Optimiser>().init(nn::MLP{}))>;
  json hyper_, all_rows_;
  Array xs_, ys_, x_, y_, old_x_;
  nn::MLP model_, first_model_, old_;
  Optimiser optim_ = optim::adam(3e-4);
  State state_;
  std::function<std::pair<nn::MLP, State>(const nn::MLP&, const State&, const Array&, const Array&, const Sharding&)>
      train_step_;
  float first_loss_ = 0;
};

}  // namespace

std::unique_ptr<Document> equinox_document() { return std::make_unique<Equinox>(); }

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
