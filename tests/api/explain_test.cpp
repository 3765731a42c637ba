// The report of a call as a value: what it counts, how it prints, and what it answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/refused.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/base/config.hpp"
#include "tutti/base/machine.hpp"
#include "tutti/debug/debug.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/shard_map.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::testing {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// Settings that a test makes end with it.
struct OnMachine {
  Machine before = config::machine();
  explicit OnMachine(const Machine& m) { config::machine(m); }
  ~OnMachine() { config::machine(before); }
};

Array at(const Array& x, const Mesh& mesh, PartitionSpec spec) {
  return device_put(x, NamedSharding(mesh, std::move(spec)));
}

auto contracted() {
  return jit([](const Array& x, const Array& w) { return matmul(x, w); });
}

TEST(Explain, ALongListOfDonatedArgumentsIsALine) {
  const Mesh mesh = make_mesh({8}, "x");
  std::vector<Array> state;
  for (int i = 0; i < 9; ++i) state.push_back(at(ones({8, i + 1}), mesh, P("x")));
  const auto step = jit(
      [](std::vector<Array> s) {
        for (Array& x : s) x = x * 2;
        s.back() = s.back().sum();
        return s;
      },
      {.donate = Donate::all});
  const Explanation e = step.explain(state);
  EXPECT_TRUE(holds(e.str(), "8 of 9 arguments: an output takes the memory")) << e;
  EXPECT_FALSE(holds(e.str(), ": output ")) << e;
  EXPECT_TRUE(holds(e.str(), "arg0[8] float32[8,9]: not reused")) << e;
  EXPECT_TRUE(holds(e.all(), "arg0[7] float32[8,8]: output 7 takes its memory")) << e.all();
}

TEST(Explain, CountsWhatIsSent) {
  const Mesh mesh = make_mesh({8}, "x");
  const Array x = at(ones({16, 64}), mesh, P(none, "x")), w = at(ones({64, 32}), mesh, P("x"));
  const auto f = contracted();
  const Explanation e = f.explain(x, w);
  ASSERT_EQ(e.collectives.size(), 1u);
  const Explanation::Collective& c = e.collectives[0];
  EXPECT_EQ(c.kind, "all_reduce");
  EXPECT_EQ(c.axes, std::vector<std::string>{"x"});
  EXPECT_EQ(c.devices, 8);
  EXPECT_EQ(e.bytes(), 2.0 * 7 / 8 * 16 * 32 * 4);
  EXPECT_EQ(c.bytes, e.bytes());
  EXPECT_EQ(c.inputs, (std::vector{0, 1}));
  EXPECT_TRUE(holds(c.loc.str(), "explain_test.cpp")) << c.loc.str();
  EXPECT_EQ(e.sent_bytes, 0);  // one memory: nothing has to go anywhere
  EXPECT_DOUBLE_EQ(e.flops, 2.0 * 16 * 64 * 32 / 8);
  EXPECT_NEAR(e.flop_inflation, 1, 1e-9);
  EXPECT_EQ(e.memory.arguments, (16 * 8 + 8 * 32) * 4);
  EXPECT_GE(e.memory.peak, e.memory.arguments + e.memory.outputs);

  config::isolation(Isolation::per_device);
  debug::reset_traffic();
  f(x, w);
  const double bytes = debug::traffic().bytes();
  const std::int64_t messages = debug::traffic().messages();
  config::isolation(Isolation::shared);
  EXPECT_EQ(bytes, e.bytes());
  EXPECT_EQ(messages, e.messages());
}

TEST(Explain, CountsStepsOfLoops) {
  const Mesh mesh = make_mesh({4}, "x");
  const auto f = jit([](const Array& x) {
    return lax::fori_loop(
        0, 10, [](const Array&, const Array& c) { return c / (1 + c.sum(0)); }, x);
  });
  const Explanation e = f.explain(at(ones({8192, 3}), mesh, P("x")));
  double bytes = 0, seconds = 0;
  for (const Explanation::Collective& c : e.collectives) {
    EXPECT_EQ(c.times, 10);
    EXPECT_TRUE(holds(c.where, "scan")) << c.where;
    bytes += c.total_bytes();
    seconds += c.total_seconds();
  }
  EXPECT_EQ(bytes, e.bytes());
  EXPECT_DOUBLE_EQ(seconds, e.collective_seconds);
  EXPECT_TRUE(holds(e.str(), "x 10")) << e;
}

