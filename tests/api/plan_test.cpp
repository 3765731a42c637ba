// Plans for devices that nobody owns, and placements that a search proposes.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/refused.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/optim/optim.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/eval_shape.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/search.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::testing {
namespace {

bool contains_text(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

struct Mlp {
  std::vector<std::pair<Array, Array>> layers;  // weight, bias
};
Array predict(const Mlp& m, Array x) {
  for (const auto& [w, b] : m.layers) x = tanh(matmul(x, w) + b);
  return x;
}
auto training_step() {
  return jit([](const Mlp& m, const Array& x, const Array& y) {
    auto loss = [&](const Mlp& m) { return square(predict(m, x) - y).mean(); };
    auto [value, gradient] = value_and_grad(loss)(m);
    return std::pair{tree::map([](const Array& w, const Array& g) { return w - 0.1 * g; }, m, gradient), value};
  });
}
Mlp shapes(std::int64_t width, int layers) {
  Mlp m;
  for (int i = 0; i < layers; ++i) m.layers.emplace_back(ShapeDtypeStruct({width, width}), ShapeDtypeStruct({width}));
  return m;
}

Explanation plan_on(const Mesh& mesh, std::int64_t examples) {
  const Mlp m = device_put(shapes(512, 4), NamedSharding(mesh, P()));
  const Array x = ShapeDtypeStruct({examples, 512}, float32, NamedSharding(mesh, P("data")));
  return training_step().plan(m, x, x);
}

TEST(Plan, IsTheReportOfAMeshThatIsThere) {
  const Explanation planned = plan_on(abstract_mesh({8}, "data"), 64);
  const Mesh mesh = make_mesh({8}, "data");
  const Mlp m = device_put(tree::map([](const Array& x) { return Array(1.f) + zeros(x.shape()); }, shapes(512, 4)),
                           NamedSharding(mesh, P()));
  const Array x = device_put(ones({64, 512}), NamedSharding(mesh, P("data")));
  const Explanation real = training_step().explain(m, x, x);
  EXPECT_EQ(planned.bytes(), real.bytes());
  EXPECT_EQ(planned.messages(), real.messages());
  EXPECT_EQ(planned.collectives.size(), real.collectives.size());
  EXPECT_EQ(planned.memory.peak, real.memory.peak);
  EXPECT_EQ(planned.seconds(), real.seconds());
}

// Only numbers grow with the mesh: what is planned for 100,000 devices is what is planned for 8.
TEST(Plan, IsAsLargeForAHundredThousandDevices) {
  const Explanation few = plan_on(abstract_mesh({8}, "data"), 8 * 4096),
                    many = plan_on(abstract_mesh({100'000}, "data"), 100'000 * 4096);
  EXPECT_EQ(many.devices, 100'000);
  // Fewer: 100,000 devices do not divide what 8 do.
  EXPECT_LE(many.collectives.size(), few.collectives.size());
  EXPECT_EQ(few.memory.arguments, many.memory.arguments);  // 4,096 examples on each
  EXPECT_LE(many.memory.peak, 1.2 * few.memory.peak);
  EXPECT_NEAR(many.bytes() / few.bytes(), 8. / 7, 1e-3);
  const std::string a = few.str(), b = many.str();
  EXPECT_LE(std::count(b.begin(), b.end(), '\n'), std::count(a.begin(), a.end(), '\n'));
}

TEST(Plan, AsksForNoDevices) {
  const int before = device_count();
  const Mesh mesh = abstract_mesh({250, 400}, {"data", "model"});
  EXPECT_EQ(mesh.size(), 100'000);
  EXPECT_TRUE(mesh.is_abstract());
  EXPECT_FALSE(make_mesh({1}, "x").is_abstract());
  EXPECT_EQ(mesh, abstract_mesh({250, 400}, {"data", "model"}));
  EXPECT_GT(plan_on(mesh, 1000).bytes(), 0);
  EXPECT_EQ(device_count(), before);
  EXPECT_TRUE(contains_text(mesh.str(), "'data': 250"));
}

TEST(Plan, NothingRunsOnDevicesThatNobodyOwns) {
  const Mesh mesh = abstract_mesh({8}, "x");
  const NamedSharding rows(mesh, P("x"));
  expect_refused<DeviceError>([&] { device_put(ones({8}), rows); }, {"abstract mesh", "device_put", "make_mesh"});
  const auto f = jit([&](const Array& x) { return with_sharding_constraint(x + 1, rows); });
  expect_refused<DeviceError>([&] { f(ones({8})); }, {"abstract mesh", "make_mesh"});
  EXPECT_EQ(f.plan(ShapeDtypeStruct({8}, float32, rows)).bytes(), 0);
  expect_refused<ShardingError>([&] { Array x = ShapeDtypeStruct({}, float32, rows); }, {"ShapeDtypeStruct", "rank"});
  expect_refused<ValueError>([] { abstract_mesh({8, 2}, "x"); }, {"axis name"});
  expect_refused<ValueError>([] { abstract_mesh({0}, "x"); }, {"abstract_mesh", "holds no device"});
}

// ---- search

double seconds_of(const Mesh& mesh, const Mlp& m, const Array& x) {
  (void)mesh;
  return training_step().plan(m, x, x).seconds();
}

// Small batches of wide layers: weights move less when they are cut; large ones: batches.
TEST(Search, IsAsGoodAsWhatIsWrittenByHand) {
  for (std::int64_t examples : {64, 65536}) {
    const Mesh mesh = abstract_mesh({2, 4}, {"data", "model"});
    const Mlp m = shapes(1024, 4);
    const Array x = ShapeDtypeStruct({examples, 1024});
    const auto ways = sharding::search(training_step(), std::tuple(m, x, x), mesh);
    ASSERT_FALSE(ways.empty());
    for (std::size_t i = 1; i < ways.size(); ++i)
      EXPECT_LE(ways[i - 1].report.seconds(), ways[i].report.seconds() * (1 + 1e-5));

    auto over = [&](PartitionSpec spec) { return NamedSharding(mesh, std::move(spec)); };
    auto placed = [&](PartitionSpec batch) { return device_put(x, over(std::move(batch))); };
    Mlp tensor = m;
    for (std::size_t i = 0; i < 4; ++i)
      tensor.layers[i] = {device_put(m.layers[i].first, over(i % 2 ? P("model") : P(none, "model"))),
                          device_put(m.layers[i].second, over(i % 2 ? P() : P("model")))};
    const double by_data = seconds_of(mesh, device_put(m, over(P())), placed(P(axes("data", "model")))),
                 by_both = seconds_of(mesh, tensor, placed(P("data")));
    EXPECT_LE(ways[0].report.seconds(), 1.0001 * std::min(by_data, by_both)) << ways[0] << ways[0].report;
    // What it proposes can be had.
    const auto [m2, x2, y2] = ways[0].place(std::tuple(m, x, x));
    EXPECT_EQ(training_step().plan(m2, x2, y2).seconds(), ways[0].report.seconds());
  }
}

TEST(Search, KeepsWithinTheMemory) {
  const Mesh mesh = abstract_mesh({8}, "data");
  const Mlp m = shapes(1024, 4);
  const Array x = ShapeDtypeStruct({64, 1024});
  const auto free = sharding::search(training_step(), std::tuple(m, x, x), mesh, {.refine = false});
  const double whole = 4 * 1024 * 1024 * 4;
  const auto small =
      sharding::search(training_step(), std::tuple(m, x, x), mesh, {.memory = 1.2 * whole, .refine = false});
  EXPECT_GT(free[0].report.memory.peak, 0);
  EXPECT_TRUE(small[0].fits) << small[0];
  EXPECT_LE(small[0].report.memory.peak, 1.2 * whole) << small[0];
  const auto none = sharding::search(training_step(), std::tuple(m, x, x), mesh, {.memory = 1000, .refine = false});
  EXPECT_FALSE(none[0].fits);
  EXPECT_TRUE(contains_text(none[0].str(), "does not fit")) << none[0];
}

TEST(Search, NamesArgumentsAndRefusesWhatItCannotPlace) {
  const Mesh mesh = abstract_mesh({4}, "x");
  const auto f = jit([](const Array& a) { return sin(a); });
  const auto ways = sharding::search(f, std::tuple(Array(ShapeDtypeStruct({64, 64}))), mesh);
  EXPECT_EQ(ways[0].report.bytes(), 0);
  EXPECT_EQ(ways[0].specs[0].first, "arg0");
  EXPECT_NEAR(ways[0].report.flop_inflation, 1, 1e-9) << ways[0];
  expect_refused<ValueError>([&] { sharding::search(f, std::tuple(ones({4})), Mesh()); },
                             {"sharding::search", "empty"});
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
