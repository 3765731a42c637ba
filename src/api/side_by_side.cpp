#include "api/side_by_side.hpp"

#include <algorithm>

#include "ir/type.hpp"
#include "mesh/places.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {
namespace {

struct Orders {
  std::shared_ptr<const Places> places;
  Layout given, across_first;  // on places->devices
};
std::optional<Orders> orders_of(const Sharding& sharding, int ndim) {
  Orders out{places_of(mesh_of(sharding)), {}, {}};
  if (!out.places) return {};
  out.given = out.across_first = layout_on_devices(sharding, ndim, *out.places);
  for (AxisRefs& refs : out.across_first.dims)
    std::stable_partition(refs.begin(), refs.end(),
                          [&](const AxisRef& r) { return out.places->across[static_cast<std::size_t>(r.axis)] >= 0; });
  if (out.across_first.dims == out.given.dims) return {};
  return out;
}

}  // namespace

std::optional<Sharding> side_by_side(const Sharding& sharding, int ndim) {
  const std::optional<Orders> orders = orders_of(sharding, ndim);
  if (!orders) return {};
  return sharding_from_layout(orders->places->devices, orders->across_first);
}

Array set_apart(const char* what, const Array& x, const Sharding& sharding) {
  const std::optional<Orders> orders = orders_of(sharding, x.ndim());
  const Shape& sizes = orders->places->devices.shape();
  // Each dim as the numbers of a block along its axes, and the elements of a block.
  std::vector<std::int64_t> parts;
  std::vector<int> order;
  for (int d = 0; d < x.ndim(); ++d) {
    const auto first = static_cast<int>(parts.size());
    const AxisRefs &from = orders->across_first.dims[d], &to = orders->given.dims[d];
    std::int64_t block = x.shape()[d];
    for (const AxisRef& r : from) {
      const std::int64_t n = sizes[r.axis];
      if (block % n != 0)
        raise<UnsupportedError>(what,
                                "blocks of " + x.type().str() + " under " + sharding.str() +
                                    " differ in size, and those of a process do not lie side by side",
                                "Name the axes of a dim in the order of the mesh, or let its extent divide.");
      parts.push_back(n);
      block /= n;
    }
    parts.push_back(block);
    for (const AxisRef& r : to)
      order.push_back(first + static_cast<int>(std::find(from.begin(), from.end(), r) - from.begin()));
    order.push_back(first + static_cast<int>(from.size()));
  }
  const Array apart = x.reshape(Shape(parts)).transpose(order).reshape(x.shape());
  return device_put(apart, sharding);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