TEST(Explain, ReckonsWithTheMachine) {
  auto on = [](std::int64_t devices, const Machine& machine) {
    OnMachine chosen(machine);
    const Mesh mesh = make_mesh({devices}, "x");
    return contracted().explain(at(ones({16, 64}), mesh, P(none, "x")), at(ones({64, 32}), mesh, P("x")));
  };
  auto expected = [](const Explanation& e, double latency, double bandwidth) {
    return static_cast<double>(e.messages()) * latency + e.bytes() / bandwidth;
  };
  const Machine two{.inside = {1e-6, 1e9}, .between = {1e-3, 1e6}, .devices_per_host = 2};
  const Explanation near = on(2, two), far = on(8, two);
  EXPECT_DOUBLE_EQ(near.collective_seconds, expected(near, 1e-6, 1e9));
  EXPECT_DOUBLE_EQ(far.collective_seconds, expected(far, 1e-3, 1e6));
  // Hosts of eight hold all of it; an axis may have wires of its own.
  const Explanation within = on(8, {.inside = {1e-6, 1e9}}), own = on(8, {.axes = {{"x", {0, 1e3}}}});
  EXPECT_DOUBLE_EQ(within.collective_seconds, expected(within, 1e-6, 1e9));
  EXPECT_DOUBLE_EQ(own.collective_seconds, expected(own, 0, 1e3));
  // Half of the shorter of two is saved.
  const Explanation half = on(8, {.flops = 1e6, .overlap = 0.5});
  EXPECT_DOUBLE_EQ(half.compute_seconds, half.flops / 1e6);
  EXPECT_DOUBLE_EQ(half.seconds(), half.compute_seconds + half.collective_seconds -
                                       std::min(half.compute_seconds, half.collective_seconds) / 2);
  expect_refused<ValueError>([] { config::machine({.flops = 0}); }, {"config::machine", "flops", "explain_test.cpp"});
  expect_refused<ValueError>([] { config::machine({.overlap = 2}); }, {"overlap"});
  expect_refused<ValueError>([] { config::machine({.axes = {{"x", {0, -1}}}}); }, {"along 'x'"});
}

// Layers of a pipeline of products: every layer's sum of activations.
struct Layers {
  std::vector<std::pair<Array, Array>> of;
};
Array run(const Layers& m, Array x) {
  for (const auto& [up, down] : m.of) x = x + tanh(matmul(tanh(matmul(x, up)), down));
  return x;
}

TEST(Explain, MergesEqualLayersOnOneScreen) {
  const Mesh mesh = make_mesh({2, 4}, {"data", "model"});
  Layers m;
  for (int i = 0; i < 12; ++i)
    m.of.emplace_back(at(ones({32, 64}), mesh, P(none, "model")), at(ones({64, 32}), mesh, P("model")));
  const Explanation e = jit(run).explain(m, at(ones({8, 32}), mesh, P("data")));
  EXPECT_GE(e.collectives.size(), 12u);
  const std::string one = e.str(), all = e.all();
  EXPECT_LT(std::count(one.begin(), one.end(), '\n'), 40) << one;
  EXPECT_TRUE(holds(one, "12")) << one;
  EXPECT_FALSE(holds(one, "rows more")) << one;  // one row stands for all layers
  for (const char* word : {"planned", "sent", "time", "work", "memory", "because", "remedy"})
    EXPECT_TRUE(holds(one, word)) << one;
  EXPECT_TRUE(holds(all, "advice")) << all;
}

TEST(Explain, IsWrittenAsJson) {
  const Mesh mesh = make_mesh({8}, "x");
  const Explanation e = contracted().explain(at(ones({16, 64}), mesh, P(none, "x")), at(ones({64, 32}), mesh, P("x")));
  const auto json = nlohmann::json::parse(e.json());
  EXPECT_EQ(json.at("bytes").get<double>(), e.bytes());
  EXPECT_EQ(json.at("devices").get<int>(), 8);
  ASSERT_EQ(json.at("collectives").size(), 1u);
  EXPECT_EQ(json.at("collectives")[0].at("kind"), "all_reduce");
  EXPECT_EQ(json.at("collectives")[0].at("axes"), nlohmann::json::array({"x"}));
  EXPECT_EQ(json.at("memory").at("peak").get<double>(), e.memory.peak);
}

TEST(Explain, IsWrittenAsOneHtmlFile) {
  const Mesh mesh = make_mesh({8}, "x");
  const Explanation e = contracted().explain(at(ones({16, 64}), mesh, P(none, "x")), at(ones({64, 32}), mesh, P("x")));
  const std::string html = e.html();
  for (const char* part : {"<!DOCTYPE html>", "<svg", "all_reduce", "explain_test.cpp", "</html>"})
    EXPECT_TRUE(holds(html, part)) << part;
  for (const char* part : {"<script", "http", "src=", "@import", "url("}) EXPECT_FALSE(holds(html, part)) << part;
}

