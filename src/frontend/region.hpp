// What shard_map and pmap share: recording a function of blocks as one region.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "regions/shard_map.hpp"
#include "tutti/transform/transform_core.hpp"

namespace tutti::detail {

/// The specs that a caller gives, and how its errors begin.
struct RegionCall {
  const char* what = "shard_map";
  ops::ShardMap params;  // mesh, axes, check; in_specs of the leaves
  std::vector<Array> leaves;
  /// The spec of result `k`, given all paths and its local array.
  std::function<PartitionSpec(std::size_t k, const std::vector<tree::Path>& paths, const Array& local)> out_spec;
  bool promises_checked = true;  // a result may not vary over an axis that its spec does not mention
  Loc made;
};
/// Records `body` on blocks and binds the region. Results are global.
std::vector<Array> bind_region(RegionCall call, const Body& body);

/// The mesh of the innermost region whose body this thread is recording; empty outside of all.
Mesh region_mesh();

/// The spec of one array as axes per dim; ShardingError when it is too long, or names an axis twice or one that is not
/// manual.
ops::DimAxes dim_axes(const RegionCall& call, const PartitionSpec& spec, const Type& type, const char* specs,
                      const std::string& name);
/// `the result [0].weight`.
std::string result_name(const tree::Path& path);
/// `the mesh (4, 2) with axes ('x', 'y')`.
std::string mesh_text(const Mesh& mesh);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
