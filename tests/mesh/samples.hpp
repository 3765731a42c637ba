// Meshes, layouts and shapes to try laws on.
#pragma once

#include <random>
#include <vector>

#include "mesh/layout.hpp"

namespace tutti::samples {

inline std::vector<Device> devices(std::int64_t n) {
  std::vector<Device> out;
  for (int i = 0; i < n; ++i) out.emplace_back(i);
  return out;
}

inline Mesh mesh(Shape shape) {
  static const char* letters[] = {"x", "y", "z", "w"};
  std::vector<std::string> names;
  for (int i = 0; i < shape.ndim(); ++i) names.push_back(letters[i]);
  auto n = shape.num_elements();
  return Mesh(devices(n), std::move(shape), Names(names));
}

inline std::vector<Mesh> meshes() {
  std::vector<Mesh> out;
  for (Shape s : {Shape{1},
                  {5},
                  {8},
                  {4, 2},
                  {2, 4},
                  {2, 2, 2},
                  {8, 1},
                  {1, 8},
                  {6},
                  {2, 3},
                  {3, 2},
                  {12},
                  {2, 6},
                  {4, 3},
                  {3, 4},
                  {2, 3, 2}})
    out.push_back(mesh(s));
  return out;
}

/// A valid layout: a random choice of axis parts, shuffled, dealt to the dims (and to pending, on request).
inline Layout layout(const Mesh& mesh, int ndim, std::mt19937& rng, bool parts = true, bool pending = false) {
  AxisRefs pool;
  for (int axis = 0; axis < mesh.ndim(); ++axis) {
    AxisRef rest = whole_axis(mesh, axis);
    while (parts && rest.size > 1 && rng() % 2) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t k = 2; k < rest.size; ++k)
        if (rest.size % k == 0) divisors.push_back(k);
      if (divisors.empty()) break;
      auto [major, minor] = split(rest, divisors[rng() % divisors.size()]);
      pool.push_back(major);
      rest = minor;
    }
    pool.push_back(rest);
  }
  std::shuffle(pool.begin(), pool.end(), rng);
  Layout out = Layout::replicated(ndim);
  for (const AxisRef& ref : pool) {
    auto where = rng() % static_cast<unsigned>(ndim + 2);
    if (where < static_cast<unsigned>(ndim))
      out.dims[where].push_back(ref);
    else if (pending && where == static_cast<unsigned>(ndim))
      out.pending.push_back(ref);
  }
  return canonical(out);
}

inline Shape shape(int ndim, std::mt19937& rng) {
  Shape out;
  for (int d = 0; d < ndim; ++d) out.push_back(static_cast<std::int64_t>(rng() % 14));
  return out;
}

}  // namespace tutti::samples

// SPDX-License-Identifier: Apache-2.0