TEST(Explain, OneDeviceSendsNothing) {
  const Explanation e = jit([](const Array& x) { return x + 1; }).explain(ones({4}));
  EXPECT_TRUE(e.collectives.empty());
  EXPECT_EQ(e.bytes(), 0);
  EXPECT_TRUE(holds(e.str(), "nothing is sent"));
  expect_refused<ValueError>([&] { e.why("output 0"); }, {"Explanation::why"});
}

// What a remedy promises is what comes of it.
TEST(Remedies, RemoveWhatTheySay) {
  const Mesh mesh = make_mesh({8}, "x");
  const Array a = at(ones({64, 64}), mesh, P("x")), b = at(ones({64, 64}), mesh, P(none, "x"));
  const auto f = jit([](const Array& a, const Array& b) { return exp(a) * sin(b); });
  const Explanation e = f.explain(a, b);
  ASSERT_EQ(e.collectives.size(), 1u) << e;
  const std::vector<Remedy> remedies = e.remedies(0);
  ASSERT_FALSE(remedies.empty()) << e;
  bool aligned = false;
  for (const Remedy& r : remedies) {
    EXPECT_LT(r.bytes, e.bytes());
    ASSERT_EQ(r.arguments.size(), 1u);
    if (r.arguments[0] != "arg1" || r.spec != "P('x',)") continue;
    aligned = true;
    const Explanation after = f.explain(a, at(ones({64, 64}), mesh, P("x")));
    EXPECT_EQ(after.bytes(), r.bytes);
    EXPECT_TRUE(after.collectives.empty()) << after;
    EXPECT_DOUBLE_EQ(after.flop_inflation, r.flop_inflation);
    EXPECT_EQ(after.memory.peak, r.peak_bytes);
  }
  EXPECT_TRUE(aligned) << e.str(1);
  EXPECT_TRUE(holds(e.str(1), "remedy   place arg")) << e.str(1);
  expect_refused<IndexError>([&] { e.remedies(1); }, {"remedies", "no collective 1"});
}

TEST(Remedies, SpeakOfEqualLayersTogether) {
  const Mesh mesh = make_mesh({4}, "model");
  Layers m;
  for (int i = 0; i < 3; ++i) m.of.emplace_back(at(ones({64, 64}), mesh, P("model")), at(ones({64, 64}), mesh, P()));
  const Explanation e = jit(run).explain(m, at(ones({64, 64}), mesh, P()));
  ASSERT_FALSE(e.collectives.empty());
  const std::vector<Remedy> remedies = e.remedies(0);
  ASSERT_FALSE(remedies.empty()) << e;
  EXPECT_EQ(remedies[0].arguments.size(), 3u) << remedies[0].str();
  EXPECT_TRUE(holds(remedies[0].pattern, "arg0.of[*][")) << remedies[0].str();  // not both weights of a layer
  EXPECT_FALSE(holds(remedies[0].pattern, "][*]")) << remedies[0].str();
}

// Where nothing helps, nothing is said: a gradient has to be summed wherever its batch is cut.
TEST(Remedies, AreNoneWhereNothingIsBetter) {
  const Mesh mesh = make_mesh({4}, "x");
  const Explanation e = jit([](const Array& x) { return x.sum(); }).explain(at(ones({8}), mesh, P("x")));
  ASSERT_EQ(e.collectives.size(), 1u);
  for (const Remedy& r : e.remedies(0)) EXPECT_EQ(r.spec, "P()") << r.str();  // whole: everybody adds everything
}

TEST(Why, NamesTheAnnotationAndTheWay) {
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  const auto f = jit([](const Array& a, const Array& b) { return cos(exp(a)) + b; });
  const Explanation e = f.explain(at(ones({8, 4}), mesh, P("x")), ones({8, 4}));
  const std::string text = e.why("output 0");
  EXPECT_TRUE(holds(text, "output 0 float32[8,4] is [{x}, {}]")) << text;
  EXPECT_TRUE(holds(text, "dim 0 over 'x': from input 0 (arg0), by way of")) << text;
  EXPECT_TRUE(holds(text, "exp (explain_test.cpp")) << text;
  EXPECT_TRUE(holds(e.why("arg0"), "from input 0 (arg0)")) << e.why("arg0");
  const std::string line = e.collectives.empty() ? "" : e.collectives[0].loc.str();
  expect_refused<ValueError>([&] { e.why("weights"); }, {"why", "weights", "arg0", "output 0"});
}

