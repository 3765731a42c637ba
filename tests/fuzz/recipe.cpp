#include "fuzz/recipe.hpp"

namespace tutti::fuzz {
namespace {

struct Dice {
  std::mt19937 random;
  int pick(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return pick(n) == 0; }

  Shape mesh(int axes) {
    static const std::vector<Shape> shapes{{2},    {3},    {4},    {5},       {7},       {8},
                                           {2, 2}, {2, 3}, {3, 2}, {1, 8},    {4, 2},    {2, 4},
                                           {3, 5}, {6, 4}, {5, 2}, {2, 2, 2}, {2, 3, 4}, {2, 1, 3}};
    for (;;)
      if (const Shape& s = shapes[static_cast<std::size_t>(pick(static_cast<int>(shapes.size())))]; s.ndim() <= axes)
        return s;
  }
  Shape shape() {
    Shape out;
    for (int i = 0, n = one_in(12) ? 0 : 1 + pick(3); i < n; ++i) out.push_back(1 + pick(13));
    return out;
  }
  Cuts cuts(int axes) {
    Cuts out;
    for (int i = 0; i < axes; ++i) out.push_back(one_in(4) ? -1 : pick(6));
    return out;
  }
  Step step(int depth) {
    Step s;
    static const std::vector<Kind> common{Kind::binary, Kind::unary,   Kind::product, Kind::batched,
                                          Kind::reduce, Kind::permute, Kind::reshape};
    s.kind = one_in(3) ? common[static_cast<std::size_t>(pick(static_cast<int>(common.size())))]
                       : static_cast<Kind>(pick(depth > 0 && one_in(6) ? num_kinds : num_flat_kinds));
    for (unsigned& c : s.choice) c = static_cast<unsigned>(pick(1 << 16));
    if (static_cast<int>(s.kind) >= num_flat_kinds)
      for (int i = 0, n = 1 + pick(3); i < n; ++i) s.body.push_back(step(depth - 1));
    return s;
  }
};

}  // namespace

Recipe make_recipe(unsigned seed, const Limits& limits) {
  Dice d{std::mt19937(seed)};
  Recipe r;
  r.seed = seed;
  r.mesh = d.mesh(limits.axes);
  const int axes = r.mesh.ndim();
  r.gradient = d.one_in(4);
  for (int i = 0, n = 1 + d.pick(3); i < n; ++i)
    r.inputs.push_back({d.shape(), !(r.gradient && i == 0) && d.one_in(3), d.cuts(axes)});
  const int most = d.one_in(3) ? limits.ops : std::min(limits.ops, 8);
  for (int i = 0, n = 1 + d.pick(most); i < n; ++i) r.steps.push_back(d.step(2));
  for (int i = 0, n = 1 + d.pick(6); i < n; ++i)
    r.outputs.push_back({i == 0 ? 0u : static_cast<unsigned>(d.pick(1 << 16)), d.one_in(2), d.cuts(axes)});
  return r;
}

PartitionSpec spec_of(const Cuts& cuts, int ndim) {
  std::vector<std::vector<std::string>> dims(static_cast<std::size_t>(ndim));
  for (std::size_t a = 0; a < cuts.size(); ++a) {
    if (cuts[a] < 0 || ndim == 0) continue;
    std::vector<std::string>& at = dims[static_cast<std::size_t>(cuts[a] % ndim)];
    // The larger half of the numbers puts an axis in front of those that are there.
    at.insert(cuts[a] >= 3 ? at.begin() : at.end(), std::string(1, static_cast<char>('x' + a)));
  }
  std::vector<SpecEntry> entries;
  for (auto& names : dims) entries.push_back(names.empty() ? SpecEntry(none) : SpecEntry(Names(names)));
  return PartitionSpec::from(entries);
}

Mesh mesh_of(const Recipe& r) {
  std::vector<std::string> names;
  for (int i = 0; i < r.mesh.ndim(); ++i) names.push_back(std::string(1, static_cast<char>('x' + i)));
  return make_mesh(r.mesh, Names(names));
}

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
