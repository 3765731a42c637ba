// Collectives as reports show them: those of equal layers as one.
#pragma once

#include <string>
#include <vector>

#include "tutti/transform/explanation.hpp"

namespace tutti::detail {

struct CollectiveGroup {
  std::size_t first = 0;  // of the collectives: whose words are shown
  int count = 0;
  double bytes = 0, seconds = 0;  // of all of them, in one step of the loops around
  std::int64_t messages = 0;
  double total_bytes = 0, total_seconds = 0;  // in all steps
};
/// Equal but for what they move where `layers`, numbers of layers left out; else equal in every word. The largest
/// first.
std::vector<CollectiveGroup> groups_of(const Explanation& e, bool layers);
/// `data,model (8)`.
std::string axes_text(const Explanation::Collective& c);
/// `5 all_gather, 4 all_reduce`.
std::string kinds_text(const Explanation& e, const std::vector<CollectiveGroup>& groups, std::size_t from);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
