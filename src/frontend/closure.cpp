#include "tutti/transform/closure.hpp"

#include <algorithm>
#include <utility>

#include "trace/record.hpp"
#include "trace/trace.hpp"

namespace tutti::detail {

Closed closure_convert(const char* what, const std::vector<Array>& like,
                       const std::function<std::vector<Array>(const std::vector<Array>&)>& f, Loc made) {
  std::vector<Type> types;
  for (const Array& x : like) types.push_back(x.type());
  Traced traced = record(what, made, types, f, std::max(1, derivatives_here()));
  return {std::move(traced.captured),
          [program = std::move(traced.program)](const std::vector<Array>& args) { return apply(*program, args); }};
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
