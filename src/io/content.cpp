#include "io/content.hpp"

#include <algorithm>
#include <vector>

#include "array/copy_box.hpp"
#include "array/node.hpp"
#include "mesh/places.hpp"
#include "tree/absent.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::io::detail {
namespace {

// Bytes of a file may be what no element of the dtype is: bools are then true, 4-bit integers their low bits.
void normalise(DType dtype, std::span<std::byte> bytes) {
  if (dtype.is_bool())
    for (std::byte& b : bytes) b = std::byte(b != std::byte(0));
  else if (dtype == uint4)
    for (std::byte& b : bytes) b &= std::byte(15);
  else if (dtype == int4)
    for (std::byte& b : bytes) b = std::byte(((std::to_integer<int>(b) & 15) ^ 8) - 8);
}
std::span<std::byte> span_of(const HostPtr& buffer) {
  return {static_cast<std::byte*>(buffer->data()), buffer->bytes()};
}

}  // namespace

DType stored_dtype(DType dtype) {
  if (dtype.is_key()) return uint32;
  return dtype == int4 ? int8 : dtype == uint4 ? uint8 : dtype;
}
Shape stored_shape(DType dtype, const Shape& shape) {
  Shape out = shape;
  if (dtype.is_key()) out.push_back(2);
  return out;
}

namespace {

Array value_of(const Array& x, const std::string& name) {
  refuse_absent(x);
  if (!x.has_value()) raise<ValueError>(name, "the array is empty (no array here)", "Test has_value() first.");
  return concrete(x, name.c_str());
}

}  // namespace

Content content_of(const Array& x) {
  const std::string name = call_name("io");
  const Array value = value_of(x, name);
  return {stored_dtype(value.dtype()), stored_shape(value.dtype(), value.shape()),
          whole_buffer_of(value, name.c_str())};
}

Content content_here(const Array& x) {
  const std::string name = call_name("io");
  const Array value = value_of(x, name);
  const std::optional<Held> held = held_of(value.node()->sharding, value.shape());
  if (!held) return content_of(value);
  HostPtr memory = held_buffer_of(value, name.c_str());
  const Shape box = held->box.shape();
  if (box != held->block) {
    HostPtr dense = allocate_buffer(static_cast<std::size_t>(bytes_of(value.dtype(), box)));
    const std::vector<std::int64_t> origin(box.size(), 0);
    copy_box(box, value.dtype().size(), {held->block, origin}, memory->data(), {box, origin}, dense->data());
    memory = std::move(dense);
  }
  return {stored_dtype(value.dtype()), stored_shape(value.dtype(), box), std::move(memory)};
}

std::int64_t bytes_of(DType dtype, const Shape& shape) {
  std::int64_t bytes = dtype.size();
  bool empty = false;
  for (std::int64_t d : shape) {
    empty = empty || d == 0;
    if (bytes = extent::mul(bytes, std::max<std::int64_t>(d, 1)); d < 0 || bytes > extent::most) return -1;
  }
  return empty ? 0 : bytes;
}

Array array_of_bytes(DType dtype, const Shape& shape, const Fill& fill) {
  if (canonical(dtype) != dtype) {
    std::vector<std::byte> wide(static_cast<std::size_t>(bytes_of(dtype, shape)));
    fill(wide);
    return array_from_host(wide.data(), dtype, shape, current_loc());
  }
  HostPtr buffer = allocate_buffer(static_cast<std::size_t>(bytes_of(dtype, shape)));
  fill(span_of(buffer));
  normalise(dtype, span_of(buffer));
  return make_array(Type{dtype, shape, false, {}}, std::move(buffer));
}

Array array_like(const Array& like, const Fill& fill) {
  const ArrayNode& node = *like.node();
  const std::optional<Held> held = node.traced() ? std::nullopt : held_of(node.sharding, node.type.shape);
  HostPtr buffer =
      allocate_buffer(static_cast<std::size_t>(bytes_of(node.type.dtype, held ? held->box.shape() : node.type.shape)));
  fill(span_of(buffer));
  normalise(node.type.dtype, span_of(buffer));
  if (held && held->box.shape() != held->block) {  // the block ends in padding
    HostPtr block = allocate_buffer(held->bytes(static_cast<int>(node.type.dtype.size())));
    const std::vector<std::int64_t> origin(held->block.size(), 0);
    const Shape box = held->box.shape();
    copy_box(box, node.type.dtype.size(), {box, origin}, buffer->data(), {held->block, origin}, block->data());
    buffer = std::move(block);
  }
  Type type{node.type.dtype, node.type.shape, node.type.weak, {}};
  if (node.traced()) return make_array(std::move(type), std::move(buffer));
  Array out = make_array(std::move(type), std::move(buffer), node.sharding, node.committed);
  out.node()->rows = node.rows;
  return out;
}

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
