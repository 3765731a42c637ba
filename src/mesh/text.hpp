// Python's way to print tuples, names and nested arrays, which the texts of meshes and shardings follow.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/mesh/mesh.hpp"

namespace tutti::text {

/// `a, b` with any separator.
std::string join(const std::vector<std::string>& items, const std::string& separator);
/// `'x'`.
std::string quoted(const std::string& name);
/// `(a, b)`, `(a,)`, `()`.
std::string tuple(const std::vector<std::string>& items);
/// `('x', 'y')`.
std::string names(const std::vector<std::string>& items);

/// `CPU`: the platform as pictures and errors say it.
std::string platform_name(const Device& device);

/// Nested brackets, as NumPy prints an array of objects: rows on their own lines, indented by `indent` columns, lines
/// broken before `width`. `item` gives the text of the element at a row-major position.
std::string nested(const Shape& shape, const std::function<std::string(std::int64_t)>& item, int indent, int width);

}  // namespace tutti::text

// SPDX-License-Identifier: Apache-2.0
