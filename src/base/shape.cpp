#include "tutti/base/shape.hpp"

#include <cstring>
#include <ostream>

#include "tutti/base/error.hpp"

namespace tutti {

Shape::Shape(std::initializer_list<Dim> dims) : dims_(dims.begin(), dims.end()) {}

Names::Names(const Names&) = default;
Names::Names(Names&&) noexcept = default;
Names& Names::operator=(const Names&) = default;
Names& Names::operator=(Names&&) noexcept = default;
Names::~Names() = default;
Names::Names(const char* one) : names_{one} {}
Names::Names(std::string one) : names_{std::move(one)} {}
Names::Names(std::initializer_list<const char*> list) : names_(list.begin(), list.end()) {}

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

// SPDX-License-Identifier: Apache-2.0
