// A function from arrays to arrays recorded on types alone.
#pragma once

#include <functional>
#include <vector>

#include "trace/trace.hpp"

namespace tutti {

/// The function recorded on inputs of these types. `derivatives`: how many may be taken of it, -1: as many as here.
Traced record(const char* what, Loc made, const std::vector<Type>& inputs,
              const std::function<std::vector<Array>(const std::vector<Array>&)>& body, int derivatives = -1);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
