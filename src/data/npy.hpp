// The head of a .npy file: what lies behind it, and where. Format: NumPy's NEP 1.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tutti/base/dtype.hpp"
#include "tutti/base/shape.hpp"

namespace tutti::data {

struct NpyHead {
  DType dtype;
  Shape shape;
  std::size_t offset = 0;  // of the first element
};

/// Reads it, and checks that `file` holds all elements. Errors name `path`: ValueError for a damaged file, TypeError
/// for one that no array of ours is like (another byte order, Fortran's order of dims, structs, strings).
NpyHead read_npy_head(std::span<const std::byte> file, const std::string& path);

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
