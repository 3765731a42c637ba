// One road: programs followed from pass to pass.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "ir/passes.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Names = std::vector<std::string>;

const Names kUpToPartition{"inline",         "complex_parts", "needed_elements",     "propagate",
                           "manual_regions", "constraints",   "local_complex_parts", "partition"};
// What a program goes through that was not compiled before.
Names compiled_names() {
  Names out = kUpToPartition;
  for (std::size_t i = static_cast<std::size_t>(PassId::live); i < pass_list().size(); ++i)
    if (pass_list()[i].of != Pass::Of::bodies) out.push_back(pass_list()[i].name);
  return out;
}
const Names kCompiled = compiled_names();

struct Followed {
  Names names;
  std::map<std::string, std::string> texts;
  std::set<int> programs;
};

// Every pass that `call` runs.
template <class F> Followed follow(const F& call) {
  Followed out;
  PassWatcher watcher([&](const PassNote& note) {
    out.names.push_back(note.name);
    out.texts[note.name] = note.text();
    out.programs.insert(note.program);
    EXPECT_FALSE(note.size.empty()) << note.name;
    EXPECT_EQ(note.pass, static_cast<int>(out.names.size()));
  });
  call();
  return out;
}

// In the names of files.
std::string path_of(const std::string& name) {
  const bool inside = name == "manual_regions" || name == "constraints" || name == "local_complex_parts";
  return (inside ? "partition." : "") + name;
}