TEST(Why, FindsConstraintsAndLines) {
  const Mesh mesh = make_mesh({4}, "x");
  unsigned where = 0;
  const auto f = jit([&](const Array& a) {
    const Array b = with_sharding_constraint(a, NamedSharding(mesh, P("x")));
    where = __LINE__ + 1;
    return tanh(b);
  });
  const Explanation e = f.explain(at(ones({8}), mesh, P()));
  const std::string text = e.why("explain_test.cpp:" + std::to_string(where));
  EXPECT_TRUE(holds(text, "tanh")) << text;
  EXPECT_TRUE(holds(text, "from the constraint at explain_test.cpp:" + std::to_string(where - 2))) << text;
}

TEST(ExplainDiff, SaysWhatChanged) {
  const Mesh mesh = make_mesh({8}, "x");
  const Array a = at(ones({64, 64}), mesh, P("x")), b = at(ones({64, 64}), mesh, P(none, "x"));
  const auto f = jit([](const Array& a, const Array& b) { return exp(a) * sin(b); });
  const Explanation before = f.explain(a, b), after = f.explain(a, at(ones({64, 64}), mesh, P("x")));
  const std::string text = explain_diff(before, after);
  EXPECT_TRUE(holds(text, "gone")) << text;
  EXPECT_TRUE(holds(text, before.collectives[0].kind)) << text;
  EXPECT_TRUE(holds(text, "-> 0 B")) << text;
  EXPECT_TRUE(holds(explain_diff(after, before), "new")) << explain_diff(after, before);
  EXPECT_TRUE(holds(explain_diff(before, before), "the same collectives"));
}

// ---- strict

TEST(Strict, RefusesGathers) {
  const Mesh mesh = make_mesh({8}, "x");
  auto whole = [mesh](const Array& x) { return with_sharding_constraint(exp(x), NamedSharding(mesh, P())); };
  const Array x = at(ones({64}), mesh, P("x"));
  EXPECT_NO_THROW(jit(whole)(x));
  expect_refused<ShardingError>([&] { jit(whole, {.strict = {.no_gather = true}})(x); },
                                {"strict.no_gather", "all_gather", "explain_test.cpp", ".strict"});
  // One that stands in a manual region is the user's own.
  auto own = shard_map([](const Array& x) { return lax::all_gather(x, "x", {.axis = 0, .tiled = true}); },
                       {.mesh = mesh, .in_specs = P("x"), .out_specs = P(), .check_vma = false});
  EXPECT_NO_THROW(jit(own, {.strict = {.no_gather = true}})(x));
}

TEST(Strict, RefusesBytesBeyondABudget) {
  const Mesh mesh = make_mesh({8}, "x");
  const Array a = at(ones({64, 64}), mesh, P("x")), b = at(ones({64, 64}), mesh, P(none, "x"));
  auto product = [](const Array& a, const Array& b) { return exp(a) * sin(b); };
  const double needed = jit(product).explain(a, b).bytes();
  EXPECT_NO_THROW(jit(product, {.strict = {.max_bytes = needed}})(a, b));
  expect_refused<ShardingError>([&] { jit(product, {.strict = {.max_bytes = needed - 1}})(a, b); },
                                {"strict.max_bytes", "explain_test.cpp", "Place arg"});
  expect_refused<ShardingError>([&] { jit(product, {.strict = {.max_bytes = 0}}).plan(a, b); }, {"strict.max_bytes"});
}

TEST(Strict, RefusesWorkDoneTwice) {
  const Mesh mesh = make_mesh({2, 4}, {"x", "y"});
  const Array x = at(ones({16, 32}), mesh, P("x")), w = at(ones({32, 16}), mesh, P());
  auto product = [](const Array& x, const Array& w) { return matmul(x, w); };
  const Explanation e = jit(product).explain(x, w);
  EXPECT_NEAR(e.flop_inflation, 4, 1e-9);
  ASSERT_FALSE(e.replicated.empty());
  EXPECT_EQ(e.replicated[0].what, "dot_general");
  EXPECT_NO_THROW(jit(product, {.strict = {.max_flop_inflation = 4.01}})(x, w));
  expect_refused<ShardingError>([&] { jit(product, {.strict = {.max_flop_inflation = 1.05}})(x, w); },
                                {"4.00 times", "dot_general", "explain_test.cpp"});
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
