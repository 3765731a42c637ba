#include "ir/type.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "ir/params.hpp"

namespace tutti {

std::string Type::str() const {
  std::string out(dtype.name());
  out += "[";
  for (int i = 0; i < ndim(); ++i) out += (i ? "," : "") + std::to_string(shape[i]);
  out += "]";
  if (!varying.empty()) {
    out += "{";
    for (std::size_t i = 0; i < varying.size(); ++i) out += (i ? "," : "") + varying[i];
    out += "}";
  }
  return out;
}

std::size_t Type::hash() const {
  std::size_t h = static_cast<std::size_t>(dtype.kind()) * 2 + weak;
  for (std::int64_t d : shape) h = hash_combine(h, std::hash<std::int64_t>{}(d));
  for (const std::string& n : varying) h = hash_combine(h, std::hash<std::string>{}(n));
  return h;
}

std::vector<std::string> merge_names(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
