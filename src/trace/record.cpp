#include "trace/record.hpp"

namespace tutti {

Traced record(const char* what, Loc made, const std::vector<Type>& inputs,
              const std::function<std::vector<Array>(const std::vector<Array>&)>& body, int derivatives) {
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, what, made);
  if (derivatives >= 0) trace->derivatives = derivatives;
  std::vector<Array> in;
  for (const Type& t : inputs) in.push_back(trace->input(t));
  TraceScope scope(trace);
  return trace->close(body(in));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
