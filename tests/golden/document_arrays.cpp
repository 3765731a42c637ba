// S1: distributed arrays and automatic parallelization.
#include <fmt/format.h>

#include <iostream>

#include "golden/document_steps.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;

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
  return mean(sum(square(predict(params, batch.first) - batch.second), -1));
}

Layer init_layer(const Array& key, int n_in, int n_out) {
  auto [k1, k2] = random::split<2>(key);
  return {random::normal(k1, {n_in, n_out}) / sqrt(n_in), random::normal(k2, {n_out})};
}

void show(const Array& x) { debug::visualize_array_sharding(x); }

class Arrays1 final : public Document {
 public:
  StepResult step(const std::string& what, const json& test) override {
    if (auto m = match(what, R"(x = normal\(key\((\d+)\).*)"); !m.empty()) {
      seed_ = std::stoi(m[1]);
      n_ = test.at("sharding").at("x").at("shape")[0];
      x_ = random::normal(random::key(seed_), {n_, n_});
      y_ = device_put(x_, on(grid("x", "y"), P("x", "y")));
      show(y_);
      return {{{"x", json_of(x_)}}, {{"x", x_}, {"y", y_}}};
    }
    if (auto m = match(what, R"(y = device_put\(x, (?:mesh_sharding\()?(P\(.*\))\)\)?; picture)"); !m.empty()) {
      std::string spec = m[1];
      while (std::count(spec.begin(), spec.end(), ')') > std::count(spec.begin(), spec.end(), '(')) spec.pop_back();
      return put(spec_of_text(spec));
    }
    if (auto m = match(what, R"(y \+ z on devices (0-3 and 4-7|in order and permuted), int32\[(\d+)\])"); !m.empty()) {
      conflict(m[1] == "in order and permuted", arange(std::stoi(m[2])));
      return {};
    }
    if (auto m = match(what, R"(jit f: x\+1 constrained to (P\(.*\)); pictures of x and f\(x\))"); !m.empty())
      return constrained(spec_of_text(m[1]));
    if (auto m = match(what, R"(init_model\(key\((\d+)\), sizes, batch\))"); !m.empty())
      return init(std::stoi(m[1]), test.at("scale"));
    if (what.starts_with("mesh = make_mesh((4,2)")) {
      std::cout << grid("x", "y") << "\n";
      return StepResult{};
    }
    if (what.starts_with("z = sin(y)")) {
      Array z = sin(y_);
      show(z);
      return {{{"z", json_of(z)}}, {{"z", z}}};
    }
    if (what.starts_with("timing of")) return {};
    if (what.starts_with("picture of x, single device")) {
      show(x_);
      return StepResult{{}, {{"x", x_}}};
    }
    if (what.starts_with("computation follows data")) return follows();
    if (what.starts_with("w = dot(y")) return product();
    if (what.starts_with("x_single = ")) {
      x_single_ = device_put(x_, devices()[0]);
      show(x_single_);
      return StepResult{{}, {{"x_single", x_single_}}};
    }
    if (what.starts_with("np.allclose")) {
      std::cout << (allclose(dot(x_single_, x_single_), dot(y_, z_)).item<bool>() ? "True\n" : "False\n");
      return StepResult{};
    }
    if (what.starts_with("w_copy = ")) {
      Array copy = w_.copy();
      show(copy);
      return StepResult{{}, {{"w_copy", copy}}};
    }
    if (what.starts_with("the same two with float32")) {
      conflict(false, x_);
      conflict(true, x_);
      return {};
    }
    if (what.starts_with("uncommitted operands")) return uncommitted();
    return network(what);
  }
  bool instead(const std::string&, const json&) override { return false; }

 private:
  static Mesh grid(const char* a, const char* b) { return make_mesh({4, 2}, {a, b}); }
  static NamedSharding on(const Mesh& mesh, const PartitionSpec& spec) { return NamedSharding(mesh, spec); }
  static std::vector<Device> first_half() {
    std::vector<Device> all = devices();
    return {all.begin(), all.begin() + 4};
  }

