// Constraints, provenance, meshes of one device list, conflicts. Result shardings against JAX's: golden/shardings.json.
#include "ops/placement/sharding_constraint.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

TEST(Propagate, ConstraintsHold) {
  Mesh mesh = grid({4, 2}, {"x", "y"});
  auto constrain = [&](const Array& a, PartitionSpec s) {
    return bind1(ops::sharding_constraint, ops::Constrain{named(mesh, s)}, {a});
  };
  auto result = [&](PartitionSpec in, Function f) {
    return propagate(record({type({8, 16})}, f), {named(mesh, in)}).output_shardings[0].spec();
  };
  EXPECT_EQ(result(P("x", "y"), [&](const Arrays& in) { return Arrays{constrain(in[0] + 1, P("y", "x"))}; }),
            P("y", "x"));
  EXPECT_EQ(result(P("x", "y"), [&](const Arrays& in) { return Arrays{constrain(in[0] + 1, P())}; }), P());
  EXPECT_EQ(result(P("x", "y"), [&](const Arrays& in) { return Arrays{sin(constrain(in[0], P("y")))}; }), P("y"));
  EXPECT_EQ(result(P(none, "x"), [&](const Arrays& in) { return Arrays{constrain(in[0], P("y", P::unconstrained))}; }),
            P("y", "x"));
}

TEST(Propagate, KnowsWhereAxesCameFrom) {
  Mesh mesh = grid({4, 2}, {"x", "y"});
  ProgramPtr p = record({type({8, 16}), type({16})}, [](const Arrays& in) { return Arrays{sin(in[0]) + in[1]}; });
  ShardedProgram s = propagate(p, {named(mesh, P("x")), named(mesh, P("y"))});
  ValueId out = s.program->outputs[0].id;
  EXPECT_EQ(s.origin_text(out, 0, 0), "input 0 (in0)");
  EXPECT_EQ(s.origin_text(out, 1, 1), "input 1 (in1)");
}

TEST(Propagate, CutsMeshesToCommonAxes) {
  Mesh line = grid({8}, "b"), mesh = grid({4, 2}, {"x", "y"});
  ProgramPtr p = record({type({8, 16}), type({8, 16})}, [](const Arrays& in) { return Arrays{in[0] + in[1]}; });
  ShardedProgram s = propagate(p, {named(line, P("b")), named(mesh, P())});
  EXPECT_EQ(s.mesh.size(), 8);
  EXPECT_EQ(s.output_shardings[0], named(line, P("b")));
}

TEST(Propagate, RefusesOtherDevices) {
  Mesh four = grid({4}, "x"), two = grid({2}, "x");
  std::vector<Placed> placed{{argument_text("x", "add", type({24}, int32)), named(four, P("x")), {}},
                             {argument_text("y", "add", type({24}, int32)), named(two, P("x")), {}}};
  try {
    check_devices(placed);
    FAIL();
  } catch (const DeviceError& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, std::string(e.what()).find('\n')),
              "Received incompatible devices for jitted computation. Got argument x of add with shape int32[24] and "
              "device ids [0, 1, 2, 3] on platform CPU and "
              "argument y of add with shape int32[24] and device ids [0, 1] on platform CPU");
  }
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
