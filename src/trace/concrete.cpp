#include "trace/trace.hpp"

namespace tutti {

// Recording comes first and evaluation on demand: an open trace computes what is asked for, level by level.
Array concrete(const Array& x, const char* what) {
  Array value = x;
  while (value.is_traced()) value = value.node()->trace->read(*value.node(), what);
  return value;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
