// Effects on several devices: once for a program, once per device in manual regions.
#include "effects/heard.hpp"

namespace tutti {
namespace {

using testing::error_of;
using testing::Heard;
using testing::printed;

class EffectsOnDevices : public ::testing::TestWithParam<Isolation> {
 protected:
  void SetUp() override {
    set_cpu_devices(8);
    config::isolation(GetParam());
  }
  void TearDown() override { config::isolation(Isolation::shared); }
};

TEST_P(EffectsOnDevices, ShardedValuesAreToldWholeAndOnce) {
  Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  Heard heard;
  auto f = jit([&](const Array& v) {
    Array w = v * 2;
    debug::callback(
        [&](const Array& all) {
          heard.values = all.to_vector<float>();
          heard.values.push_back(-1);
        },
        w);
    return w;
  });
  const Array x = device_put(arange(8.0f), NamedSharding(mesh, P("x")));
  const Array y = f(x);
  EXPECT_EQ(heard.values, (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14, -1}));
  EXPECT_EQ(y.to_vector<float>()[7], 14);
  const std::string text = f.explain(x).all();
  EXPECT_NE(text.find("all_gather"), text.npos) << text;
  EXPECT_NE(text.find("debug_callback (devices_test.cpp:"), text.npos) << text;
}

TEST_P(EffectsOnDevices, ResultsOfHostCallsReachAllDevices) {
  Mesh mesh = make_mesh({8}, "x");
  int calls = 0;
  auto f = jit([&](const Array& v) {
    Array n = io_callback([&] { return array(float(++calls)); }, ShapeDtypeStruct({}));
    return v * n;
  });
  const Array y = f(device_put(ones({16}), NamedSharding(mesh, P("x"))));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(16, 1));
}

TEST_P(EffectsOnDevices, InRegionsEachDeviceTellsItsPart) {
  Mesh mesh = make_mesh({2, 2}, {"x", "y"});
  std::vector<std::string> lines;
  auto f = jit(shard_map(
      [&](const Array& v) {
        debug::callback(
            [&](const CallSite& site, const Array& part) { lines.push_back(site.device->str() + " " + str(part)); }, v);
        debug::callback([&](const CallSite& site) { lines.push_back(site.device->str()); });
        return v + 1;
      },
      {.mesh = mesh, .in_specs = P("y", "x"), .out_specs = P("y", "x")}));
  f(arange(4.0f).reshape(2, 2));
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"CpuDevice(id=0)", "CpuDevice(id=0) [[0.]]", "CpuDevice(id=1)",
                                             "CpuDevice(id=1) [[2.]]", "CpuDevice(id=2)", "CpuDevice(id=2) [[1.]]",
                                             "CpuDevice(id=3)", "CpuDevice(id=3) [[3.]]"}));
}

TEST_P(EffectsOnDevices, PrintsCanNameTheDevice) {
  Mesh mesh = make_mesh({2}, "x");
  auto f = jit(shard_map(
      [&](const Array& v) {
        debug::print("v = {}", {.device = true}, v);
        return lax::psum(v, "x");
      },
      {.mesh = mesh, .in_specs = P("x"), .out_specs = P()}));
  EXPECT_EQ(printed([&] { f(arange(2.0f)); }), "CpuDevice(id=0): v = [0.]\nCpuDevice(id=1): v = [1.]\n");
}

