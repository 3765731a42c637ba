#include "ir/params.hpp"

#include <charconv>

namespace tutti::field {

std::string text(double v) {
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  return {buffer, end};
}

}  // namespace tutti::field

// SPDX-License-Identifier: Apache-2.0
