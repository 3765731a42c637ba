// Arrays made where they belong: filled ones, and ones put together from blocks on single devices.
#include <map>
#include <set>

#include "api/side_by_side.hpp"
#include "array/copy_box.hpp"
#include "array/node.hpp"
#include "distributed/agree.hpp"
#include "mesh/checks.hpp"
#include "mesh/places.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/distributed/distributed.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {
namespace {

std::string ids(const std::vector<Device>& devices, const char* brackets) {
  std::string out(1, brackets[0]);
  for (std::size_t i = 0; i < devices.size(); ++i) out += (i ? ", " : "") + std::to_string(devices[i].id());
  return out + brackets[1];
}

Shape extents(const ShardIndex& index) {
  Shape out;
  for (const IndexRange& r : index) out.push_back(r.stop - r.start);
  return out;
}

void check_given(const char* what, const Shape& shape, const Sharding& sharding) {
  for (std::int64_t n : shape)
    if (n < 0) raise<ShapeError>(what, "the shape " + shape.str() + " has a negative extent", "Extents are 0 or more.");
  check_rank(sharding, shape, {what, "an array"});
  check_constrained(sharding, {what, "an array of shape " + shape.str()});
}

// All processes ask for the same array: compared on demand.
void check_asked(const char* what, const Shape& shape, const Sharding& sharding) {
  if (distributed::compares_all())
    distributed::check_same(shape.str() + " " + distributed::described(sharding), what, "the array that is asked for");
}

// A block of an array, and a device whose part of it that is.
struct OwnedBlock {
  Device device;
  ShardIndex index;
  Array block;
};

Box box_of(const ShardIndex& index) {
  Box out;
  for (const IndexRange& r : index) {
    out.start.push_back(r.start);
    out.stop.push_back(r.stop);
  }
  return out;
}

// What this process holds of an array.
struct Here {
  Box box;
  Shape extents;  // of the buffer
};
Here here_of(const Sharding& sharding, const Shape& shape) {
  const std::optional<Held> held = held_of(sharding, shape);
  return held ? Here{held->box, held->block} : Here{whole_box(shape), shape};
}

std::vector<std::int64_t> difference(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < a.size(); ++d) out.push_back(a[d] - b[d]);
  return out;
}

// Of pieces that cover what this process holds.
Array assemble(const char* what, const Shape& shape, const Sharding& sharding, const std::vector<OwnedBlock>& pieces,
               Loc loc) {
  CallScope scope(loc, Loc{"", what});
  for (const OwnedBlock& p : pieces)
    if (!p.block.has_value())
      raise<ValueError>(what, "the block for " + p.device.str() + " is empty: there is no array",
                        "Give each device its part of " + shape.str() + ".");
  Type type{pieces[0].block.dtype(), shape, false, {}};
  for (const OwnedBlock& p : pieces) {
    Shape want = extents(p.index);
    if (p.block.dtype() != type.dtype)
      raise<TypeError>(what,
                       "the block for " + p.device.str() + " is " + p.block.type().str() + ", others have dtype " +
                           std::string(type.dtype.name()),
                       "All blocks of an array have one dtype.");
    if (p.block.shape() != want)
      raise<ShardingError>(what,
                           "the block for " + p.device.str() + " has shape " + p.block.shape().str() + ", expected " +
                               want.str() + " of " + type.str() + " with the sharding " + sharding.str(),
                           "Give each device its part: sharding.devices_indices_map(shape) lists them.");
  }
  const Here here = here_of(sharding, shape);
  const auto item = static_cast<std::int64_t>(type.dtype.size());
  HostPtr buffer = allocate_buffer(static_cast<std::size_t>(here.extents.num_elements() * item));
  for (const OwnedBlock& p : pieces) {
    const Box piece = box_of(p.index), part = intersection(piece, here.box);
    if (part.empty()) continue;
    const HostPtr block = held_buffer_of(concrete(p.block, what), what);
    copy_box(part.shape(), item, {p.block.shape(), difference(part.start, piece.start)}, block->data(),
             {here.extents, difference(part.start, here.box.start)}, buffer->data());
  }
  return make_array(std::move(type), std::move(buffer), sharding, true);
}

}  // namespace

