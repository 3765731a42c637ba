// How files call the elements of arrays.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tutti/base/dtype.hpp"

namespace tutti::io::detail {

/// `F32` in safetensors. Keys have no name: they are stored as their words.
std::string_view safetensors_name(DType dtype);
std::optional<DType> safetensors_dtype(std::string_view name);

/// `<f4` in NumPy; empty for bfloat16.
std::string_view npy_name(DType dtype);
/// The element type of a NumPy descr (`<f4`, and what else numpy.dtype reads: `f4`, `>f`, `float32`, `|?`), and whether
/// its bytes stand in the other order.
struct NpyType {
  DType dtype;
  bool swapped = false;
};
std::optional<NpyType> npy_dtype(std::string_view descr);
/// The elements of a descr that tutti does not have, in words; empty where there are none for it.
std::string_view npy_foreign_kind(std::string_view descr);

/// The dtype of that name (`float32`).
std::optional<DType> dtype_named(std::string_view name);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
