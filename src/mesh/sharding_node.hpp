// What a Sharding points to: the face (what was written) and the canonical form under it.
#pragma once

#include <string>
#include <vector>

#include "mesh/layout.hpp"
#include "mesh/mesh_node.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

struct ShardingNode {
  Sharding::Kind kind = Sharding::Kind::named;
  Mesh mesh;      // the user's, or one with unnamed axes; its device list is the device assignment
  Layout layout;  // on `mesh`; missing dims at the end are not cut
  std::string memory_kind = "device";
  std::size_t hash = 0;  // of the content: interned() sets it
  PartitionSpec spec;    // named only
  Shape cells;           // positional only: the grid
  std::vector<std::vector<Device>>
      cell_devices;  // positional only: row-major, each sorted by position in the assignment
  const DeviceList* devices() const { return mesh.node()->devices; }
};

/// The one node of this content: equal shardings point to one, while any of them is there.
std::shared_ptr<const ShardingNode> interned(ShardingNode node);
/// The node; throws ValueError of the function `member` when the handle is empty.
const ShardingNode& deref(const Sharding& sharding, const char* member = "Sharding", Loc loc = {});

/// A PositionalSharding's face for a layout on a mesh of unnamed axes.
Sharding positional_sharding(const Mesh& mesh, const Layout& layout);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
