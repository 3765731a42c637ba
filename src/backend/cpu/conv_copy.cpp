#include "backend/cpu/conv_copy.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/isa.hpp"
#include "lane/square16.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kBlockSide = 16;

// Rows of elements that lie side by side both here and there.
template <class T> void copy_side_by_side(const T* from, T* to, const CopyDim& outer, std::int64_t n) {
  for (std::int64_t k = 0; k < outer.count; ++k) {
    const T* x = from + k * outer.from;
    T* y = to + k * outer.to;
    if (n >= 64)
      std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(T));
    else
      for (std::int64_t i = 0; i < n; ++i) y[i] = x[i];
  }
}

template <class T> void copy_elements(const T* from, T* to, const CopyDim& a, const CopyDim& b) {
  for (std::int64_t i = 0; i < a.count; ++i)
    for (std::int64_t k = 0; k < b.count; ++k) to[i * a.to + k * b.to] = from[i * a.from + k * b.from];
}

// Elements of `a` lie side by side here, those of `b` there.
template <class T> void turn(const T* from, T* to, const CopyDim& a, const CopyDim& b) {
  static const bool wide = has_square16();
  for (std::int64_t i = 0; i < a.count; i += kBlockSide)
    for (std::int64_t k = 0; k < b.count; k += kBlockSide) {
      const CopyDim x{std::min(kBlockSide, a.count - i), a.from, a.to},
          y{std::min(kBlockSide, b.count - k), b.from, b.to};
      const T* in = from + i * a.from + k * b.from;
      T* out = to + i * a.to + k * b.to;
      if constexpr (sizeof(T) == 4)
        if (wide) {
          if (x.count == kBlockSide && y.count == kBlockSide)
            lane::square16<false, 0>(in, b.from, out, a.to);
          else
            lane::part16(in, b.from, out, a.to, static_cast<int>(y.count), static_cast<int>(x.count));
          continue;
        }
      copy_elements(in, out, x, y);
    }
}

}  // namespace

template <class T> void copy_dims(const T* from, T* to, std::span<const CopyDim> all) {
  std::vector<CopyDim> dims;
  for (const CopyDim& d : all) {
    if (d.count == 0) return;
    if (d.count > 1) dims.push_back(d);
  }
  // The innermost dim is last: side by side there, and the one before it side by side here.
  std::sort(dims.begin(), dims.end(), [](const CopyDim& a, const CopyDim& b) { return a.to > b.to; });
  // Neighbours that lie one behind the other on both sides are one dim.
  for (std::size_t d = dims.size(); d-- > 1;)
    if (dims[d - 1].from == dims[d].from * dims[d].count && dims[d - 1].to == dims[d].to * dims[d].count) {
      dims[d].count *= dims[d - 1].count;
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d) - 1);
    }
  while (dims.size() < 2) dims.insert(dims.begin(), CopyDim{1, 0, 0});
  const CopyDim inner = dims.back();
  dims.pop_back();
  if (inner.from != 1) {
    auto least = std::min_element(dims.begin(), dims.end(), [](const CopyDim& a, const CopyDim& b) {
      return (a.count > 1 ? a.from : INT64_MAX) < (b.count > 1 ? b.from : INT64_MAX);
    });
    std::rotate(least, least + 1, dims.end());
  }
  const CopyDim outer = dims.back();
  dims.pop_back();
  std::vector<std::int64_t> at(dims.size(), 0);
  const T* x = from;
  T* y = to;
  for (;;) {
    if (inner.from == 1 && inner.to == 1)
      copy_side_by_side(x, y, outer, inner.count);
    else if (outer.from == 1 && inner.to == 1)
      turn(x, y, outer, inner);
    else
      copy_elements(x, y, outer, inner);
    std::size_t d = dims.size();
    while (d-- > 0) {
      x += dims[d].from;
      y += dims[d].to;
      if (++at[d] < dims[d].count) break;
      x -= dims[d].from * dims[d].count;
      y -= dims[d].to * dims[d].count;
      at[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

template void copy_dims<float>(const float*, float*, std::span<const CopyDim>);
template void copy_dims<double>(const double*, double*, std::span<const CopyDim>);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
