// Result shardings against JAX's recorded ones: equal, or with blocks no larger.
#include "mesh/golden.hpp"
#include "ops/sharding_constraint.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

const std::map<std::string, Function>& programs() {
  auto sum_of = [](Axes axes) { return [axes](const Arrays& in) { return Arrays{sum(in[0], axes)}; }; };
  static const std::map<std::string, Function> all{
      {"sin(a)", [](const Arrays& in) { return Arrays{sin(in[0])}; }},
      {"a", [](const Arrays& in) { return Arrays{in[0]}; }},
      {"a + b", [](const Arrays& in) { return Arrays{in[0] + in[1]}; }},
      {"a + b (row vector)", [](const Arrays& in) { return Arrays{in[0] + in[1]}; }},
      {"a + b (row vector sharded)", [](const Arrays& in) { return Arrays{in[0] + in[1]}; }},
      {"a + b (row vector sharded over x)", [](const Arrays& in) { return Arrays{in[0] + in[1]}; }},
      {"2 * sin(a) + 1", [](const Arrays& in) { return Arrays{2 * sin(in[0]) + 1}; }},
      {"a[:,None] * b[None,:]", [](const Arrays& in) { return Arrays{expand_dims(in[0], {1}) * expand_dims(in[1], {0})}; }},
      {"dot(a, b)", [](const Arrays& in) { return Arrays{dot(in[0], in[1])}; }},
      {"a @ b", [](const Arrays& in) { return Arrays{matmul(in[0], in[1])}; }},
      {"a @ b, batch", [](const Arrays& in) { return Arrays{matmul(in[0], in[1])}; }},
      {"a @ b, batch + free", [](const Arrays& in) { return Arrays{matmul(in[0], in[1])}; }},
      {"a.T @ a", [](const Arrays& in) { return Arrays{matmul(transpose(in[0]), in[0])}; }},
      {"a @ a.T", [](const Arrays& in) { return Arrays{matmul(in[0], transpose(in[0]))}; }},
      {"a.T", [](const Arrays& in) { return Arrays{transpose(in[0])}; }},
      {"transpose(a, (2,0,1))", [](const Arrays& in) { return Arrays{transpose(in[0], {2, 0, 1})}; }},
      {"sum(a, axis=None)", sum_of({})},
      {"sum(a, axis=0)", sum_of(0)},
      {"sum(a, axis=1)", sum_of(1)},
      {"sum(a, axis=1, keepdims)", [](const Arrays& in) { return Arrays{sum(in[0], 1, true)}; }},
      {"mean(a)", [](const Arrays& in) { return Arrays{mean(in[0])}; }},
      {"max(a, axis=0)", [](const Arrays& in) { return Arrays{max(in[0], 0)}; }},
      {"argmax(a, axis=1)", [](const Arrays& in) { return Arrays{argmax(in[0], 1)}; }},
      {"cumsum(a, axis=0)", [](const Arrays& in) { return Arrays{cumsum(in[0], 0)}; }},
      {"cumsum(a, axis=1)", [](const Arrays& in) { return Arrays{cumsum(in[0], 1)}; }},
      {"a.astype(int32)", [](const Arrays& in) { return Arrays{in[0].astype(int32)}; }},
      {"where(a>0, a, b)", [](const Arrays& in) { return Arrays{where(in[0] > 0, in[0], in[1])}; }},
      {"reshape(a, (-1,))", [](const Arrays& in) { return Arrays{reshape(in[0], {-1})}; }},
      {"reshape(a, (8,-1))", [](const Arrays& in) { return Arrays{reshape(in[0], {8, -1})}; }},
      {"reshape(a, (2,-1))", [](const Arrays& in) { return Arrays{reshape(in[0], {2, -1})}; }},
      {"reshape(a, (4,-1)) of 8-way", [](const Arrays& in) { return Arrays{reshape(in[0], {4, -1})}; }},
      {"expand_dims(a, 1)", [](const Arrays& in) { return Arrays{expand_dims(in[0], {1})}; }},
      {"squeeze(a, 1)", [](const Arrays& in) { return Arrays{squeeze(in[0], 1)}; }},
      {"a[::-1]", [](const Arrays& in) { return Arrays{flip(in[0], 0)}; }},
      {"stack([a,b])", [](const Arrays& in) { return Arrays{stack({in[0], in[1]})}; }},
      {"concatenate([a,b], axis=1)", [](const Arrays& in) { return Arrays{concatenate({in[0], in[1]}, 1)}; }},
      {"concatenate([a,b])", [](const Arrays& in) { return Arrays{concatenate({in[0], in[1]}, 0)}; }},
      {"(sin(a), sum(a))", [](const Arrays& in) { return Arrays{sin(in[0]), sum(in[0])}; }},
  };
  return all;
}

