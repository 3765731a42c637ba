// Models of many layers, optimisers with many rules, folders of many checkpoints, data of many columns or files, meshes
// of many devices.
// issue 28, growth
#include <unistd.h>

#include <filesystem>

#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Call = std::function<void()>;
namespace fs = std::filesystem;

struct Tower {
  int layers = 1;
  Array operator()(linen::Scope& s, Array x) const {
    for (int i = 0; i < layers; ++i) x = nn::relu(s.apply(linen::Dense{2}, x));
    return x;
  }
};
// Each level calls the next.
struct Nested {
  int levels = 1;
  Array operator()(linen::Scope& s, const Array& x) const {
    return levels == 0 ? s.apply(linen::Dense{2}, x) : s.apply("inner", Nested{levels - 1}, x);
  }
};
nn::Sequential<std::vector<nn::Linear>> stack_of(int n) {
  std::vector<nn::Linear> layers;
  for (int i = 0; i < n; ++i) layers.push_back(nn::Linear::init(2, 2, random::key(static_cast<unsigned>(i))));
  return {layers};
}
std::map<std::string, Array> weights(int n) {
  std::map<std::string, Array> out;
  for (int i = 0; i < n; ++i) out["layer" + std::to_string(i)] = full({2}, Array(static_cast<float>(i)));
  return out;
}
auto update_by(auto make) {
  return [=](int n) -> Call {
    return [=, params = weights(n)] {
      const auto opt = make(n);
      auto step = jit([=](const std::map<std::string, Array>& p, const auto& s) {
        auto [updates, state] = opt.update(p, s, p);
        return std::pair{optim::apply_updates(p, updates), state};
      });
      step(params, opt.init(params));
    };
  };
}
// One rule for each parameter.
template <class T> std::vector<Rule<T>> rules(int n, T value) {
  std::vector<Rule<T>> out;
  for (int i = 0; i < n; ++i) out.emplace_back("layer" + std::to_string(i), value);
  return out;
}
std::string place_of(const std::string& name) {
  return (fs::temp_directory_path() / ("tutti_growth_" + std::to_string(::getpid()) + name)).string();
}
io::Arrays members(int n) {
  io::Arrays out;
  for (int i = 0; i < n; ++i) out["m" + std::to_string(i)] = ones({2});
  return out;
}
// f in a folder, which is removed behind it.
auto in_folder(const std::function<void(const std::string&, int)>& f) {
  return [=](int n) -> Call {
    return [=] {
      const std::string folder = place_of("_folder");
      fs::create_directory(folder);
      f(folder, n);
      fs::remove_all(folder);
    };
  };
}
}  // namespace

TUTTI_GROWTH(
    Models,
    ({
        {"linen init", 40, [](int n) -> Call { return [=] {
                                                 linen::init(Tower{n}, random::key(0), ones({1, 2}));
                                               }; }},
        {"linen apply", 40,
         [](int n) -> Call {
           return [=, v = linen::init(Tower{n}, random::key(0), ones({1, 2}))] {
             jit([=](const Dict& d, const Array& x) { return linen::apply(Tower{n}, d, x); })(v, ones({1, 2}));
           };
         }},
        {"grad of linen", 40,
         [](int n) -> Call {
           return [=, v = linen::init(Tower{n}, random::key(0), ones({1, 2}))] {
             jit(grad([=](const Dict& d, const Array& x) { return linen::apply(Tower{n}, d, x).sum(); }))(v,
                                                                                                          ones({1, 2}));
           };
         }},
        {"nested linen modules", 30,
         [](int n) -> Call { return [=] {
                               linen::init(Nested{n}, random::key(0), ones({1, 2}));
                             }; }},
        {"nn layers", 40, [](int n) -> Call { return [=] { stack_of(n)(ones({2})); }; }},
        {"grad of nn layers", 40,
         [](int n) -> Call {
           return [=, net = stack_of(n)] {
             jit(grad([](const nn::Sequential<std::vector<nn::Linear>>& m, const Array& x) { return m(x).sum(); }))(
                 net, ones({2}));
           };
         }},
        {"MLP of depth", 40,
         [](int n) -> Call {
           return [=] { nn::MLP::init({.in_size = 2, .out_size = 2, .width_size = 2, .depth = n}, random::key(0)); };
         }},
    }));