  StepResult put(const PartitionSpec& spec) {
    Array y = device_put(x_, on(grid("a", "b"), spec));
    show(y);
    auto corner = [&](std::size_t i) { return json_of(y.addressable_shards()[i].data()(slice(2), slice(2))); };
    return {{{"shard0", corner(0)}, {"shard5", corner(5)}}, {{"y", y}}};
  }
  StepResult follows() {
    x_ = device_put(x_, on(grid("a", "b"), P("a", "b")));
    Array y = sin(x_);
    std::cout << "input sharding:\n";
    show(x_);
    std::cout << "output sharding:\n";
    show(y);
    return {{}, {{"x", x_}, {"y", y}}};
  }
  StepResult product() {
    y_ = device_put(x_, on(grid("a", "b"), P("a", none)));
    z_ = device_put(x_, on(grid("a", "b"), P(none, "b")));
    std::cout << "lhs sharding:\n";
    show(y_);
    std::cout << "rhs sharding:\n";
    show(z_);
    w_ = dot(y_, z_);
    std::cout << "out sharding:\n";
    show(w_);
    return {{{"w", json_of(w_)}}, {{"y", y_}, {"z", z_}, {"w", w_}}};
  }
  static void conflict(bool permuted, const Array& x) {
    std::vector<Device> all = devices(), other;
    if (permuted)
      for (int i : {0, 1, 2, 3, 6, 7, 4, 5}) other.push_back(all[i]);
    else
      other = {all.begin() + 4, all.end()};
    Array y = device_put(x, on(Mesh(permuted ? all : first_half(), "x"), P("x"))),
          z = device_put(x, on(Mesh(other, "x"), P("x")));
    try {
      y + z;
    } catch (const ValueError& e) {
      print_exception(e);
    }
  }
  StepResult uncommitted() {
    Array y = device_put(x_, on(Mesh(first_half(), "x"), P("x")));
    Array a = y + ones_like(y), b = y + arange(static_cast<int>(y.size())).reshape(y.shape());
    std::cout << "no error!\n";
    return {{{"y_plus_arange", json_of(b)}}, {{"y_plus_ones", a}, {"y_plus_arange", b}}};
  }
  StepResult constrained(const PartitionSpec& spec) {
    Mesh mesh = grid("x", "y");
    Array x = device_put(random::normal(random::key(seed_), {n_, n_}), on(mesh, P("x", "y")));
    auto f = jit([&](const Array& x) {
      Array next = x + 1;
      return with_sharding_constraint(next, on(mesh, spec));
    });
    show(x);
    Array y = f(x);
    show(y);
    return {{{"y", json_of(y)}}, {{"x", x}, {"y", y}}};
  }

  static std::map<std::string, Array> named(const Params& params, const std::string& before = "") {
    std::map<std::string, Array> out;
    for (std::size_t i = 0; i < params.size(); ++i) {
      out[fmt::format("{}W{}", before, i + 1)] = params[i].first;
      out[fmt::format("{}b{}", before, i + 1)] = params[i].second;
    }
    return out;
  }
  static std::map<std::string, json> values_of(const std::map<std::string, Array>& arrays) {
    std::map<std::string, json> out;
    for (const auto& [name, x] : arrays) out[name] = json_of(x);
    return out;
  }

