// S2: data parallelism with pmap. S3: introduction to sharded computation.
#include <fmt/format.h>

#include <iostream>

#include "golden/document_steps.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;

void draw(const Array& x) { debug::visualize_array_sharding(x); }
Array linear_layer(const Array& x, const Array& w) { return dot(x, w); }
struct LineParams {
  Array weight, bias;
};
Array loss_fn(const LineParams& params, const Array& xs, const Array& ys) {
  return mean(square(params.weight * xs + params.bias - ys));
}

class Pmap final : public Document {
 public:
  StepResult step(const std::string& what, const json& test) override {
    const json values = test.value("values", json::object());
    if (what.starts_with("linear_layer(x, w)")) {
      Array x = array_of(values.at("x")), w = array_of(values.at("w")), out = linear_layer(x, w);
      std::cout << out.shape() << "\n";
      return {{{"x", json_of(x)}, {"w", json_of(w)}, {"out", json_of(out)}}, {}};
    }
    if (what.starts_with("vmap(linear_layer")) {
      xs_ = array_of(values.at("xs"));
      ws_ = array_of(values.at("ws"));
      mapped_ = vmap(linear_layer, {.in_axes = {0, none}})(xs_, ws_);
      std::cout << mapped_.shape() << "\n";
      return {{{"xs", json_of(xs_)}, {"ws", json_of(ws_)}, {"out", json_of(mapped_)}}, {}};
    }
    if (what.starts_with("pmap(linear_layer)(x_parts")) {
      x_parts_ = stack(split(xs_, 8));
      Array w_parts = stack(std::vector<Array>(8, ws_)), out = pmap(linear_layer)(x_parts_, w_parts);
      std::cout << out.shape() << "\n";
      return {{{"x_parts_shape", x_parts_.shape().dims()},
               {"w_parts_shape", w_parts.shape().dims()},
               {"out", json_of(out)}},
              {{"out", out}}};
    }
    if (what.starts_with("pmap(linear_layer, in_axes")) {
      parts_ = pmap(linear_layer, {.in_axes = {0, none}})(x_parts_, ws_);
      std::cout << parts_.shape() << "\n";
      return {{{"out", json_of(parts_)}, {"flat_equals_vmap", allclose(parts_.reshape(-1), mapped_).item<bool>()}},
              {{"out", parts_}}};
    }
    if (what == "picture of the pmap result") {
      draw(parts_);
      return StepResult{};
    }
    if (auto m = match(what, R"(jnp.split of (\d+) rows into (\d+))"); !m.empty()) {
      split(zeros({std::stoi(m[1]), 3}), std::stoi(m[2]));
      return StepResult{};
    }
    if (auto m = match(what, R"(init\(key\((\d+)\)\): weight, bias)"); !m.empty()) {
      auto [weight_key, bias_key] = random::split<2>(random::key(std::stoi(m[1])));
      one_ = {random::normal(weight_key, {}), random::normal(bias_key, {})};
      return {{{"weight", json_of(one_.weight)}, {"bias", json_of(one_.bias)}}, {}};
    }
    if (what.starts_with("regression data")) {
      data_x_ = array_of(values.at("xs"));
      data_y_ = array_of(values.at("ys"));
      learning_rate_ = values.at("learning_rate");
      return {{{"xs", json_of(data_x_)}, {"ys", json_of(data_y_)}, {"learning_rate", learning_rate_}}, {}};
    }
    if (auto m = match(what, R"(update: pmap with pmean, (\d+) steps;.*)"); !m.empty())
      return update(std::stoi(m[1]), values.at("trace"));
    if (what.starts_with("first device's copy"))
      return {{{"weight", json_of(all_.weight[0])}, {"bias", json_of(all_.bias[0])}}, {}};
    if (what == "psum outside pmap") {
      lax::pmean(ones({3}), "num_devices");
      return StepResult{};
    }
    throw Unknown("step " + what);
  }
  bool instead(const std::string& what, const json& test) override {
    if (what != "jax.tree_map") return false;
    expect_jax_refuses(test, "AttributeError");
    expect_that(tree::map([](const Array& x) { return x * 2; }, std::pair{ones({2}), 3 * ones({1})})
                        .second.to_vector<float>() == std::vector<float>{6},
                "tree::map");
    return true;
  }

