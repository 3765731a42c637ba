// Random programs on random meshes with random placements: isolated devices must give the global values, and send what
// is planned.
#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

struct Generator {
  std::mt19937 rng;
  int pick(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }

  Mesh mesh() {
    static const std::vector<Shape> shapes{{2}, {3}, {4}, {2, 2}, {2, 3}, {3, 2}, {1, 4}, {2, 2, 2}};
    const Shape& s = shapes[pick(static_cast<int>(shapes.size()))];
    std::vector<std::string> names;
    for (int i = 0; i < s.ndim(); ++i) names.push_back(std::string(1, static_cast<char>('x' + i)));
    return grid(s, Names(names));
  }
  Sharding placement(const Mesh& mesh, const Shape& shape) {
    std::vector<std::vector<std::string>> dims(static_cast<std::size_t>(shape.ndim()));
    std::vector<std::int64_t> ways(dims.size(), 1);
    for (int a = 0; a < mesh.ndim(); ++a) {
      int d = pick(shape.ndim() + 1);
      if (d == shape.ndim() || shape[d] < ways[d] * mesh.shape()[a]) continue;
      dims[d].push_back(mesh.axis_names()[a]);
      ways[d] *= mesh.shape()[a];
    }
    std::vector<SpecEntry> entries;
    for (auto& names : dims) entries.push_back(names.empty() ? SpecEntry(none) : SpecEntry(Names(names)));
    return named(mesh, PartitionSpec::from(entries));
  }
  // All values are [n, m] or reduced from it and spread again, so that every operation fits every value.
  Array operation(const Arrays& known, std::int64_t n, std::int64_t m) {
    auto any = [&] { return known[pick(static_cast<int>(known.size()))]; };
    Array a = any(), b = any();
    switch (pick(16)) {
      case 0: return a + b;
      case 1: return a * 0.5f;
      case 2: return sin(a) * b;
      case 3: return a - mean(a, 0, true);
      case 4: return a / (1 + sum(a * a, 1, true));
      case 5: return dot(dot(a, transpose(b)) * 0.1f, a) * 0.1f;
      case 6: return reshape(transpose(reshape(a, {m, n})), {n, m});
      case 7: return roll(a, 1, pick(2));
      case 8: return where(a > 0.1234567f, a, b);  // not 0: sums that vanish exactly would be decided by rounding
      case 9: return concatenate({lax::slice(a, {0, 0}, {n / 2, m}), lax::slice(b, {n / 2, 0}, {n, m})}, 0);
      case 10: return cumsum(a, pick(2)) * 0.1f;
      case 11: return a - max(b, pick(2), true);
      case 12: return flip(a, pick(2));
      case 13: return take(a, lax::iota(int32, {n}, 0), 0);
      case 14: return broadcast_to(sum(a, 0), {n, m}) * 0.1f;
      default: return maximum(a, b) + lax::iota(float32, {n, m}, pick(2)) * 0.1f;
    }
  }
};

void check_seed(unsigned seed, bool gradients) {
  Generator g{std::mt19937(seed)};
  Mesh mesh = g.mesh();
  std::int64_t n = 2 + g.pick(11), m = 2 + g.pick(11);
  std::vector<Type> types(3, type({n, m}));
  ProgramPtr p = record(types, [&](const Arrays& in) {
    Arrays known = in;
    for (int i = 0, ops = 1 + g.pick(gradients ? 6 : 14); i < ops; ++i) known.push_back(g.operation(known, n, m));
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
