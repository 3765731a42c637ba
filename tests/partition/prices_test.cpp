// A machine that is given decides what is sent along which axis.
#include "partition/prices.hpp"

#include "partition/explain.hpp"
#include "partition/programs.hpp"
#include "tutti/base/config.hpp"
#include "tutti/base/machine.hpp"

namespace tutti::testing {
namespace {

struct OnMachine {
  explicit OnMachine(const Machine& m) { config::machine(m); }
  ~OnMachine() { config::machine({}); }
};

// Bytes by the axis along which they come.
std::map<std::string, double> bytes_by_axis(const LocalProgram& local) {
  std::map<std::string, double> out;
  for (const Cause& c : local.causes)
    for (const std::string& axis : c.axes) out[axis] += c.bytes * static_cast<double>(c.times);
  return out;
}

const Link slow{1e-6, 1e9}, fast{1e-6, 100e9};

TEST(Prices, BytesUnlessAMachineIsGiven) {
  const Mesh mesh = grid({4, 2}, {"a", "b"});
  const AxisRefs a{whole_axis(mesh, 0)}, b{whole_axis(mesh, 1)};
  const Prices bytes = Prices::of(mesh);
  EXPECT_EQ(bytes.byte(a), 1);
  EXPECT_EQ(bytes.collective(7, a), 16);
  const OnMachine given({.axes = {{"a", slow}, {"b", fast}}, .flops = 1e12, .memory = 1e11});
  const Prices seconds = Prices::of(mesh);
  EXPECT_DOUBLE_EQ(seconds.byte(b), 1);
  EXPECT_DOUBLE_EQ(seconds.byte(a), 100);
  EXPECT_DOUBLE_EQ(seconds.byte({a[0], b[0]}), 100);
  EXPECT_NEAR(seconds.collective(3, a), 16 + 3 * 1e-6 * 100e9, 1e-6);
  EXPECT_DOUBLE_EQ(seconds.operation(), 0.1);
  EXPECT_DOUBLE_EQ(seconds.element(), 1);
}

// Either operand may be brought to the other.
TEST(Prices, WhatIsSentTakesTheFastAxis) {
  const Mesh mesh = grid({2, 2}, {"a", "b"});
  auto product = [](const Arrays& in) { return Arrays{sum(in[0] * in[1])}; };
  const std::vector<Type> types(2, type({512, 256}));
  for (const std::string name : {"a", "b"}) {
    const OnMachine given({.axes = {{"a", name == "a" ? fast : slow}, {"b", name == "b" ? fast : slow}}});
    const LocalProgram local = check_placed(types, {P("a"), P("b")}, mesh, product);
    std::map<std::string, double> sent = bytes_by_axis(local);
    EXPECT_GT(sent[name], 1000) << explain(local);
    EXPECT_LT(sent[name == "a" ? "b" : "a"], 1000) << explain(local);
  }
}

// A sum of partial products receives twice from each device, the operand gathered once, but more.
TEST(Prices, LatencyMakesFewerMessages) {
  const Mesh mesh = grid({4}, "x");
  auto product = [](const Arrays& in) { return Arrays{matmul(in[0], in[1])}; };
  const std::vector<Type> types{type({8, 64}), type({64, 16})};
  const std::vector<PartitionSpec> specs{P(none, "x"), P()};
  const LocalProgram by_bytes = check_placed(types, specs, mesh, product);
  const OnMachine given({.inside = {1e-3, 100e9}});
  const LocalProgram by_time = check_placed(types, specs, mesh, product);
  EXPECT_LT(total_messages(by_time), total_messages(by_bytes)) << explain(by_time);
  EXPECT_GT(total_bytes(by_time), total_bytes(by_bytes)) << explain(by_bytes);
}

// A plan follows the machine: a jitted function is planned again when another one is given, and found again when that
// one is gone.
TEST(Prices, TheMachineIsPartOfAGeneration) {
  const unsigned long before = config::generation();
  {
    const OnMachine given({.flops = 1e12});
    EXPECT_NE(config::generation(), before);
    const unsigned long on_it = config::generation();
    const OnMachine other({.flops = 2e12});
    EXPECT_NE(config::generation(), before);
    EXPECT_NE(config::generation(), on_it);
  }
  EXPECT_EQ(config::generation(), before);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
