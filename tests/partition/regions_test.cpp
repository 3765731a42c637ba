// Manual regions on isolated devices: the body is what each device runs.
#include "ops/collective/collective.hpp"
#include "partition/manual_regions.hpp"
#include "partition/programs.hpp"
#include "regions/shard_map.hpp"

namespace tutti::testing {
namespace {

// shard_map over axis "x" (rows) of f: local block -> local block.
ProgramPtr with_region(const Mesh& mesh, const Type& in, const Function& f, bool result_is_cut) {
  Type block = in;
  block.shape[0] /= mesh.size("x");
  ProgramPtr body = record({block}, f);
  ops::DimAxes rows(static_cast<std::size_t>(in.ndim())),
      out(static_cast<std::size_t>(body->type(body->outputs[0]).ndim()));
  rows[0] = {"x"};
  if (result_is_cut) out[0] = {"x"};
  ops::ShardMap p{mesh, {rows}, {out}, false, mesh.axis_names()};
  return record({in}, [&](const Arrays& args) { return Arrays{sin(bind1(ops::shard_map, p, {args[0] * 2}, {body}))}; });
}

void check_region(const ProgramPtr& p, const Sharding& input) {
  ShardedProgram sharded = propagate(p, {input});
  LocalProgram local = partition(sharded);
  std::mt19937 rng(9);
  std::vector<BufferPtr> in{random_buffer(p->types[p->inputs[0]], rng)};
  simulated::Run isolated = simulated::run(local, in);
  BufferPtr got = isolated.outputs[0], want = evaluate(*open_manual_regions(p), in)[0];
  expect_close(local.output_types[0], got, want, 1e-5, str(*local.program));
  EXPECT_DOUBLE_EQ(isolated.sent.bytes(), total_bytes(local));
}

TEST(Regions, RunTheirBodiesOnBlocks) {
  Mesh mesh = grid({4, 2}, {"x", "y"});
  auto over = [&](const Array& a) { return bind1(ops::psum, Group{{"x"}, {4}}, {a}); };
  ProgramPtr summed = with_region(
      mesh, type({8, 6}), [&](const Arrays& in) { return Arrays{over(sum(in[0], 0))}; }, false);
  ProgramPtr shifted = with_region(
      mesh, type({8, 6}),
      [&](const Arrays& in) {
        return Arrays{bind1(ops::ppermute, ops::Permute{{{"x"}, {4}}, {{0, 1}, {1, 2}, {2, 3}}}, {in[0]}) +
                      bind1(ops::axis_index, Group{{"x"}, {4}}, {})};
      },
      true);
  ProgramPtr gathered = with_region(
      mesh, type({8, 6}),
      [&](const Arrays& in) {
        return Arrays{bind1(ops::all_gather, ops::GatherOver{{{"x"}, {4}}, 1, true}, {in[0]})};
      },
      true);
  for (const ProgramPtr& p : {summed, shifted, gathered})
    for (PartitionSpec s : {P("x"), P(), P(none, "y"), P("y", "x")}) check_region(p, named(mesh, s));
}

TEST(Regions, RunOnAnotherMeshOfTheSameDevices) {
  ProgramPtr p = with_region(
      grid({8}, "x"), type({8, 6}),
      [&](const Arrays& in) {
        return Arrays{bind1(ops::psum, Group{{"x"}, {8}}, {in[0]})};
      },
      true);
  check_region(p, named(grid({4, 2}, {"a", "b"}), P("b", "a")));
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
