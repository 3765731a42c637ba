// Dims with homes: moves between all kinds of layouts are right and cost what was planned; where a homeless dim would
// have to be turned, nothing is.
#include "partition/homes.hpp"

#include <algorithm>

#include "partition/explain.hpp"
#include "partition/programs.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::testing {
namespace {

int permutes(const LocalProgram& p) {
  return static_cast<int>(std::count_if(p.program->eqns.begin(), p.program->eqns.end(),
                                        [](const Eqn& e) { return std::string(e.op->name) == "ppermute"; }));
}

// Each axis somewhere: in a dim, pending, or nowhere.
Layout random_layout(const AxisRefs& axes, const Homes& homes, std::mt19937& rng) {
  Layout out = Layout::replicated(static_cast<int>(homes.size()));
  for (const AxisRef& a : axes) {
    const auto place = static_cast<std::size_t>(rng() % (homes.size() + 2));
    if (place < homes.size())
      out.dims[place].push_back(a);
    else if (place == homes.size())
      out.pending.push_back(a);
  }
  return as_sets(out, homes);
}

TEST(Homes, EveryWayBetweenSetsIsRight) {
  const Mesh mesh = grid({2, 2, 2}, {"a", "b", "c"});
  const AxisRefs axes{whole_axis(mesh, 0), whole_axis(mesh, 1), whole_axis(mesh, 2)};
  std::mt19937 rng(5);
  const std::vector<Type> types{type({16, 3, 8})};
  for (int round = 0; round < 150; ++round) {
    Homes homes{axes, {}, axes};
    std::shuffle(homes[0].begin(), homes[0].end(), rng);
    std::shuffle(homes[2].begin(), homes[2].end(), rng);
    // From outside come blocks that lie together: the first axes of a home.
    const std::size_t first = rng() % 4;
    std::vector<std::string> cut;
    for (std::size_t i = 0; i < first; ++i) cut.push_back(mesh.axis_names()[homes[0][i].axis]);
    const ShardedProgram sharded = propagated(types, {first == 0 ? P() : P(Names(cut))}, mesh,
                                              [](const Arrays& in) { return Arrays{-(-(-in[0]))}; });
    Layout layouts[3];
    for (Layout& l : layouts) {
      l = random_layout(axes, homes, rng);
      if (l.ways(1) > 3) l = Layout::replicated(3);
    }
    const Chooser chooser = [&](const Problem& problem, Planner&) {
      BodyPlan out;
      for (std::size_t i = 0; i < problem.program->eqns.size(); ++i)
        out.chosen.push_back(
            {.operands = {layouts[i]}, .results = {layouts[i]}, .params = problem.program->eqns[i].params});
      out.homes.assign(problem.program->types.size(), homes);
      return out;
    };
    SCOPED_TRACE(str(layouts[0], mesh) + " to " + str(layouts[1], mesh) + " to " + str(layouts[2], mesh));
    check_partition(sharded, {random_buffer(types[0], rng, -2, 2)}, 0, chooser);
  }
}

// Hidden units of which the weights at rest are cut over y are computed over x, tokens over y: the weights are gathered
// over y while x cuts them, though y comes first.
TEST(Homes, TheOuterAxisIsGatheredBeforeTheInner) {
  const Mesh mesh = grid({2, 4}, {"x", "y"});
  auto plan = [&](std::int64_t tokens, std::int64_t width, bool run) {
    std::vector<Type> types{type({tokens, width}), type({width, 4 * width}), type({4 * width, width})};
    const ShardedProgram sharded =
        propagated(types, {P(Names{"y", "x"}), P(none, "y"), P("y")}, mesh,
                   [](const Arrays& in) { return Arrays{in[0] + matmul(sin(matmul(in[0], in[1])), in[2])}; });
    std::mt19937 rng(7);
    std::vector<BufferPtr> inputs;
    if (!run) return partition(sharded, BoundaryAxes::every());
    for (const Type& t : types) inputs.push_back(random_buffer(t, rng, -0.1, 0.1));
    return check_partition(sharded, inputs, 1e-5);
  };
  const std::int64_t tokens = 4096, width = 512;
  const LocalProgram local = plan(tokens, width, false);
  EXPECT_EQ(permutes(local), 0) << explain(local);
  // Tokens are gathered and summed over x; of the weights a half is gathered over y.
  EXPECT_EQ(total_bytes(local), 4 * (2 * tokens * width / 8 + 2 * 3 * width * 4 * width / 8)) << explain(local);
  EXPECT_EQ(permutes(plan(256, 32, true)), 0);
}

// Rows behind a factor that is cut are blocks: a piece cut over y is a half, not every second part.
TEST(Homes, APlaceBehindAnotherFactorIsABlock) {
  const Mesh mesh = grid({2, 2}, {"x", "y"});
  check_placed({type({12})}, {P(Names{"x", "y"})}, mesh, [](const Arrays& in) {
    return Arrays{lax::concatenate({in[0], in[0]}, 0)};
  });
  check_placed({type({8, 1})}, {P(Names{"y", "x"})}, mesh, [](const Arrays& in) {
    const Array halves = lax::reshape(in[0], {2, 4, 1});
    return Arrays{lax::slice(halves, {1, 0, 0}, {2, 4, 1}), sin(halves)};
  });
}

TEST(Homes, PlacementsThatContradictEachOtherLeaveADimItsOrder) {
  const Mesh mesh = grid({2, 2}, {"x", "y"});
  const LocalProgram local = check_placed({type({16, 8}), type({16, 8})}, {P(Names{"x", "y"}), P(Names{"y", "x"})},
                                          mesh, [](const Arrays& in) { return Arrays{in[0] + sin(in[1])}; });
  EXPECT_EQ(permutes(local), 1) << explain(local);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
