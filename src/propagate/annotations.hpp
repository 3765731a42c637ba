// What a program and its caller say about places: the shardings named, the mesh that all of them fit on, and a layout
// in their words.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/program.hpp"
#include "mesh/layout.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

class Annotations {
 public:
  /// Of `inputs` (empty ones say nothing), then of constraints and regions in program order.
  Annotations(const Program& program, const std::vector<Sharding>& inputs);
  /// The common refinement of all meshes named, with a name for every axis; empty when nobody names devices.
  const Mesh& mesh() const { return mesh_; }
  /// The sharding that stands for a layout on mesh(): empty without one.
  Sharding face_of(const Layout& layout);

 private:
  std::vector<Sharding> said_;  // each once
  std::vector<Mesh> meshes_;    // each once
  Mesh mesh_;
  std::unordered_map<Layout, Sharding> faces_;  // found so far
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