TEST(PropagateGolden, EqualsJaxOrCutsMore) {
  TUTTI_READ_GOLDEN(golden, "shardings.json");
  int checked = 0, equal = 0;
  for (const auto& c : golden["programs"]) {
    auto program = programs().find(c["program"]);
    if (program == programs().end()) continue;
    std::vector<Type> types;
    std::vector<Sharding> shardings;
    for (const auto& in : c["inputs"]) {
      types.push_back(type(golden::shape(in["shape"]), in["dtype"] == "int32" ? int32 : float32));
      shardings.push_back(in["mesh"].is_null() ? Sharding() : golden::sharding(in));
    }
    ShardedProgram sharded = propagate(record(types, program->second), shardings);
    for (std::size_t k = 0; k < c["outputs"].size(); ++k) {
      const auto& out = c["outputs"][k];
      if (!out["sharding"].contains("spec")) continue;
      Shape shape = golden::shape(out["shape"]);
      NamedSharding want(golden::mesh(out["sharding"]["mesh"]), golden::spec(out["sharding"]["spec"]));
      const Sharding& got = sharded.output_shardings[k];
      ++checked;
      equal += got.is_equivalent_to(want, shape.ndim());
      EXPECT_LE(got.shard_shape(shape).num_elements(), want.shard_shape(shape).num_elements())
          << c["name"] << ": " << got.spec().str() << " instead of " << want.spec().str() << "\n" << str(sharded);
    }
  }
  std::printf("%d results, %d equal to JAX's\n", checked, equal);
  EXPECT_GT(checked, 150);
}

TEST(Propagate, ConstraintsHold) {
  Mesh mesh = grid({4, 2}, {"x", "y"});
  auto constrain = [&](const Array& a, PartitionSpec s) { return bind1(find_op("sharding_constraint"), ops::Constrain{named(mesh, s)}, {a}); };
  auto result = [&](PartitionSpec in, Function f) {
    return propagate(record({type({8, 16})}, f), {named(mesh, in)}).output_shardings[0].spec();
  };
  EXPECT_EQ(result(P("x", "y"), [&](const Arrays& in) { return Arrays{constrain(in[0] + 1, P("y", "x"))}; }), P("y", "x"));
  EXPECT_EQ(result(P("x", "y"), [&](const Arrays& in) { return Arrays{constrain(in[0] + 1, P())}; }), P());
  EXPECT_EQ(result(P("x", "y"), [&](const Arrays& in) { return Arrays{sin(constrain(in[0], P("y")))}; }), P("y"));
  EXPECT_EQ(result(P(none, "x"), [&](const Arrays& in) { return Arrays{constrain(in[0], P("y", P::unconstrained))}; }), P("y", "x"));
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
  std::vector<Placed> placed{{argument_text("x", "add", type({24}, int32)), named(four, P("x")), {}}, {argument_text("y", "add", type({24}, int32)), named(two, P("x")), {}}};
  try {
    check_devices(placed);
    FAIL();
  } catch (const DeviceError& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, std::string(e.what()).find('\n')),
              "Received incompatible devices for jitted computation. Got argument x of add with shape int32[24] and device ids [0, 1, 2, 3] on platform CPU and "
              "argument y of add with shape int32[24] and device ids [0, 1] on platform CPU");
  }
}

}  // namespace
}  // namespace tutti::testing
