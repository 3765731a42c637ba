// Collectives: operations among the devices along named mesh axes. One home each in src/ops/collective*.cpp; manual
// regions and the partitioner emit them.
//
// Axes are names of the mesh that the region or LocalProgram runs on, major first; a sub-axis is an axis of its own in
// the refined mesh of a LocalProgram ("x:2" ...). Sizes stand in the parameters, so that infer needs no mesh. The
// device order within a group is row-major over `axes`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/home.hpp"

namespace tutti::ops {

struct ReduceOver {  // psum, pmax, pmin; also pvary (makes an invariant value varying)
  std::vector<std::string> axes;
  std::vector<std::int64_t> sizes;
  bool operator==(const ReduceOver&) const = default;
};
struct GatherOver {  // all_gather, reduce_scatter (named psum_scatter in lax)
  std::vector<std::string> axes;
  std::vector<std::int64_t> sizes;
  int dim = 0;  // untiled: position of the new (or removed) dim; tiled: the dim that grows (or shrinks)
  bool tiled = false;
  bool operator==(const GatherOver&) const = default;
};
struct Permute {  // ppermute: (source, destination) positions in the group; zeros where nothing arrives
  std::vector<std::string> axes;
  std::vector<std::int64_t> sizes;
  std::vector<std::pair<int, int>> pairs;
  bool operator==(const Permute&) const = default;
};
struct Exchange {  // all_to_all
  std::vector<std::string> axes;
  std::vector<std::int64_t> sizes;
  int split = 0, concat = 0;
  bool tiled = false;
  bool operator==(const Exchange&) const = default;
};
// axis_index: ReduceOver parameters, no operand, int32[] result.

extern const Home psum, pmax, pmin, pvary, all_gather, reduce_scatter, ppermute, all_to_all, axis_index;

/// The meaning of a collective: operands[d] of the group's device d (row-major over the axes) to results[d].
void eval_collective(const Call& call, std::span<const HostView> operands, std::span<const HostView> results);
/// Bytes that one device receives in a ring or pairwise execution (partitioner.md 6.6's counting).
double collective_bytes(const Call& call, const Type& operand);

}  // namespace tutti::ops
