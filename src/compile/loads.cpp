#include "compile/loads.hpp"

#include <algorithm>

#include "ir/params.hpp"

namespace tutti::compile {

std::size_t Loads::Hash::operator()(const Extents& key) const {
  std::size_t h = key.size();
  for (std::int64_t k : key) h = hash_combine(h, static_cast<std::size_t>(k));
  return h;
}

std::vector<int> Loads::of(int eqn) {
  const Eqn& e = p_.eqns[eqn];
  std::vector<int> out;
  auto add = [&](const Reading& r, const Extents& over, DType dtype) {
    if (r.index || !r.base.is_literal()) out.push_back(number(r, over, dtype));
  };
  if (f_.roles[eqn] == Role::parts) return {number({e.results[0], false, {-1, {}}}, {}, DType{})};
  if (const Reading* source = f_.source(e.results[0])) {
    const Type& type = p_.types[e.results[0]];
    add(*source, type.shape.dims(), type.dtype);
  } else {
    for (const Atom& a : e.operands)
      if (!a.is_literal()) add(f_.readings[a.id], p_.types[a.id].shape.dims(), p_.types[a.id].dtype);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Dims that are stepped through evenly count as one, so that readings of other shapes but the same elements are equal.
int Loads::number(const Reading& r, const Extents& over, DType dtype) {
  Extents key{r.index ? -1 : r.base.id, static_cast<std::int64_t>(dtype.kind()), r.view.offset};
  for (std::size_t d = 0; d < over.size(); ++d) {
    if (over[d] == 1) continue;
    const std::int64_t step = r.view.strides[d];
    if (key.size() > 3 && key.back() == step * over[d]) {
      key[key.size() - 2] *= over[d];
      key.back() = step;
    } else {
      key.push_back(over[d]);
      key.push_back(step);
    }
  }
  if (key.size() == 5 && key.back() == 0) key.resize(3);  // one element again and again
  auto [it, fresh] = numbers_.emplace(std::move(key), static_cast<int>(makers_.size()));
  if (!fresh) return it->second;
  makers_.push_back(r.index ? -1 : index_.producer(r.base.id));
  std::int64_t elements = r.index ? 0 : 1;
  for (std::size_t d = 0; d < over.size(); ++d)
    if (r.view.strides[d] != 0) elements *= over[d];
  elements_.push_back(elements);
  return it->second;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