Array zeros(const Shape& shape, const Sharding& sharding, DType dtype, Loc loc) {
  CallScope scope(loc);
  return device_put(zeros(shape, dtype), sharding);
}
Array ones(const Shape& shape, const Sharding& sharding, DType dtype, Loc loc) {
  CallScope scope(loc);
  return device_put(ones(shape, dtype), sharding);
}
Array full(const Shape& shape, const Operand& value, const Sharding& sharding) {
  CallScope scope(value.loc);
  return device_put(full(shape, value), sharding);
}

Array make_array_from_single_device_arrays(const Shape& shape, const Sharding& sharding,
                                           const std::vector<Array>& blocks, Loc loc) {
  const char* what = "make_array_from_single_device_arrays";
  CallScope scope(loc);
  check_given(what, shape, sharding);
  check_asked(what, shape, sharding);
  std::vector<Device> devices;
  for (const auto& [device, index] : addressable_indices(sharding, shape)) devices.push_back(device);
  std::map<Device, Array> by_device;
  std::vector<Device> given;
  for (const Array& b : blocks) {
    if (!b.has_value())
      raise<ValueError>(what,
                        "block " + std::to_string(given.size()) + " of " + std::to_string(blocks.size()) +
                            " is empty: there is no array",
                        "Give one block per device.");
    if (b.sharding().num_devices() != 1)
      raise<DeviceError>(
          what,
          "a block of type " + b.type().str() + " is on " + std::to_string(b.sharding().num_devices()) + " devices",
          "Put each block on one device first.");
    given.push_back(b.sharding().device_list()[0]);
    by_device[given.back()] = b;
  }
  if (by_device.size() != blocks.size())
    raise<DeviceError>(what, "the blocks must lie on different devices; they are on " + ids(given, "[]"),
                       "Put each block on its own device first.");
  if (blocks.size() != devices.size() && blocks.size() != static_cast<std::size_t>(sharding.num_devices()))
    raise<ShardingError>(what,
                         "there are " + std::to_string(blocks.size()) + " blocks, and the sharding has " +
                             std::to_string(devices.size()) + " devices" +
                             (process_count() > 1 ? " in this process: " : ": ") + sharding.str(),
                         "Give one block per device.");
  // What a process's devices hold may lie apart: it is put together side by side first, and sent to its places.
  const std::optional<Sharding> other = side_by_side(sharding, shape.ndim());
  const Sharding& at = other ? *other : sharding;
  const Here here = here_of(at, shape);
  std::vector<OwnedBlock> pieces;
  for (const auto& [device, index] : addressable_indices(at, shape)) {
    auto b = by_device.find(device);
    if (b == by_device.end())
      raise<DeviceError>(what,
                         "the sharding has devices " + ids(devices, "{}") + ", the blocks lie on " + ids(given, "{}"),
                         "Put the blocks on the sharding's devices first.");
    const Box piece = box_of(index);
    if (!piece.empty() && intersection(piece, here.box) != piece)
      raise<UnsupportedError>(
          what,
          "the block of " + device.str() + " is partly in another process: " + shape.str() + " under " + sharding.str(),
          "Let the extents of dims that are cut divide, or use make_array_from_callback.");
    pieces.push_back({device, index, b->second});
  }
  Array out = assemble(what, shape, at, pieces, loc);
  return other ? set_apart(what, out, sharding) : out;
}

Array make_array_from_callback(const Shape& shape, const Sharding& sharding,
                               const std::function<Array(const ShardIndex&)>& block, Loc loc) {
  const char* what = "make_array_from_callback";
  {
    CallScope scope(loc);
    check_given(what, shape, sharding);
    check_asked(what, shape, sharding);
  }
  // Of all parts those of which something is here; one at least, for the dtype.
  const Here here = here_of(sharding, shape);
  std::vector<OwnedBlock> pieces;
  auto add = [&](const Device& device, const ShardIndex& index) {
    for (const OwnedBlock& p : pieces)  // devices that hold the same part share its block
      if (p.index == index) return;
    pieces.push_back({device, index, block(index)});
  };
  for (const auto& [device, index] : sharding.devices_indices_map(shape))
    if (!intersection(box_of(index), here.box).empty()) add(device, index);
  if (pieces.empty()) {
    const auto [device, index] = addressable_indices(sharding, shape)[0];
    add(device, index);
  }
  return assemble(what, shape, sharding, pieces, loc);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
