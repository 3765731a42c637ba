// Which part of an array a device holds.
#include <algorithm>

#include "mesh/layout.hpp"
#include "mesh/text.hpp"

namespace tutti {

using extent::ceil_div;

std::vector<std::int64_t> coordinates(const Mesh& mesh, std::int64_t position) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(mesh.ndim()));
  for (std::size_t i = out.size(); i-- > 0;) {
    out[i] = position % mesh.shape()[i];
    position /= mesh.shape()[i];
  }
  return out;
}

std::int64_t position(const Mesh& mesh, const std::vector<std::int64_t>& coordinates) {
  std::int64_t out = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) out = out * mesh.shape()[i] + coordinates[i];
  return out;
}

std::int64_t coordinate(const AxisRef& ref, const Mesh& mesh, const std::vector<std::int64_t>& coordinates) {
  auto axis = static_cast<std::size_t>(ref.axis);
  return coordinates[axis] / (mesh.shape()[axis] / (ref.pre * ref.size)) % ref.size;
}

std::int64_t block_number(const AxisRefs& refs, const Mesh& mesh, const std::vector<std::int64_t>& coordinates) {
  std::int64_t out = 0;
  for (const AxisRef& ref : refs) out = out * ref.size + coordinate(ref, mesh, coordinates);
  return out;
}

Shape Box::shape() const {
  Shape out;
  for (std::size_t d = 0; d < start.size(); ++d) out.push_back(stop[d] - start[d]);
  return out;
}

std::string Box::str() const {
  std::vector<std::string> items;
  for (std::size_t d = 0; d < start.size(); ++d)
    items.push_back(std::to_string(start[d]) + ":" + std::to_string(stop[d]));
  return "[" + text::join(items, ", ") + "]";
}

Box whole_box(const Shape& shape) { return {std::vector<std::int64_t>(shape.size(), 0), shape.dims()}; }

Box intersection(const Box& a, const Box& b) {
  Box out = a;
  for (std::size_t d = 0; d < a.start.size(); ++d) {
    out.start[d] = std::max(a.start[d], b.start[d]);
    out.stop[d] = std::max(out.start[d], std::min(a.stop[d], b.stop[d]));
  }
  return out;
}

bool divides(const Layout& layout, const Shape& shape) {
  for (int d = 0; d < layout.ndim(); ++d)
    if (shape[static_cast<std::size_t>(d)] % layout.ways(d) != 0) return false;
  return true;
}

Shape block_shape(const Layout& layout, const Shape& shape) {
  Shape out = shape;
  for (int d = 0; d < layout.ndim(); ++d) {
    auto at = static_cast<std::size_t>(d);
    out[at] = ceil_div(shape[at], layout.ways(d));
  }
  return out;
}

Box box_of(const Layout& layout, const Mesh& mesh, const Shape& shape, const std::vector<std::int64_t>& coordinates) {
  Box box = whole_box(shape);
  for (std::size_t d = 0; d < layout.dims.size(); ++d) {
    // `block`: what a block of this level would hold if nothing ended early; blocks lie at its multiples.
    std::int64_t block = shape[d];
    for (const AxisRef& ref : layout.dims[d]) {
      block = ceil_div(block, ref.size);
      const std::int64_t before = extent::mul(coordinate(ref, mesh, coordinates), block);
      box.start[d] = std::min(box.stop[d], extent::add(box.start[d], before));
      box.stop[d] = std::min(box.stop[d], extent::add(box.start[d], block));
    }
  }
  return box;
}

Box box_of(const Layout& layout, const Mesh& mesh, const Shape& shape, std::int64_t position) {
  return box_of(layout, mesh, shape, tutti::coordinates(mesh, position));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
