// The elements of an array of which each process holds a part.
#pragma once

#include <vector>
#include <tutti/tutti.hpp>

namespace tutti {

inline std::vector<float> everywhere(const Array& x) { return multihost::process_allgather(x).to_vector<float>(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