  StepResult init(int seed, const std::string& scale) {
    std::vector<std::string> m = match(scale, R"(sizes .* -> ([\d-]+), batch .* -> (\d+), step size ([\d.e+-]+) .*)");
    if (m.empty()) throw Unknown("scale " + scale);
    std::vector<int> sizes;
    std::istringstream list(m[1]);
    for (std::string part; std::getline(list, part, '-');) sizes.push_back(std::stoi(part));
    int rows = std::stoi(m[2]);
    step_size_ = std::stod(m[3]);
    std::vector<Array> keys = random::split(random::key(seed), static_cast<int>(sizes.size()));
    params_.clear();
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
      params_.push_back(init_layer(keys[i + 1], sizes[i], sizes[i + 1]));
    keys = random::split(keys[0], 3);
    batch_ = {random::normal(keys[1], {rows, sizes.front()}), random::normal(keys[2], {rows, sizes.back()})};
    // Where a unit's input comes within rounding of 0, ReLU turns a last bit into a jump of the gradient, which 30
    // steps carry on. Runs from starts that differ in the last bits show how far.
    shadows_.assign(6, params_);
    data::HostRandom noise(1);
    for (Params& shadow : shadows_)
      shadow = tree::map([&](const Array& p) { return p * (1 + 3e-7 * noise.normal(p.shape())); }, shadow);
    StepResult out{values_of(named(params_)), {}};
    out.values["inputs"] = json_of(batch_.first);
    out.values["targets"] = json_of(batch_.second);
    return out;
  }
  void one_step(Params& params) const {
    Params grads = gradient_(params, batch_);
    params = tree::map([&](const Array& p, const Array& g) { return p - step_size_ * g; }, params, grads);
  }
  StepResult train() {
    json losses = json::array();
    for (int i = 0; i < 30; ++i) {
      losses.push_back(loss_(params_, batch_).item<float>());
      one_step(params_);
    }
    for (Params& shadow : shadows_)
      for (int i = 0; i < 30; ++i) one_step(shadow);
    Array after = loss_(params_, batch_);
    std::cout << after << "\n";
    return {{{"losses", losses}, {"loss_after", json_of(after)}}, named(params_)};
  }
  StepResult gradients() {
    std::map<std::string, Array> grads = named(gradient_(params_, batch_), "d");
    StepResult out{values_of(grads), grads};
    for (const Params& shadow : shadows_)
      for (const auto& [name, other] : named(gradient_(shadow, batch_), "d")) {
        double far = max(abs(grads.at(name) - other)).item<float>();
        out.spread[name] = std::max(out.spread[name], far);
      }
    return out;
  }
  StepResult network(const std::string& what) {
    if (what == "8-way data parallel: first loss") {
      Mesh mesh = make_mesh({8}, "batch");
      batch_ = device_put(batch_, on(mesh, P("batch")));
      params_ = device_put(params_, on(mesh, P()));
      shadows_ = device_put(shadows_, on(mesh, P()));
      Array value = loss_(params_, batch_);
      std::cout << repr(value) << "\n";
      return {{{"loss", json_of(value)}}, {{"inputs", batch_.first}, {"W1", params_[0].first}, {"loss", value}}};
    }
    if (what == "8-way data parallel: first gradients" || what == "4x2: gradients and their shardings")
      return gradients();
    if (what.starts_with("30 steps;") || what == "4x2: 30 more steps") return train();
    if (what.starts_with("4x2: pictures of batch[0]")) {
      Mesh mesh = make_mesh({4, 2}, {"batch", "model"});
      batch_ = device_put(batch_, on(mesh, P("batch", none)));
      params_ = device_put(params_, on(mesh, P()));
      params_[1] = {device_put(params_[1].first, on(mesh, P(none, "model"))),
                    device_put(params_[1].second, on(mesh, P("model")))};
      params_[2].first = device_put(params_[2].first, on(mesh, P("model", none)));
      for (Params& shadow : shadows_) shadow = device_put(shadow, on(mesh, P()));
      show(batch_.first);
      show(batch_.second);
      return {{}, {{"inputs", batch_.first}, {"targets", batch_.second}}};
    }
    if (what == "4x2: picture of W2") {
      show(params_[1].first);
      return StepResult{};
    }
    if (what == "4x2: picture of W3") {
      show(params_[2].first);
      return StepResult{};
    }
    if (what == "4x2: pictures of W2 and W3 after training") {
      show(params_[1].first);
      show(params_[2].first);
      return StepResult{};
    }
    if (what == "4x2: loss") {
      Array value = loss_(params_, batch_);
      std::cout << value << "\n";
      return {{{"loss", json_of(value)}}, {}};
    }
    throw Unknown("step " + what);
  }

  int seed_ = 0;
  std::int64_t n_ = 0;
  Array x_, y_, z_, w_, x_single_;
  Params params_;
  std::vector<Params> shadows_;
  Batch batch_;
  double step_size_ = 0;
  decltype(jit(loss)) loss_ = jit(loss);
  decltype(jit(grad(loss))) gradient_ = jit(grad(loss));
};

}  // namespace

std::unique_ptr<Document> arrays_document() { return std::make_unique<Arrays1>(); }

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