 private:
  StepResult update(int steps, const json& wanted) {
    double rate = learning_rate_;
    auto update = pmap(
        [rate](const LineParams& params, const Array& xs, const Array& ys) {
          auto [loss, grads] = value_and_grad(loss_fn)(params, xs, ys);
          grads = lax::pmean(grads, "num_devices");
          loss = lax::pmean(loss, "num_devices");
          return std::pair{tree::map([&](const Array& p, const Array& g) { return p - g * rate; }, params, grads),
                           loss};
        },
        {.axis_name = "num_devices"});
    std::int64_t rows = data_x_.shape()[0];
    Array x = data_x_.reshape(8, rows / 8, 1), y = data_y_.reshape(8, rows / 8, 1), loss;
    all_ = tree::map([](const Array& p) { return stack(std::vector<Array>(8, p)); }, one_);
    json trace = json::array();
    for (int i = 1; i <= steps; ++i) {
      std::tie(all_, loss) = update(all_, x, y);
      for (const json& t : wanted)
        if (t.at("step") == i)
          trace.push_back(
              {{"step", i}, {"loss", json_of(loss)}, {"weight", json_of(all_.weight)}, {"bias", json_of(all_.bias)}});
    }
    return {{{"trace", trace}}, {{"weight", all_.weight}, {"loss", loss}}};
  }

  Array xs_, ws_, mapped_, x_parts_, parts_, data_x_, data_y_;
  LineParams one_, all_;
  double learning_rate_ = 0;
};

class Sharded final : public Document {
 public:
  StepResult step(const std::string& what, const json& test) override {
    if (what == "jax.devices()") {
      std::cout << devices() << "\n";
      return StepResult{};
    }
    if (what == "arr.devices()") {
      std::cout << arange(32.).devices() << "\n";
      return StepResult{};
    }
    if (what == "arr.sharding") {
      std::cout << arange(32.).sharding() << "\n";
      return StepResult{};
    }
    if (what == "picture of arr") return first_picture(test.at("printed"));
    if (what.starts_with("Mesh(devices, P('x','y'))")) {
      std::cout << mesh() << "\n";
      return StepResult{};
    }
    if (what == "print(sharding)") {
      std::cout << NamedSharding(mesh(), P("x", "y")) << "\n";
      return StepResult{};
    }
    if (what.starts_with("arr_sharded:")) {
      const json& shape = test.at("sharding").at("arr_sharded").at("shape");
      arr_ = arange(static_cast<double>(shape[0].get<int>() * shape[1].get<int>())).reshape(shape_of(shape));
      sharded_ = device_put(arr_, NamedSharding(mesh(), P("x", "y")));
      std::cout << sharded_ << "\n";
      draw(sharded_);
      return {{}, {{"arr_sharded", sharded_}}};
    }
    if (what.starts_with("f_elementwise(arr_sharded)")) {
      Array out = f_elementwise_(sharded_);
      std::cout << "shardings match: " << (out.sharding() == sharded_.sharding() ? "True" : "False") << "\n";
      return {{{"result", json_of(out)}}, {{"result", out}}};
    }
    if (what.starts_with("f_contract(arr_sharded)")) return shown(f_contract_(sharded_));
    if (what == "f_contract_2 with create_device_mesh((8,))") return contract_2(sharded_);
    if (auto m = match(what, R"(arr on the ring-ordered mesh (\[\[[\d, ]*\],\[[\d, ]*\]\]): picture)"); !m.empty()) {
      json ids = json::parse(m[1]);
      std::vector<Device> list;
      for (const json& row : ids)
        for (int id : row) list.push_back(devices().at(static_cast<std::size_t>(id)));
      ring_ = device_put(arr_, NamedSharding(Mesh(list, Shape{2, 4}, {"x", "y"}), P("x", "y")));
      draw(ring_);
      return StepResult{};
    }
    if (what.starts_with("f_contract of the ring")) {
      draw(f_contract_(ring_));
      return StepResult{};
    }
    if (what.starts_with("f_contract_2 of the ring")) return contract_2(ring_);
    if (auto m = match(what, R"(shard_map\(f_elementwise\)\(arange\((\d+)\)\))"); !m.empty()) {
      x_ = arange(std::stoi(m[1]));
      return printed("result", over_line(f_elementwise_, P("x")));
    }
    if (what == "global and device local shape") {
      std::cout << "global shape: x.shape=" << x_.shape() << "\n";
      Array y = over_line(
          [](const Array& x) {
            std::cout << "device local shape: x.shape=" << x.shape() << "\n";
            return x * 2;
          },
          P("x"));
      return {{{"y", json_of(y)}}, {{"y", y}}};
    }
    if (what.starts_with("shard_map of a sum"))
      return printed("y", over_line([](const Array& x) { return sum(x, all, true); }, P("x")));
    if (what.starts_with("shard_map with psum"))
      return printed("y", over_line([](const Array& x) { return lax::psum(x.sum(), "x"); }, P()));
    if (what.starts_with("the sum without psum")) {
      over_line([](const Array& x) { return x.sum(); }, P());
      return StepResult{};
    }
    if (auto m = match(what, R"(inputs of the layer: default_rng\((\d+)\)\.normal of \((\d+),\).*)"); !m.empty()) {
      data::HostRandom rng = data::default_rng(std::stoull(m[1]));
      int n = std::stoi(m[2]);
      x_ = rng.normal({n});
      weights_ = rng.normal({n, 4});
      bias_ = rng.normal({4});
      return {{{"x", json_of(x_)}, {"weights", json_of(weights_)}, {"bias", json_of(bias_)}}, {}};
    }
    if (what.starts_with("layer(x, weights, bias)")) return printed("out", layer_(x_, weights_, bias_));
    NamedSharding cut(line(), P("x"));
    if (what.starts_with("layer(x_sharded"))
      return printed("out", layer_(device_put(x_, cut), device_put(weights_, cut), bias_));
    if (what.starts_with("layer_auto"))
      return printed("out", jit([&](const Array& x, const Array& w, const Array& b) {
                       return layer_(with_sharding_constraint(x, cut), with_sharding_constraint(w, cut), b);
                     })(x_, weights_, bias_));
    if (what.starts_with("layer_sharded"))
      return printed(
          "out", jit(shard_map([](const Array& x, const Array& w,
                                  const Array& b) { return nn::sigmoid(lax::psum(matmul(x, w), "x") + b); },
                               {.mesh = line(), .in_specs = {P("x"), P("x", none), P(none)}, .out_specs = P(none)}))(
                     x_, weights_, bias_));
    throw Unknown("step " + what);
  }
  bool instead(const std::string& what, const json& test) override {
    if (what == "f_contract_2 with create_device_mesh(8): a bare int") {
      expect_jax_refuses(test, "TypeError");
      Array x = summed_over_line(sharded_);
      NamedSharding wanted(Mesh(mesh_utils::create_device_mesh({8}), "x"), P("x"));
      expect_that(x.sharding().is_equivalent_to(wanted, 1) && wanted.mesh() == line(),
                  "its sharding is " + x.sharding().str());
      expect_that(x.to_vector<float>() == arr_.sum(0).to_vector<float>(), "its values");
      return true;
    }
    if (!what.starts_with("from jax.experimental.shard_map"))
      return false;  // there is one shard_map, in <tutti/transform/shard_map.hpp>
    expect_that(test.value("printed", "") == "shard_map\n" && !test.contains("error"), "JAX refuses the import");
    return true;
  }

