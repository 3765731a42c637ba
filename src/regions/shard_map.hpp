// shard_map: one Eqn for a region whose body is written for one device. Its sub-program has local types; operands and
// results are global. How it is transformed: shard_map_rules.cpp; the region is opened in partition/manual_regions.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/home.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti::ops {

/// Per dim the axes that cut it, major first: one entry for every dim of the array.
using DimAxes = std::vector<std::vector<std::string>>;

struct ShardMap {
  Mesh mesh;
  std::vector<DimAxes> in_specs, out_specs;
  bool check_vma = true;
  std::vector<std::string> axis_names;  // the manual axes, in mesh order; the others are left to propagation
  friend bool operator==(const ShardMap&, const ShardMap&) = default;
};

extern const Home shard_map;

/// The manual axes that a spec mentions, in mesh order; and those that it does not.
std::vector<std::string> mentioned(const ShardMap& p, const DimAxes& spec);
std::vector<std::string> unmentioned(const ShardMap& p, const DimAxes& spec);
/// How many blocks the axes cut a dim into.
std::int64_t ways(const Mesh& mesh, const std::vector<std::string>& axes);
/// The type of one device's block, typed as varying over the axes mentioned when `p.check_vma`; and back.
Type local_type(const ShardMap& p, const Type& global, const DimAxes& spec);
Type global_type(const ShardMap& p, const Type& local, const DimAxes& spec);
/// Manual axes with their sizes.
NamedAxes named_axes(const ShardMap& p);
/// Where an operand or result of the region lies.
Sharding region_sharding(const ShardMap& p, const DimAxes& spec);

// Its rules.
WithTangents shard_map_jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>& tangents);
Split shard_map_split(const Call& c, const std::vector<bool>& unknown);
std::vector<Array> shard_map_transpose(const Call& c, const std::vector<Array>& cotangents,
                                       const std::vector<Array>& operands, const std::vector<bool>& undefined);
Batched shard_map_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                        const BatchAxis& axis);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
