// Address spaces: which axes of a mesh cross from one process to another. In one process there is nothing to ask.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mesh/layout.hpp"
#include "tutti/base/dtype.hpp"

namespace tutti {

/// The processes in which the devices of a mesh have their memory. Each is a place: its devices share what it holds.
struct Places {
  Mesh devices;             // the mesh, cut so that every axis lies wholly within processes or wholly across them
  Mesh mesh;                // the axes across: at each position the first device of the process that is there
  std::vector<int> across;  // per axis of `devices`: its axis in `mesh`, -1 for one that lies within
  std::vector<int> ranks;   // by position in `mesh`: the process
  std::int64_t here = 0;    // the position of this process

  /// A layout on `devices`, as far as processes see it.
  Layout between(const Layout& layout) const;
};

/// Nothing where one process holds all devices, or where there is only one. Where a mesh has devices in k of n
/// processes, each k of the others hold what these do, and compute it again. UnsupportedError where processes do not
/// follow the mesh's axes, or k does not divide n.
std::shared_ptr<const Places> places_of(const Mesh& mesh);

/// The position of any process in `places.mesh`.
std::int64_t position_of(const Places& places, int process);

/// What this process holds of an array: a dense block of block_shape(layout, shape), of which `box` is there.
struct Held {
  std::shared_ptr<const Places> places;
  Layout layout;  // on places->mesh
  Shape block;
  Box box;
  std::size_t bytes(int item) const { return static_cast<std::size_t>(block.num_elements() * item); }
};
/// Nothing where every process holds all of it.
std::optional<Held> held_of(const Sharding& sharding, const Shape& shape);
/// The devices of the sharding that are in this process, with what lies there; in the order of the device assignment.
std::vector<std::pair<Device, ShardIndex>> addressable_indices(const Sharding& sharding, const Shape& shape);
/// The layout of an array on whole axes of places.devices; replicated where the sharding is not of these devices.
Layout layout_on_devices(const Sharding& sharding, int ndim, const Places& places);
/// Whether what processes hold of an array under `sharding` is what they hold under the same layout on `places`, which
/// may be those of several meshes: where an axis is cut further, blocks that differ in size are others.
bool lies_alike(const Sharding& sharding, const Shape& shape, const Places& places);
/// The layout of an array between processes; replicated where every process holds all of it.
Layout layout_between(const Sharding& sharding, int ndim, const Places& places);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
