#include "backend/backend.hpp"
#include "backend/reference/reference.hpp"
#include "tutti/error.hpp"

namespace tutti {

Backend& backend(std::string_view name) {
  if (name == "cpu") return reference_backend();   // until the engine is in
  if (name == "reference") return reference_backend();
  throw ValueError("no backend is named \"" + std::string(name) + "\"; there are: cpu, reference");
}

}  // namespace tutti
