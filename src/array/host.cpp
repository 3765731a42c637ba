#include "tutti/array/host.hpp"

#include "array/node.hpp"
#include "device/client.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

HostPtr whole_of(const Array& x, DType dtype, const char* what) {
  HostPtr buffer = whole_buffer_of(x, what);
  if (x.dtype() != dtype)
    raise<TypeError>(what, "elements of " + x.type().str() + " are not " + std::string(dtype.name()),
                     "Ask for the array's own dtype, use astype(" + std::string(dtype.name()) + "), or host_bytes.");
  return buffer;
}

}  // namespace

bool is_aligned(const void* data, DType dtype) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment_of(dtype) == 0;
}

namespace detail {

Array adopt(const void* data, std::size_t size, DType dtype, const Shape& shape, std::function<void()> release,
            Loc loc) {
  CallScope scope(loc, {"", "from_host", 0});
  if (canonical(dtype) != dtype)
    raise<TypeError>(
        "from_host",
        std::string(dtype.name()) + " is stored as " + std::string(canonical(dtype).name()) + ", which needs a copy",
        "Call enable_x64(true), or array() to convert.");
  bool negative = false;
  for (std::int64_t d : shape) negative = negative || d < 0;
  if (negative)
    raise<ShapeError>("from_host", "the shape " + shape.str() + " has a negative extent", "Extents are 0 or more.");
  if (static_cast<std::int64_t>(size) != shape.num_elements()) throw_size_mismatch(size, shape, loc);
  if (size && !is_aligned(data, dtype))
    raise<ValueError>(
        "from_host", "the memory is not aligned for " + std::string(dtype.name()),
        "Its address has to be a multiple of " + std::to_string(alignment_of(dtype)) + ", or copy by array().");
  const Type type{dtype, shape, false, {}};
  if (client_of(Sharding())) devices();  // what they throw comes before `release` has an owner
  return make_array(type, lent_buffer(data, size * static_cast<std::size_t>(dtype.size()), std::move(release)));
}

const void* host_data(const Array& x, DType dtype, const char* what, Loc loc) {
  CallScope scope(loc, {"", what, 0});
  return whole_of(x, dtype, what)->data();
}

HostMemory host_memory(const Array& x, DType dtype, int ndim, const char* what, Loc loc) {
  CallScope scope(loc, {"", what, 0});
  auto share = std::make_shared<const HostPtr>(whole_of(x, dtype, what));
  if (x.ndim() != ndim)
    raise<ShapeError>(what, x.type().str() + " is not an array of " + std::to_string(ndim) + " dims",
                      "Ask for " + std::to_string(x.ndim()) + " dims, or reshape it.");
  const void* data = (*share)->data();
  return {data, std::move(share)};
}

void throw_outside(int dim, std::int64_t index, std::int64_t extent, Loc loc) {
  raise<IndexError>("HostSpan::at",
                    "index " + std::to_string(index) + " of dim " + std::to_string(dim) + ", whose extent is " +
                        std::to_string(extent),
                    "Indices count from 0.", loc);
}

}  // namespace detail

std::span<const std::byte> host_bytes(const Array& x, Loc loc) {
  CallScope scope(loc, {"", "host_bytes", 0});
  const HostPtr buffer = whole_buffer_of(x, "host_bytes");
  return {static_cast<const std::byte*>(buffer->data()), static_cast<std::size_t>(x.nbytes())};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
