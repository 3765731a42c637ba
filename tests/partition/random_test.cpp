// Random programs on random meshes with random placements: isolated devices must give the global values, and send what
// is planned.
#include "partition/random_programs.hpp"

namespace tutti::testing {
namespace {

void check_seed(unsigned seed, bool gradients) {
  RandomPrograms g{std::mt19937(seed)};
  Mesh mesh = g.mesh();
  const std::int64_t n = g.n = 2 + g.pick(11), m = g.m = 2 + g.pick(11);
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

TEST(Random, ProgramsEqualTheGlobalRun) {
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) check_seed(seed, false);
}
TEST(Random, GradientsEqualTheGlobalRun) {
  for (unsigned seed = 0; seed < 100 && !HasFailure(); ++seed) check_seed(seed, true);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