bool holds(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

TEST(Pipeline, EntersEachStageOnceOnOneDevice) {
  Array x = arange(12.f);
  auto f = jit([](const Array& v) { return sum(tanh(v) * 1.25f); });
  Followed first = follow([&] { f(x); });
  EXPECT_EQ(first.names, kCompiled);
  EXPECT_EQ(first.programs.size(), 1u);
  EXPECT_EQ(follow([&] { f(x); }).names, Names());
}

TEST(Pipeline, IsTheSameOnMany) {
  Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  Array x = device_put(arange(64.f).reshape(8, 8), NamedSharding(mesh, P("x", "y")));
  auto f = [](const Array& v) { return sum(sin(v) * 1.75f, 0); };
  Followed sharded = follow([&] { EXPECT_EQ(jit(f)(x).sharding().spec(), P("y")); });
  EXPECT_EQ(sharded.names, kCompiled);
  EXPECT_TRUE(holds(sharded.texts["propagate"], "layouts on Mesh('x': 4, 'y': 2")) << sharded.texts["propagate"];
  // Inside one address space shardings are labels: what is compiled is the same as for one device.
  Array whole = arange(64.f).reshape(8, 8);
  EXPECT_EQ(follow([&] { jit(f)(whole); }).names, kUpToPartition);
}

TEST(Pipeline, LeavesNoConstraintBehindPartition) {
  Mesh mesh = make_mesh({8}, "x");
  Array x = arange(16.f);
  auto f = jit([&](const Array& v) { return with_sharding_constraint(v * 2.5f, NamedSharding(mesh, P("x"))) + 1; });
  Followed seen = follow([&] { f(x); });
  EXPECT_TRUE(holds(seen.texts["propagate"], "sharding_constraint"));
  EXPECT_FALSE(holds(seen.texts["partition"], "sharding_constraint"));
}

TEST(Pipeline, OpensManualRegionsInPartition) {
  Mesh mesh = make_mesh({8}, "x");
  Array x = device_put(arange(16.f), NamedSharding(mesh, P("x")));
  auto f = jit(shard_map([](const Array& v) { return v * 3.25f - lax::psum(v, "x"); },
                         {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")}));
  Followed seen = follow([&] { f(x); });
  EXPECT_EQ(seen.names, kCompiled);
  EXPECT_TRUE(holds(seen.texts["propagate"], "shard_map"));
  EXPECT_FALSE(holds(seen.texts["partition"], "shard_map"));
  EXPECT_FALSE(holds(seen.texts["partition"], "psum"));
}

TEST(Pipeline, CompilesForSimulatedDevicesBehindTheSameInterface) {
  Mesh mesh = make_mesh({8}, "x");
  Array x = device_put(arange(16.f), NamedSharding(mesh, P("x")));
  auto f = jit([](const Array& v) { return sum(v * 4.5f); });
  config::isolation(Isolation::per_device);
  Followed seen = follow([&] { EXPECT_EQ(f(x).item<float>(), 540.f); });
  std::string explained = f.explain(x).str(), plan = f.lower(x).compile().plan();
  config::isolation(Isolation::shared);
  EXPECT_EQ(seen.names,
            (Names{"inline",        "complex_parts", "needed_elements", "propagate",           "counted_dims",
                   "sorted_rows",   "picks_first",   "known_rows",      "counted_updates",     "running_sums",
                   "reversals",     "fft_dims",      "diagonals",       "alike_pieces",        "dim_parts",
                   "steps_as_dims", "aligned_dims",  "rolls",           "sharded_live",        "strategies",
                   "emit",          "axis_parts",    "halos",           "local_complex_parts", "partition"}));
  EXPECT_TRUE(holds(seen.texts["partition"], "input 0: float32[16]  [{x}]")) << seen.texts["partition"];
  EXPECT_TRUE(holds(explained, "sent     7 B, 14 messages")) << explained;
  EXPECT_TRUE(holds(plan, "psum")) << plan;
}

TEST(Pipeline, InlinesCallsOnceAlsoInRegions) {
  Mesh mesh = make_mesh({8}, "x");
  Array x = device_put(arange(16.f), NamedSharding(mesh, P("x")));
  auto body = remat([](const Array& v) { return tanh(v) * 5.5f; });
  auto f = jit(shard_map(body, {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")}));
  Followed seen = follow([&] { f(x); });
  EXPECT_EQ(seen.names, kCompiled);
  EXPECT_FALSE(holds(seen.texts["inline"], "remat")) << seen.texts["inline"];
}

// Bodies of loops and branches go through the rows that are of bodies, inside of lower, as often as there are bodies.
TEST(Pipeline, TakesBodiesThroughTheSameList) {
  Names want, paths;
  for (const Pass& p : pass_list())
    if (p.id >= PassId::live && p.of != Pass::Of::program) want.push_back(std::string("lower.") + p.name);
  PassWatcher watcher([&](const PassNote& note) {
    if (note.path.starts_with("lower.")) paths.push_back(note.path);
  });
  auto step = [](const Array& c, const Array& x) { return std::pair{tanh(c * 8.5f + x), c}; };
  jit([&](const Array& x) { return lax::scan(step, zeros({3}), x); })(ones({5, 3}));
  EXPECT_EQ(paths, want);
  EXPECT_NE(std::find(want.begin(), want.end(), "lower.own_outputs"), want.end());
}

// In a process of its own: the variables are read once, here by arrays made before main.
TEST(PipelineDeathTest, WritesAFileForEveryPass) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto folder = std::filesystem::temp_directory_path() / ("tutti_pipeline_test_" + std::to_string(getpid()));
  setenv("TUTTI_DUMP", folder.c_str(), 1);  // the child starts with them
  setenv("TUTTI_LOG", "recompile,passes", 1);
  EXPECT_EXIT(
      {
        Array x = arange(12.f);
        jit([](const Array& v) { return v * 6.5f; })(x);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "the function jitted at .*pipeline_test.cpp.* fuse: .* ms, 1 units");
  unsetenv("TUTTI_DUMP");
  unsetenv("TUTTI_LOG");
  std::set<std::string> jitted, unchanged;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (!holds(text.str(), "the function jitted at")) continue;
    jitted.insert(entry.path().filename().string().substr(5));
    if (holds(text.str(), "\n\n(unchanged)\n")) unchanged.insert(entry.path().filename().string().substr(8));
  }
  std::filesystem::remove_all(folder);
  std::set<std::string> want;
  for (std::size_t k = 0; k < kCompiled.size(); ++k)
    want.insert((k < 9 ? "0" : "") + std::to_string(k + 1) + "-" + path_of(kCompiled[k]) + ".txt");
  EXPECT_EQ(jitted, want);
  EXPECT_TRUE(unchanged.contains("hoist.txt"));
  for (const char* changed : {"propagate.txt", "lower.txt"}) EXPECT_FALSE(unchanged.contains(changed)) << changed;
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
