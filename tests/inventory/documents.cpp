// Rows 85 to 88: placement conflicts, and the training programs of the documents.
#include <cmath>
#include <sstream>

#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

TEST(row_85_placement_conflicts, SayWhatJaxSays) {
  set_cpu_devices(8);
  std::vector<Device> all = devices();
  NamedSharding first(Mesh({all.begin(), all.begin() + 4}, "x"), P("x")),
      second(Mesh({all.begin() + 4, all.end()}, "x"), P("x"));
  Array v = arange(24), y = device_put(v, first), z = device_put(v, second);
  expect_error<DeviceError>([&] { y + z; },
                            {"Received incompatible devices for jitted computation. Got argument x1 of ",
                             "add with shape int32[24] and device ids [0, 1, 2, 3] on platform CPU and argument x2 of ",
                             "add with shape int32[24] and device ids [4, 5, 6, 7] on platform CPU"});
  std::vector<Device> turned{all[0], all[1], all[2], all[3], all[7], all[6], all[5], all[4]};
  Array a = device_put(v, NamedSharding(Mesh(all, "x"), P("x"))),
        b = device_put(v, NamedSharding(Mesh(turned, "x"), P("x")));
  expect_error<DeviceError>([&] { a + b; },
                            {"device ids [0, 1, 2, 3, 4, 5, 6, 7]", "device ids [0, 1, 2, 3, 7, 6, 5, 4]"});
  // An uncommitted operand moves; device_put is the way out of a conflict.
  EXPECT_EQ((y + v).sharding(), first);
  EXPECT_EQ((y + device_put(z, first)).sharding(), first);
}

TEST(row_86_mesh_sharding, IsUserCode) {
  Mesh default_mesh = mesh42();
  auto mesh_sharding = [&](PartitionSpec spec, Mesh mesh = {}) {
    return NamedSharding(mesh.has_value() ? mesh : default_mesh, std::move(spec));
  };
  EXPECT_EQ(mesh_sharding(P("x")), NamedSharding(default_mesh, P("x")));
  EXPECT_EQ(mesh_sharding(P("x"), line8()), NamedSharding(line8(), P("x")));
}

// The network of the second document.
using Layer = std::pair<Array, Array>;
using Params = std::vector<Layer>;
using Batch = std::pair<Array, Array>;

Array predict(const Params& params, Array inputs) {
  Array outputs;
  for (const auto& [w, b] : params) {
    outputs = dot(inputs, w) + b;
    inputs = maximum(outputs, 0);
  }
  return outputs;
}
Array loss(const Params& params, const Batch& batch) {
  return mean(sum(square(predict(params, batch.first) - batch.second), -1));
}

Params init_model(Array key, const std::vector<int>& sizes) {
  Params out;
  std::vector<Array> keys = random::split(key, static_cast<int>(sizes.size()) - 1);
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    auto [wk, bk] = random::split<2>(keys[i]);
    out.emplace_back(random::normal(wk, {sizes[i], sizes[i + 1]}) / std::sqrt(static_cast<float>(sizes[i])),
                     random::normal(bk, {sizes[i + 1]}));
  }
  return out;
}

TEST(row_87_training, DataAndTensorParallel) {
  std::vector<int> sizes{8, 16, 16, 16, 4};
  Params params = init_model(random::key(0), sizes);
  auto [ik, tk] = random::split<2>(random::key(1));
  Batch batch{random::normal(ik, {16, 8}), random::normal(tk, {16, 4})};
  auto train = [](Params params, const Batch& batch) {
    auto gradient = jit(grad(loss));
    for (int i = 0; i < 10; ++i)
      params = tree::map([](const Array& p, const Array& g) { return p - 1e-2f * g; }, params, gradient(params, batch));
    return params;
  };
  Params alone = train(params, batch);
  float before = static_cast<float>(loss(params, batch)), after = static_cast<float>(loss(alone, batch));
  EXPECT_LT(after, before);

  NamedSharding whole(line8(), P()), cut(line8(), P("x"));
  Params data = train(device_put(params, whole), device_put(batch, cut));
  EXPECT_EQ(static_cast<float>(jit(loss)(data, device_put(batch, cut))),
            static_cast<float>(jit(loss)(alone, batch)));  // one process: the same program
  EXPECT_TRUE(data[1].first.is_fully_replicated());

  Mesh mesh = make_mesh({4, 2}, {"batch", "model"});
  Params both = device_put(params, NamedSharding(mesh, P()));
  both[1].first = device_put(both[1].first, NamedSharding(mesh, P(none, "model")));
  both[2].first = device_put(both[2].first, NamedSharding(mesh, P("model", none)));
  Batch rows = device_put(batch, NamedSharding(mesh, P("batch", none)));
  Params tensor = train(both, rows);
  EXPECT_TRUE(tensor[1].first.sharding().is_equivalent_to(NamedSharding(mesh, P(none, "model")), 2))
      << tensor[1].first.sharding().str();
  EXPECT_TRUE(tensor[2].first.sharding().is_equivalent_to(NamedSharding(mesh, P("model", none)), 2))
      << tensor[2].first.sharding().str();
  for (std::size_t i = 0; i < alone.size(); ++i)
    expect_values(tensor[i].first.reshape(-1), alone[i].first.to_vector<float>());
}

TEST(row_88_reshape_for_pmap, EitherWay) {
  Array batch = arange(48.f).reshape(16, 3);
  Array by_reshape = batch.reshape(8, 2, 3), by_stack = stack(split(batch, 8));
  EXPECT_TRUE(static_cast<bool>(array_equal(by_reshape, by_stack)));
  expect_values(pmap([](const Array& x) { return x.sum(); })(by_reshape),
                pmap([](const Array& x) { return x.sum(); })(by_stack).to_vector<float>());
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
