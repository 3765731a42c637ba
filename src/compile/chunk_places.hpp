// Where what the steps of a stage by rows hand to each other lies in the memory of a task.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/plan.hpp"
#include "compile/row_group.hpp"

namespace tutti::compile {

/// Temporaries that members of the group alone touch.
std::vector<int> own_temporaries(const Plan& plan, const Touches& touches, const RowGroup& group);

struct ChunkPlaces {
  std::vector<int> storages;  // the own temporaries
  std::vector<std::int64_t> offsets;
  std::int64_t bytes = 0;  // of a chunk
};
ChunkPlaces chunk_places(const Plan& plan, const Touches& touches, const RowGroup& group);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