TEST_P(EffectsOnDevices, LoopsInRegionsTellPerStepAndDevice) {
  Mesh mesh = make_mesh({2}, "x");
  Heard heard;
  auto f = jit(shard_map(
      [&](const Array& v) {
        return lax::while_loop([](const Array& c) { return c.sum() < 3; },
                               [&](const Array& c) {
                                 debug::callback([&](const Array& x) { heard.values.push_back(float(x.sum())); }, c);
                                 return c + 1;
                               },
                               v);
      },
      {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")}));
  EXPECT_EQ(f(array({0.0f, 2.0f})).to_vector<float>(), (std::vector<float>{3, 3}));
  std::sort(heard.values.begin(), heard.values.end());
  EXPECT_EQ(heard.values, (std::vector<float>{0, 1, 2, 2}));
}

TEST_P(EffectsOnDevices, ChecksNameTheDevice) {
  Mesh mesh = make_mesh({4}, "x");
  auto f = jit(shard_map([](const Array& v) { return error_if(v, v > 2, "large: {}", v); },
                         {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")}));
  EXPECT_EQ(f(zeros({4})).size(), 4);
  const std::string text = error_of<CheckError>([&] { f(arange(4.0f)); });
  EXPECT_NE(text.find("large: [3.] (CpuDevice(id=3))."), text.npos) << text;
}

TEST_P(EffectsOnDevices, GradientsOfRegionsTellOncePerDevice) {
  Mesh mesh = make_mesh({4}, "x");
  Heard heard;
  auto f = shard_map(
      [&](const Array& v) {
        Array y = sin(v);
        debug::callback([&](const Array&) { heard.values.push_back(1); }, y);
        return lax::psum(y.sum(), "x");
      },
      {.mesh = mesh, .in_specs = P("x"), .out_specs = P()});
  jit(grad([&](const Array& v) { return f(v); }))(arange(4.0f));
  EXPECT_EQ(heard.values.size(), 4u);
}

// bugreports-3, 6.
TEST_P(EffectsOnDevices, OrderedCallsWithResultsHappenDeviceByDevice) {
  for (const int devices : {1, 2, 4}) {
    const Mesh mesh = make_mesh({devices}, {"i"});
    Heard heard;
    auto twice = [&](const Array& b, bool ordered) {
      return io_callback(
          [&](const Array& v) {
            heard.values.push_back(float(v(0)));
            return v * 2;
          },
          ShapeDtypeStruct(b.shape()), {.ordered = ordered}, b);
    };
    auto once = [&](const Array& b) { return twice(b, true); };
    auto in_scan = [&](const Array& b) {
      return lax::scan([&](const Array& c, const Array&) { return std::pair{once(c), c}; }, b, arange(3.f)).first;
    };
    const Array x = arange(4.f);
    const ShardMapOptions parts{.mesh = mesh, .in_specs = P("i"), .out_specs = P("i")};
    std::vector<float> first;
    for (int d = 0; d < devices; ++d) first.push_back(static_cast<float>(d * 4 / devices));
    for (const bool jitted : {false, true}) {
      const Array y = jitted ? jit(shard_map(once, parts))(x) : shard_map(once, parts)(x);
      EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 2, 4, 6})) << devices;
      EXPECT_EQ(heard.values, first) << devices;
      heard.values.clear();
    }
    EXPECT_EQ(shard_map([&](const Array& b) { return twice(b, false); }, parts)(x).to_vector<float>(),
              (std::vector<float>{0, 2, 4, 6}));
    heard.values.clear();
    EXPECT_EQ(jit(shard_map(in_scan, parts))(x).to_vector<float>(), (std::vector<float>{0, 8, 16, 24}));
    std::vector<float> all;
    for (float step : {1.f, 2.f, 4.f})
      for (float v : first) all.push_back(step * v);
    EXPECT_EQ(heard.values, all) << devices;
    heard.values.clear();
    EXPECT_EQ(pmap(once)(x.reshape(devices, -1)).to_vector<float>(), (std::vector<float>{0, 2, 4, 6}));
    EXPECT_EQ(heard.values, first) << devices;
    // Not so under vmap, as in JAX.
    const std::string text = error_of<ValueError>([&] { vmap(once)(x.reshape(2, 2)); });
    EXPECT_NE(text.find("vmap cannot map a call whose order counts"), text.npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Isolations, EffectsOnDevices, ::testing::Values(Isolation::shared, Isolation::per_device));

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
