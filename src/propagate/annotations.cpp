#include "propagate/annotations.hpp"

#include <algorithm>
#include <unordered_set>

#include "mesh/checks.hpp"
#include "mesh/mesh_node.hpp"
#include "propagate/propagate.hpp"

namespace tutti {
namespace {

// Every axis gets a name, since collectives name their axes: that of the first mesh whose axis it is, "x.0", "x.1" for
// parts.
Mesh with_names(const Mesh& refined, const std::vector<Mesh>& meshes) {
  if (!is_unnamed(refined)) return refined;
  std::vector<std::string> names(static_cast<std::size_t>(refined.ndim()));
  for (const Mesh& m : meshes) {
    if (is_unnamed(m)) continue;
    std::size_t at = 0;
    for (int axis = 0; axis < m.ndim(); ++axis) {
      std::size_t first = at;
      std::int64_t n = 1;
      while (at < names.size() && n < m.shape()[axis]) n *= refined.shape()[at++];
      for (std::size_t k = first; k < at; ++k)
        names[k] = m.axis_names()[axis] + (at - first > 1 ? "." + std::to_string(k - first) : "");
    }
    break;
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k].empty()) names[k] = "d" + std::to_string(k);
  return intern_mesh(device_list_of(refined), refined.shape(), names);
}

Mesh common_mesh(const std::vector<Mesh>& meshes) {
  if (meshes.empty()) return {};
  Mesh refined = meshes[0];
  for (const Mesh& m : meshes)
    if (std::optional<Mesh> both = common_refinement(refined, m)) refined = *both;
  return with_names(refined, meshes);
}

}  // namespace

Annotations::Annotations(const Program& program, const std::vector<Sharding>& inputs) {
  std::unordered_set<Sharding> known;
  auto add = [&](const Sharding& s) {
    if (!known.insert(s).second) return;
    said_.push_back(s);
    const Mesh m = mesh_of(s);
    if (std::find(meshes_.begin(), meshes_.end(), m) == meshes_.end()) meshes_.push_back(m);
  };
  for (std::size_t i = 0; i < inputs.size() && i < program.inputs.size(); ++i)
    if (inputs[i].has_value()) add(inputs[i]);
  for (const Placed& inside : placed_inside(program)) add(inside.sharding);
  mesh_ = common_mesh(meshes_);
}

// On the mesh of the first committed input (else constraint) whose axes can express it. There are several ways to say
// one placement (trailing `none`, axes of size 1, grids of devices): one that the caller uses comes back, else the
// shortest.
Sharding Annotations::face_of(const Layout& layout) {
  if (!mesh_.has_value()) return {};
  auto [face, fresh] = faces_.try_emplace(layout);
  if (!fresh) return face->second;
  face->second = sharding_from_layout(mesh_, layout, meshes_);
  for (const Sharding& s : said_) {
    if (s.kind() != face->second.kind() || mesh_of(s) != mesh_of(face->second)) continue;
    if (!fits_rank(s, layout.ndim()) || !is_constrained(s)) continue;
    if (s.is_equivalent_to(face->second, layout.ndim())) return face->second = s;
  }
  return face->second;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
