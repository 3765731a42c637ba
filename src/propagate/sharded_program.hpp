// What propagate hands on: a Program with a Layout for every value, the shardings of its results, and where each axis
// came from.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ir/program.hpp"
#include "mesh/layout.hpp"
#include "mesh/places.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// Why a dimension of a value is cut by an axis: the annotation it goes back to.
struct Origin {
  enum class Kind { input, constraint, output, region };
  Kind kind = Kind::input;
  int index = 0;  // of the input or output of the outermost program, or of the constraint's Eqn where it stands
  Loc loc;        // the annotation's line, where it has one
};

/// A value that somebody wants to know the layout of, and who: an Eqn whose role is inspection.
struct Inspection {
  const Op* op;
  Params params;
  Shape shape;
  Sharding sharding;
};

/// The bodies of loops and branches are such programs too, with layouts and outputs only.
struct ShardedProgram {
  ProgramPtr program;  // without calls; a sharding_constraint stands at each output that has a wanted sharding
  Mesh mesh;           // the common refinement of all meshes used; every axis has a name. Empty: nobody named devices
  std::vector<Layout> layouts;                              // per ValueId, over whole axes of `mesh`
  std::vector<Layout> outputs;                              // per output (literals: replicated)
  std::vector<Sharding> output_shardings;                   // faces; empty handles where nothing is committed
  std::vector<bool> output_committed;                       // per output: whether it is bound to where it lies
  std::map<std::tuple<ValueId, int, int>, Origin> origins;  // (value, dim, mesh axis)
  std::vector<Inspection> inspections;                      // inspect_sharding Eqns, which are not in `program`
  std::vector<std::vector<ShardedProgram>> bodies;          // by Eqn and sub-program, of loops and branches
  ProgramPtr outermost;                                     // of a body: the program around all
  // Where the mesh is one of processes (partition/between.hpp): what lies in each, and how inputs come.
  std::shared_ptr<const Places> places;
  std::vector<Layout> inputs;

  /// `input 0 (params.w1)`, `the constraint at train.cpp:12`.
  std::string origin_text(ValueId value, int dim, int axis) const;
};

/// The layout of a sharding on `mesh`, over whole axes of it; nothing when it cannot be said there.
std::optional<Layout> whole_axis_layout(const Sharding& sharding, int ndim, const Mesh& mesh);

/// The Program with a layout beside every value.
std::string str(const ShardedProgram& program);
std::string size_text(const ShardedProgram& program);
/// Checks the Program, and that every value has a layout on the mesh; InternalError else.
void verify(const ShardedProgram& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
