// Whether a sharding fits an array: the errors that device_put, constraints, shard_map and pmap share.
#pragma once

#include <string_view>

#include "tutti/sharding.hpp"

namespace tutti {

/// Throws ShardingError when arrays of this shape cannot have this sharding: the spec is longer than the rank.
/// `what` names the array in the text: "argument x of f".
void check_rank(const Sharding& sharding, const Shape& shape, std::string_view what = {});
/// Whether check_rank would be content: for callers whose `what` takes time to word.
bool fits_rank(const Sharding& sharding, int ndim);
/// Throws ShardingError when a dimension does not divide: for shard_map and pmap, whose bodies see one local shape.
void check_divides(const Sharding& sharding, const Shape& shape, std::string_view what = {});
/// Throws ShardingError when the spec holds P::unconstrained: for all places but constraints.
void check_constrained(const Sharding& sharding, std::string_view what = {});
/// Throws ShardingError when an axis of the spec is not in the mesh, or comes twice.
void check_spec(const Mesh& mesh, const PartitionSpec& spec);

}  // namespace tutti
