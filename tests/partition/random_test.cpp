// Random programs on random meshes with random placements: isolated devices must give the global values, and send what
// is planned.
#include "partition/random_programs.hpp"
#include "tutti/base/config.hpp"
#include "tutti/base/machine.hpp"

namespace tutti::testing {
namespace {

void check_seed(unsigned seed, bool gradients, const Shape& axes = {}, const std::vector<std::int64_t>& extents = {}) {
  RandomPrograms g{std::mt19937(seed)};
  const Mesh mesh = axes.ndim() > 0 ? g.mesh_of(axes) : g.mesh();
  auto extent = [&] {
    return extents.empty() ? 2 + g.pick(11)
                           : extents[static_cast<std::size_t>(g.pick(static_cast<int>(extents.size())))];
  };
  const std::int64_t n = g.n = extent(), m = g.m = extent();
  std::vector<Type> types(3, type({n, m}));
  ProgramPtr p = record(types, [&](const Arrays& in) {
    Arrays known = in;
    for (int i = 0, ops = 1 + g.pick(gradients ? 6 : 14); i < ops; ++i) known.push_back(g.operation(known));
    return gradients ? Arrays{mean(known.back() * known[3])}
                     : Arrays{known.back(), sum(known[known.size() / 2]), known[3]};
  });
  if (gradients) p = value_and_grad(p, 3);
  std::vector<Sharding> placed;
  std::vector<BufferPtr> inputs;
  for (const Type& t : types) {
    placed.push_back(g.placement(mesh, t.shape));
    inputs.push_back(random_buffer(t, g.rng));
  }
  SCOPED_TRACE("seed " + std::to_string(seed) + (gradients ? " gradients" : ""));
  check_partition(propagate(p, placed), inputs, 2e-4);
}

// Axes that move together are one there (partition/axis_groups.hpp): extents that all devices divide, that some axes
// divide, and that none does.
void check_many_axes(unsigned from, unsigned to, const Shape& axes) {
  for (unsigned seed = from; seed < to && !::testing::Test::HasFailure(); ++seed)
    check_seed(seed, seed % 3 == 0, axes, {64, 96, 24, 13});
}

TEST(Random, ProgramsEqualTheGlobalRun) {
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) check_seed(seed, false);
}
TEST(Random, GradientsEqualTheGlobalRun) {
  for (unsigned seed = 0; seed < 100 && !HasFailure(); ++seed) check_seed(seed, true);
}

TEST(Random, OnMeshesOfManyAxes) {
  check_many_axes(0, 12, {2, 2, 2, 2, 2});
  check_many_axes(100, 112, {2, 3, 2, 1, 2, 2});
  check_many_axes(200, 204, {2, 2, 2, 2, 2, 2});
}
// Where axes differ in price only those of one price move together.
TEST(Random, OnManyAxesOfSeveralPrices) {
  const Link slow{1e-6, 1e9}, fast{1e-6, 100e9};
  config::machine({.axes = {{"x", slow}, {"z", slow}, {"y", fast}}});
  check_many_axes(300, 308, {2, 2, 2, 2, 2});
  config::machine({});
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
