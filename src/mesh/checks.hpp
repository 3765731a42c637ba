// Whether a sharding fits an array: the errors that device_put, constraints, shard_map and pmap share.
#pragma once

#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// What an error says of the argument that does not fit.
struct Subject {
  const char* operation = "Sharding";
  std::string name = {};  // `params.w`, `result 0`; "a value" when empty
  Loc loc = current_loc();
};

/// Throws ShardingError when arrays of this shape cannot have this sharding: the spec is longer than the rank;
/// ValueError when it is empty.
void check_rank(const Sharding& sharding, const Shape& shape, const Subject& subject = {});
/// Whether check_rank would be content: for callers whose subject takes time to word.
bool fits_rank(const Sharding& sharding, int ndim);
/// Throws ShardingError when a dimension does not divide: for shard_map and pmap, whose bodies see one local shape.
void check_divides(const Sharding& sharding, const Shape& shape, const Subject& subject = {});
/// Whether the spec holds P::unconstrained, which only constraints may have; check_constrained throws ShardingError
/// then.
bool is_constrained(const Sharding& sharding);
void check_constrained(const Sharding& sharding, const Subject& subject = {});
/// Whether it names devices that nobody owns (abstract_mesh): for planning only.
bool is_abstract(const Sharding& sharding);
/// Whether arrays can lie on all devices of the sharding; check_exist throws DeviceError else, which says how many
/// devices there are.
bool all_exist(const Sharding& sharding);
void check_exist(const Sharding& sharding, const Subject& subject = {});
/// Throws ShardingError when an axis of the spec is not in the mesh, or comes twice.
void check_spec(const Mesh& mesh, const PartitionSpec& spec);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