 private:
  static Mesh mesh() { return Mesh(mesh_utils::create_device_mesh({2, 4}), {"x", "y"}); }
  static Mesh line() { return Mesh(devices(), "x"); }

  // The step does not say the array's shape; its picture tells the ratio.
  static StepResult first_picture(const std::string& want) {
    for (int rows = 1; rows <= 64; ++rows)
      for (int columns = 1; columns <= 128; ++columns) {
        std::string text = debug::sharding_text({rows, columns}, SingleDeviceSharding(devices()[0]));
        if (text + "\n" != want && text != want) continue;
        draw(zeros({rows, columns}));
        return {};
      }
    throw Mismatch("the picture of no small array:\n" + want);
  }
  static StepResult printed(const std::string& name, const Array& x) {
    std::cout << repr(x) << "\n";
    return {{{name, json_of(x)}}, {{name, x}}};
  }
  static StepResult shown(const Array& x) {
    draw(x);
    std::cout << x << "\n";
    return {{{"result", json_of(x)}}, {{"result", x}}};
  }
  template <class F> Array over_line(const F& f, const PartitionSpec& out) const {
    return shard_map(f, {.mesh = line(), .in_specs = P("x"), .out_specs = out})(x_);
  }
  static Array summed_over_line(const Array& x) {
    return jit([](const Array& x) {
      Array out = x.sum(0);
      return with_sharding_constraint(out, NamedSharding(Mesh(mesh_utils::create_device_mesh({8}), "x"), P("x")));
    })(x);
  }
  static StepResult contract_2(const Array& x) { return shown(summed_over_line(x)); }

  static Array elementwise(const Array& x) { return 2 * sin(x) + 1; }
  static Array contract(const Array& x) { return x.sum(0); }
  static Array one_layer(const Array& x, const Array& weights, const Array& bias) {
    return nn::sigmoid(matmul(x, weights) + bias);
  }
  decltype(jit(elementwise)) f_elementwise_ = jit(elementwise);
  decltype(jit(contract)) f_contract_ = jit(contract);
  decltype(jit(one_layer)) layer_ = jit(one_layer);
  Array arr_, sharded_, ring_, x_, weights_, bias_;
};

}  // namespace

std::unique_ptr<Document> pmap_document() { return std::make_unique<Pmap>(); }
std::unique_ptr<Document> sharded_document() { return std::make_unique<Sharded>(); }

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
