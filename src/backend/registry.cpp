#include "backend/backend.hpp"
#include "backend/cpu/cpu.hpp"
#include "backend/reference/reference.hpp"
#include "tutti/error.hpp"

namespace tutti {

Backend& backend(std::string_view name) {
  if (name == "cpu") return cpu_backend();
  if (name == "reference") return reference_backend();
  throw ValueError("no backend is named \"" + std::string(name) + "\"; there are: cpu, reference");
}

}  // namespace tutti
