// What distributions with parameters share.
#pragma once

#include <optional>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti::random {

/// Parameters in the dtype of the result and in its shape: the one given, else theirs. ShapeError, naming the function,
/// where one does not broadcast to it.
std::vector<Array> parameters(const char* name, const std::vector<Array>& given, const std::optional<Shape>& shape,
                              DType dtype);

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
