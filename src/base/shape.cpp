#include "tutti/base/shape.hpp"

#include <cstring>
#include <ostream>

#include "tutti/base/error.hpp"

namespace tutti {

std::string Shape::str() const {
  std::string out = "(";
  for (std::size_t i = 0; i < dims_.size(); ++i) out += (i ? ", " : "") + std::to_string(dims_[i]);
  return out + (dims_.size() == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

std::string Loc::str() const {
  if (!line) return "";
  const char* slash = std::strrchr(file, '/');
  return std::string(slash ? slash + 1 : file) + ":" + std::to_string(line);
}

}  // namespace tutti
