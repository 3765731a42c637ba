// Resharding: every pair of layouts, also uneven; what is sent equals what is planned; prices obey their laws.
#include "ops/elementwise/arithmetic.hpp"
#include "partition/planner.hpp"
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

// All layouts of `rank` dims over the axes of a mesh; partial sums over the axes in no dim when asked.
std::vector<Layout> all_layouts(const Mesh& mesh, const Shape& shape, bool pending) {
  std::vector<Layout> out{Layout::replicated(shape.ndim())};
  AxisRefs axes;
  for (int a = 0; a < mesh.ndim(); ++a) axes.push_back(whole_axis(mesh, a));
  std::vector<Layout> all;
  do {
    std::vector<Layout> level{Layout::replicated(shape.ndim())};
    for (const AxisRef& a : axes) {
      std::vector<Layout> next = level;
      for (const Layout& l : level) {
        for (int d = 0; d < shape.ndim(); ++d) {
          if (shape[d] < l.ways(d) * a.size) continue;
          Layout more = l;
          more.dims[d].push_back(a);
          next.push_back(more);
        }
        if (pending) {
          Layout more = l;
          more.pending.push_back(a);
          next.push_back(canonical(more));
        }
      }
      level = next;
    }
    for (const Layout& l : level)
      if (std::find(all.begin(), all.end(), l) == all.end()) all.push_back(l);
  } while (std::next_permutation(axes.begin(), axes.end()));
  return all;
}

void check_pairs(const Mesh& mesh, const Shape& shape) {
  auto p = std::make_shared<Program>();
  p->types = {type(shape), type(shape)};
  p->inputs = {0};
  p->outputs = {Atom(1)};
  p->eqns.push_back(Eqn{&ops::neg, {}, {Atom(0)}, {1}, {}, {}});
  std::mt19937 rng(5);
  std::vector<BufferPtr> in{random_buffer(p->types[0], rng)};
  std::vector<Layout> froms = all_layouts(mesh, shape, true), tos = all_layouts(mesh, shape, false);
  for (const Layout& from : froms)
    for (const Layout& to : tos) {
      ShardedProgram sharded;
      sharded.program = p;
      sharded.mesh = mesh;
      Layout input = from;
      input.pending.clear();
      sharded.layouts = {input, to};
      sharded.outputs = {to};
      // The value is made under `from` and wanted under `to`.
      Candidate row;
      row.operands = row.results = {from};
      SCOPED_TRACE(str(from, mesh) + " -> " + str(to, mesh));
      check_partition(sharded, in, 1e-6, [&](const Problem&, Planner&) { return BodyPlan{{row}}; });
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(Reshard, MovesEveryLayoutIntoEveryOther) {
  check_pairs(grid({2, 2}, {"x", "y"}), {4, 8});
  check_pairs(grid({2, 3}, {"x", "y"}), {6, 6});
}
TEST(Reshard, MovesPartsOfAxes) { check_pairs(grid({2, 4}, {"x", "y"}), {8, 16}); }
// What goes over parts of axes leaves uneven blocks where they are; truth values move as numbers do.
TEST(Reshard, MovesWhatIsUnevenBesideWhatIsNot) {
  std::mt19937 rng(3);
  const Mesh mesh = grid({2, 4}, {"x", "y"});
  const std::vector<Type> types{{int32, {2, 1}, false, {}}, {float32, {8, 3}, false, {}}};
  std::vector<BufferPtr> inputs;
  for (const Type& t : types) inputs.push_back(random_buffer(t, rng, -5, 5));
  const ProgramPtr swapped = record(types, [](const Arrays& in) { return Arrays{in[1], in[0]}; });
  check_partition(
      propagate(swapped, {named(mesh, P("y")), named(mesh, P("y"))}, {named(mesh, P("x")), named(mesh, P())}), inputs,
      0);
  const Mesh square = grid({2, 2}, {"x", "y"});
  const ProgramPtr positive =
      record({type({10})}, [](const Arrays& in) { return Arrays{lax::gt(in[0], in[0] * 2.f)}; });
  for (const PartitionSpec& to : {P(axes("x", "y")), P(axes("y", "x")), P("x"), P()})
    check_partition(propagate(positive, {named(square, P("y"))}, {named(square, to)}), {random_buffer(type({10}), rng)},
                    0);
}
TEST(Reshard, MovesUnevenBlocks) {
  check_pairs(grid({2, 3}, {"x", "y"}), {7, 11});
  check_pairs(grid({4, 2}, {"x", "y"}), {10, 9});
  check_pairs(grid({3, 5}, {"x", "y"}), {16, 8});
}
TEST(Reshard, MovesOverThreeAxes) { check_pairs(grid({2, 2, 2}, {"x", "y", "z"}), {8, 9}); }

TEST(Reshard, PricesObeyTheTriangleAndVanishForNothing) {
  Mesh mesh = grid({2, 4}, {"x", "y"});
  Sizes sizes{{8, 16}, 4};
  Planner planner(mesh);
  std::vector<Layout> all = all_layouts(mesh, sizes.shape, false);
  for (const Layout& a : all) {
    EXPECT_TRUE(planner.path(a, a, sizes).moves.empty());
    for (const Layout& b : all)
      for (const Layout& c : all)
        EXPECT_LE(planner.path(a, c, sizes).cost,
                  planner.path(a, b, sizes).cost + planner.path(b, c, sizes).cost + 1e-9)
            << str(a, mesh) << " " << str(b, mesh) << " " << str(c, mesh);
  }
}

Layout layout(const Mesh& mesh, const PartitionSpec& spec, int ndim) { return layout_of(named(mesh, spec), ndim); }

TEST(Reshard, FindsKnownOptima) {
  Mesh row = grid({8}, "x"), mesh = grid({2, 4}, {"x", "y"});
  Sizes square{{1024, 1024}, 4};
  Planner on_row(row), on_mesh(mesh);
  EXPECT_EQ(on_row.path(layout(row, P("x"), 2), layout(row, P(none, "x"), 2), square).bytes, 458752);  // one all_to_all
  EXPECT_EQ(on_mesh.path(layout(mesh, P(axes("x", "y")), 2), layout(mesh, P(axes("y", "x")), 2), square).bytes,
            524288);  // one permute
  EXPECT_EQ(on_mesh.path(layout(mesh, P("x", "y"), 2), layout(mesh, P(), 2), square).bytes, 7 * 524288);
  // Half of y changes its dim with an all_to_all, then blocks change their places.
  Planner with_parts(mesh, true);
  EXPECT_EQ(with_parts.path(layout(mesh, P("x", "y"), 2), layout(mesh, P("y", "x"), 2), square).bytes, 786432);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
