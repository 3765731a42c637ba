#include "regions/packed.hpp"

#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

// Fewer are carried one by one.
constexpr std::size_t several = 4;

bool is_packed(const Shape& s) { return s.ndim() == 3 && s[0] == 1 && s[2] == 1; }
Shape packed_shape(std::int64_t n) { return {1, n, 1}; }

}  // namespace

Packing::Packing(const std::vector<Type>& types) : types_(types), alone_(types.size(), true) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Type& t = types[i];
    if (t.dtype.is_key() || (t.shape.ndim() > 0 && !is_packed(t.shape))) continue;
    std::size_t at = 0;
    while (at < packs_.size() && (types[packs_[at][0]].dtype != t.dtype || types[packs_[at][0]].varying != t.varying))
      ++at;
    if (at == packs_.size()) packs_.emplace_back();
    packs_[at].push_back(i);
  }
  std::erase_if(packs_, [](const std::vector<std::size_t>& pack) { return pack.size() < several; });
  for (const auto& pack : packs_)
    for (std::size_t i : pack) alone_[i] = false;
  carried_ = where(types, alone_);
  for (const auto& pack : packs_) {
    carried_.push_back(types[pack[0]]);
    std::int64_t n = 0;
    for (std::size_t i : pack) n += types[i].num_elements();
    carried_.back().shape = packed_shape(n);
  }
}

std::vector<Array> Packing::packed(const std::vector<Array>& values) const {
  std::vector<Array> out = where(values, alone_);
  for (const auto& pack : packs_) {
    std::vector<Array> parts;
    for (std::size_t i : pack) parts.push_back(lax::reshape(values[i], packed_shape(types_[i].num_elements())));
    out.push_back(lax::concatenate(parts, 1));
  }
  return out;
}

std::vector<Array> Packing::unpacked(const std::vector<Array>& carried) const {
  std::vector<Array> out = spread(first_of(carried, count(alone_)), alone_);
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    const Array& all = carried[count(alone_) + p];
    std::int64_t at = 0;
    for (std::size_t i : packs_[p]) {
      const std::int64_t n = types_[i].num_elements();
      out[i] = lax::reshape(lax::slice(all, {0, at, 0}, {1, at + n, 1}), types_[i].shape);
      at += n;
    }
  }
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
