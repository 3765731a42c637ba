// Arrays as bytes of files, and back.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "device/buffer.hpp"
#include "tutti/array/array.hpp"

namespace tutti::io::detail {

/// What a file holds of an array: dense, row-major, and a share of the array's memory. While the share lives the bytes
/// do not change: a jit to which the array is donated finds that it is not alone and writes its result elsewhere.
struct Content {
  DType dtype;  // of the elements in the file
  Shape shape;
  HostPtr memory;
  std::size_t offset = 0;  // of its bytes in there
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(memory->data()) + offset,
            static_cast<std::size_t>(shape.num_elements() * dtype.size())};
  }
};
/// Reads the value where the array is traced: TracerError where that cannot be. DeletedError.
Content content_of(const Array& x);
/// The same of what this process holds of an array, without padding: all of it, or the box of held_of.
Content content_here(const Array& x);
/// Of the files' view of a type: keys become pairs of words, 4-bit integers bytes.
DType stored_dtype(DType dtype);
Shape stored_shape(DType dtype, const Shape& shape);

/// Bytes of an array of that type; -1 for extents that are negative or have no end.
std::int64_t bytes_of(DType dtype, const Shape& shape);

/// Writes all bytes of an array.
using Fill = std::function<void(std::span<std::byte>)>;
/// A new array with the bytes that `fill` writes, of a dtype that files have. While x64 is off it is narrowed as by
/// `array`.
Array array_of_bytes(DType dtype, const Shape& shape, const Fill& fill);
/// A new array of the type of `like`, placed and committed as it; of several processes `fill` writes what this one
/// holds.
Array array_like(const Array& like, const Fill& fill);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
