#include "backend/backend.hpp"
#include "backend/cpu/cpu.hpp"
#include "backend/reference/reference.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {

Backend& backend(std::string_view name) {
  if (name == "cpu") return cpu_backend();
  if (name == "reference") return reference_backend();
  raise<ValueError>("backend", "\"" + std::string(name) + "\" is not a backend", "Choose \"cpu\" or \"reference\".");
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
