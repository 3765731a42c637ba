// Boxes of elements copied from one order of dims to another.
#pragma once

#include <cstdint>
#include <span>

namespace tutti::cpu {

/// Strides in elements.
struct CopyDim {
  std::int64_t count, from, to;
};

/// to[sum i_d * dims[d].to] = from[sum i_d * dims[d].from]. No element is written twice.
template <class T> void copy_dims(const T* from, T* to, std::span<const CopyDim> dims);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
