// The header of a .npy file: a magic number, a version, and a Python dictionary as text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "io/dtypes.hpp"
#include "tutti/base/shape.hpp"

namespace tutti::io::detail {

struct NpyHeader {
  NpyType type;
  bool fortran = false;  // column-major
  Shape shape;
  std::uint64_t begin = 0;  // where the elements begin
};

/// Reads bytes [offset, offset + out.size()) of the file; called in order.
using ReadAt = std::function<void(std::uint64_t offset, std::span<std::byte> out)>;

/// Reads the header of a file of `size` bytes, which holds all elements and may hold more. Throws ValueError,
/// TypeError, ShapeError, naming `path`.
NpyHeader read_npy_header(const std::string& path, std::uint64_t size, const ReadAt& read);

/// The header for row-major elements, padded to a multiple of 64 bytes.
std::string npy_header_text(DType dtype, const Shape& shape);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
