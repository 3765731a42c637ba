// The mapped axes of the arguments of vmap and pmap.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tutti/transform/transform_core.hpp"

namespace tutti::detail {

struct MappedAxes {
  std::vector<std::optional<int>> axes;       // per leaf, not negative
  std::map<std::int64_t, std::string> sizes;  // which there are, and a line for each axis of that size
};
/// `advice`: what else an entry may be.
struct MappingCall {
  const char* what;
  const char* advice;
  Loc made;
};
/// Errors when in_axes has another length than the arguments, or names an axis that an argument has not.
MappedAxes mapped_axes(const MappingCall& call, const CallArrays& args, const TreeOf<int>& in_axes);
/// ShapeError that lists all axes when their sizes differ. `over`: what stands before it, such as the axis name.
void check_one_size(const char* what, const MappedAxes& mapped, const std::string& advice, Loc made,
                    const std::string& over = "");

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