TUTTI_GROWTH(OptimisersOfRules,
             ({
                 {"labels by a function", 100, update_by([](int) {
                    return optim::multi_transform(
                        [](const tree::Path& p, const Array&) { return std::string(p.str().back() % 2 ? "a" : "b"); },
                        std::pair{"a", optim::adam(.1)}, std::pair{"b", optim::sgd(.1)});
                  })},
                 {"labels by a rule each", 100, update_by([](int n) {
                    return optim::multi_transform(rules<std::string>(n, "a"), std::pair{"a", optim::adam(.1)},
                                                  std::pair{"b", optim::sgd(.1)});
                  })},
                 {"masked by a rule each", 100,
                  update_by([](int n) { return optim::masked(optim::adam(.1), rules<bool>(n, true)); })},
                 {"multi_steps", 100, update_by([](int) { return optim::multi_steps(optim::adam(.1), 2); })},
                 {"apply_if_finite", 100, update_by([](int) { return optim::apply_if_finite(optim::adam(.1), 2); })},
             }));

TUTTI_GROWTH(Folders, ({
                          {"steps of checkpoints", 300, in_folder([](const std::string& folder, int n) {
                             for (int i = 0; i < n; ++i) {
                               const std::string step = std::to_string(i);
                               fs::create_directory(folder + "/step_" + std::string(6 - step.size(), '0') + step);
                             }
                             checkpoint::steps(folder);
                             checkpoint::latest(folder);
                           })},
                          {"checkpoints of a manager", 10, in_folder([](const std::string& folder, int n) {
                             checkpoint::Manager manager(folder, {.keep = 3});
                             for (int i = 0; i < n; ++i) manager.save(i, std::vector{ones({2})});
                             manager.wait();
                           })},
                          {"npz", 200, in_folder([](const std::string& folder, int n) {
                             io::save_npz(folder + "/x.npz", members(n));
                             io::load_npz(folder + "/x.npz");
                           })},
                          {"members of an npz", 200, in_folder([](const std::string& folder, int n) {
                             io::save_npz(folder + "/x.npz", members(n));
                             const io::NpzFile file(folder + "/x.npz");
                             for (const std::string& name : file.names()) file.get(name);
                           })},
                          {"safetensors", 200, in_folder([](const std::string& folder, int n) {
                             io::save_safetensors(folder + "/x.safetensors", members(n));
                             io::load_safetensors(folder + "/x.safetensors");
                           })},
                          {"shards", 50, in_folder([](const std::string& folder, int n) {
                             std::vector<std::string> paths;
                             for (int i = 0; i < n; ++i) {
                               paths.push_back(folder + "/" + std::to_string(i) + ".npy");
                               io::save_npy(paths.back(), ones({4, 2}));
                             }
                             auto batches = data::loader(data::npy_shards(paths), 4, {.shuffle = true, .workers = 2});
                             for (const Array& x : batches) (void)x;
                           })},
                      }));

TUTTI_GROWTH(Data, ({
                       {"columns", 100,
                        [](int n) -> Call {
                          std::vector<Array> columns(static_cast<std::size_t>(n), ones({16, 2}));
                          return [=] {
                            auto batches = data::loader(data::rows(columns), 4, {.shuffle = true, .prefetch = 0});
                            for (const auto& x : batches) (void)x;
                          };
                        }},
                       {"batches", 100,
                        [](int n) -> Call {
                          return [=, x = ones({4 * n, 2})] {
                            for (const Array& b : data::batches(x, 4, {.shuffle = true})) (void)b;
                            auto batches = data::loader(data::rows(x), 4, {.shuffle = true, .workers = 2});
                            for (const Array& b : batches) (void)b;
                          };
                        }},
                       {"epochs", 20,
                        [](int n) -> Call {
                          return [=, x = ones({16, 2})] {
                            auto batches = data::loader(data::rows(x), 4, {.shuffle = true});
                            while (batches.epoch() < n)
                              for (const Array& b : batches) (void)b;
                          };
                        }},
                       {"workers", 4,
                        [](int n) -> Call {
                          return [=, x = ones({256, 2})] {
                            auto batches = data::loader(data::rows(x), 4, {.workers = n, .prefetch = n});
                            for (const Array& b : batches) (void)b;
                          };
                        }},
                   }));

TUTTI_GROWTH(Meshes, ({
                         {"plan over devices", 512,
                          [](int n) -> Call {
                            return [=] {
                              const Mesh mesh = abstract_mesh({n}, {"x"});
                              jit([](const Array& x, const Array& w) { return matmul(x, w).sum(); })
                                  .plan(ShapeDtypeStruct({8 * n, 8}, float32, NamedSharding(mesh, P("x"))),
                                        ShapeDtypeStruct({8, 8}, float32, NamedSharding(mesh, P())));
                            };
                          }},
                         {"arrays on devices", 8,
                          [](int n) -> Call {
                            return [=] {
                              const Mesh mesh = make_mesh({n}, {"x"});
                              const Array x = device_put(ones({8 * n, 8}), NamedSharding(mesh, P("x")));
                              jit([](const Array& a) { return tanh(a) * 2.f; })(x);
                              (void)x.addressable_shards();
                            };
                          }},
                     }));

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
