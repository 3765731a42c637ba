#include "ir/params.hpp"

#include <charconv>

namespace tutti {

void Params::raise_not_of_type(const std::type_info& type) {
  throw InternalError(std::string("parameters are not of type ") + type.name());
}

}  // namespace tutti

namespace tutti::field {

std::string text(double v) {
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  return {buffer, end};
}

}  // namespace tutti::field

// SPDX-License-Identifier: Apache-2.0
