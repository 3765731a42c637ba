// Arrays made where they belong: filled ones, and ones put together from blocks on single devices.
#include <map>
#include <set>

#include "array/copy_box.hpp"
#include "array/node.hpp"
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

// All blocks of addressable devices.
Array assemble(const char* what, const Shape& shape, const Sharding& sharding, const std::vector<Array>& blocks,
               Loc loc) {
  CallScope scope(loc, Loc{"", what});
  auto map = addressable_indices(sharding, shape);
  for (std::size_t i = 0; i < map.size(); ++i)
    if (!blocks[i].has_value())
      raise<ValueError>(what, "the block for " + map[i].first.str() + " is empty: there is no array",
                        "Give each device its part of " + shape.str() + ".");
  Type type{blocks[0].dtype(), shape, false, {}};
  for (std::size_t i = 0; i < map.size(); ++i) {
    Shape want = extents(map[i].second);
    if (blocks[i].dtype() != type.dtype)
      raise<TypeError>(what,
                       "the block for " + map[i].first.str() + " is " + blocks[i].type().str() +
                           ", others have dtype " + std::string(type.dtype.name()),
                       "All blocks of an array have one dtype.");
    if (blocks[i].shape() != want)
      raise<ShardingError>(what,
                           "the block for " + map[i].first.str() + " has shape " + blocks[i].shape().str() +
                               ", expected " + want.str() + " of " + type.str() + " with the sharding " +
                               sharding.str(),
                           "Give each device its part: sharding.devices_indices_map(shape) lists them.");
  }
  const std::optional<Held> held = held_of(sharding, shape);
  const Shape& extents_here = held ? held->block : shape;
  const auto item = static_cast<std::int64_t>(type.dtype.size());
  BufferPtr buffer = allocate_buffer(static_cast<std::size_t>(extents_here.num_elements() * item));
  for (std::size_t i = 0; i < map.size(); ++i) {
    std::vector<std::int64_t> at;
    for (std::size_t d = 0; d < map[i].second.size(); ++d)
      at.push_back(map[i].second[d].start - (held ? held->box.start[d] : 0));
    const BufferPtr block = buffer_of(concrete(blocks[i], what), what);
    copy_box(blocks[i].shape(), item, {blocks[i].shape(), std::vector<std::int64_t>(at.size(), 0)}, block->data(),
             {extents_here, at}, buffer->data());
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
          "a block of type " + b.type().str() + " lies on " + std::to_string(b.sharding().num_devices()) + " devices",
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
  std::vector<Array> ordered;
  for (const Device& d : devices) {
    auto b = by_device.find(d);
    if (b == by_device.end())
      raise<DeviceError>(what,
                         "the sharding has devices " + ids(devices, "{}") + ", the blocks lie on " + ids(given, "{}"),
                         "Put the blocks on the sharding's devices first.");
    ordered.push_back(b->second);
  }
  return assemble(what, shape, sharding, ordered, loc);
}

Array make_array_from_callback(const Shape& shape, const Sharding& sharding,
                               const std::function<Array(const ShardIndex&)>& block, Loc loc) {
  const char* what = "make_array_from_callback";
  {
    CallScope scope(loc);
    check_given(what, shape, sharding);
  }
  std::vector<std::pair<ShardIndex, Array>> made;  // devices that hold the same part share its block
  std::vector<Array> blocks;
  for (const auto& [device, index] : addressable_indices(sharding, shape)) {
    const Array* known = nullptr;
    for (const auto& [where, b] : made)
      if (where == index) known = &b;
    if (!known) known = &made.emplace_back(index, block(index)).second;
    blocks.push_back(*known);
  }
  return assemble(what, shape, sharding, blocks, loc);
}

}  // namespace tutti
