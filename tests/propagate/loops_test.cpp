// Bodies of loops and branches are parts of the program: axes flow into them and out, one layout in all steps.
#include "ops/placement/inspect_sharding.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "partition/loop_programs.hpp"

namespace tutti::testing {
namespace {

const Mesh& mesh_4x2() {
  static const Mesh mesh = grid({4, 2}, {"x", "y"});
  return mesh;
}
Array constrain(const Array& a, PartitionSpec s) {
  return bind1(ops::sharding_constraint, ops::Constrain{named(mesh_4x2(), s)}, {a});
}
ShardedProgram propagated(const std::vector<Type>& types, const std::vector<PartitionSpec>& specs, const Function& f) {
  std::vector<Sharding> placed;
  for (const PartitionSpec& s : specs) placed.push_back(named(mesh_4x2(), s));
  ShardedProgram out = propagate(record(types, f), placed);
  verify(out);
  return out;
}
PartitionSpec result(const ShardedProgram& s, std::size_t i) { return s.output_shardings[i].spec(); }

TEST(PropagateLoops, CarriesKeepTheirAxesAndStacksThoseOfTheirElements) {
  ShardedProgram s = propagated({type({8, 16}), type({5, 8, 16})}, {P("x"), P(none, none, "y")}, [](const Arrays& in) {
    return scan(5, {}, {in[0]}, {in[1]}, [](const Arrays&, const Arrays& c, const Arrays& x) {
      return Arrays{sin(c[0]) + x[0], c[0] * 2};
    });
  });
  EXPECT_EQ(result(s, 0), P("x", "y"));
  EXPECT_EQ(result(s, 1), P(none, "x", "y"));
  ASSERT_EQ(s.bodies[0].size(), 1u);
  const ShardedProgram& body = s.bodies[0][0];
  EXPECT_EQ(body.layouts[body.program->inputs[0]], body.outputs[0]);
  EXPECT_EQ(body.origin_text(body.program->inputs[0], 0, 0), "input 0 (in0)");
  EXPECT_NE(str(s).find("in body 0 of Eqn 0 (scan)"), std::string::npos) << str(s);
}

TEST(PropagateLoops, NoAxisCrossesTheSteps) {
  ShardedProgram s = propagated({type({8, 16})}, {P("x", "y")}, [](const Arrays& in) {
    return scan(8, {}, {}, {in[0]}, [](const Arrays&, const Arrays&, const Arrays& x) { return Arrays{sin(x[0])}; });
  });
  EXPECT_EQ(result(s, 0), P(none, "y"));
}

TEST(PropagateLoops, AxesFlowBackwardsThroughNestedBodies) {
  ShardedProgram s = propagated({type({16, 8}), type({8, 8})}, {P("x"), P()}, [](const Arrays& in) {
    return scan(3, {in[0]}, {in[1] * 1.0f}, {}, [](const Arrays& outer, const Arrays& a, const Arrays&) {
      return scan(4, outer, a, {}, [](const Arrays& w, const Arrays& c, const Arrays&) {
        return Arrays{tanh(dot(c[0], dot(transpose(w[0]), w[0])))};
      });
    });
  });
  const ShardedProgram& inner = s.bodies[1][0].bodies[0][0];
  EXPECT_EQ(str(inner.layouts[inner.program->inputs[0]], s.mesh), "[{x}, {}]");
}

TEST(PropagateLoops, ConstraintsInBodiesHoldInAllSteps) {
  for (bool last : {true, false}) {
    ShardedProgram s = propagated({type({8, 16})}, {P()}, [&](const Arrays& in) {
      return scan(3, {}, {in[0] + 1}, {}, [&](const Arrays&, const Arrays& c, const Arrays&) {
        return Arrays{last ? constrain(sin(c[0]), P("y", "x")) : sin(constrain(c[0], P("y", "x")))};
      });
    });
    EXPECT_EQ(result(s, 0), P("y", "x"));
    EXPECT_TRUE(s.output_committed[0]);
    EXPECT_EQ(str(s.layouts[0], s.mesh), "[{}, {}]");  // what the user put somewhere stays there
    EXPECT_EQ(str(s.layouts[1], s.mesh), "[{y}, {x}]");
  }
}

TEST(PropagateLoops, BranchesAndWhileLoopsHaveOneLayout) {
  ShardedProgram s = propagated({type({8, 16}), type({8, 16})}, {P("x"), P(none, "y")}, [](const Arrays& in) {
    Arrays out =
        branch(Array(0) + Array(0), in,
               {[](const Arrays& a) { return Arrays{a[0] * 2}; }, [](const Arrays& a) { return Arrays{sin(a[1])}; }});
    return join(out, while_loop(
                         {}, {in[0] * 1.0f}, [](const Arrays&, const Arrays& c) { return sum(c[0]) < 1; },
                         [](const Arrays&, const Arrays& c) { return Arrays{constrain(c[0], P("x", "y")) * 2}; }));
  });
  EXPECT_EQ(result(s, 0), P("x", "y"));
  EXPECT_EQ(result(s, 1), P("x", "y"));
}

TEST(PropagateLoops, ValuesInBodiesAreInspected) {
  std::vector<PartitionSpec> seen;
  ShardedProgram s = propagated({type({8, 16})}, {P("x")}, [&](const Arrays& in) {
    return scan(3, {}, {in[0]}, {}, [&](const Arrays&, const Arrays& c, const Arrays&) {
      ops::Inspector tell([&](const Sharding& at, const Shape&) { seen.push_back(at.spec()); });
      bind(ops::inspect_sharding, ops::InspectSharding{tell}, {transpose(c[0])});
      return Arrays{sin(c[0])};
    });
  });
  ASSERT_EQ(s.inspections.size(), 1u);
  for (const Inspection& i : s.inspections) i.op->inspect(i.params, i.sharding, i.shape);
  EXPECT_EQ(seen, std::vector<PartitionSpec>{P(none, "x")});
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
