// Arrays made where they belong: filled ones, and ones put together from blocks on single devices.
#include <cstring>
#include <map>
#include <set>

#include "array/node.hpp"
#include "mesh/checks.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/base/call_scope.hpp"
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

// Copies a dense block to where it lies in the dense whole.
void copy_block(const Type& whole, const ShardIndex& index, const std::byte* block, std::byte* out) {
  Shape part = extents(index);
  if (part.num_elements() == 0) return;
  auto size = static_cast<std::int64_t>(whole.dtype.size());
  std::int64_t row = part.empty() ? 1 : part.back(), rows = part.num_elements() / row;
  std::vector<std::int64_t> at(part.size(), 0);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t target = 0;
    for (std::size_t d = 0; d < part.size(); ++d) target = target * whole.shape[d] + index[d].start + at[d];
    std::memcpy(out + target * size, block + r * row * size, static_cast<std::size_t>(row * size));
    for (std::size_t d = part.size(); d-- > 1;) {
      if (++at[d - 1] < part[d - 1]) break;
      at[d - 1] = 0;
    }
  }
}

void check_given(const char* what, const Shape& shape, const Sharding& sharding) {
  for (std::int64_t n : shape)
    if (n < 0) raise<ShapeError>(what, "the shape " + shape.str() + " has a negative extent", "Extents are 0 or more.");
  check_rank(sharding, shape, {what, "an array"});
  check_constrained(sharding, {what, "an array of shape " + shape.str()});
}

// All blocks, in the order of the device assignment.
Array assemble(const char* what, const Shape& shape, const Sharding& sharding, const std::vector<Array>& blocks,
               Loc loc) {
  CallScope scope(loc, Loc{"", what});
  auto map = sharding.devices_indices_map(shape);
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
  BufferPtr buffer = allocate_buffer(static_cast<std::size_t>(type.nbytes()));
  for (std::size_t i = 0; i < map.size(); ++i)
    copy_block(
        type, map[i].second,
        static_cast<const std::byte*>(static_cast<const void*>(buffer_of(concrete(blocks[i], what), what)->data())),
        static_cast<std::byte*>(static_cast<void*>(buffer->data())));
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
  const std::vector<Device>& devices = sharding.device_list();
  if (blocks.size() != devices.size())
    raise<ShardingError>(what,
                         "there are " + std::to_string(blocks.size()) + " blocks, and the sharding has " +
                             std::to_string(devices.size()) + " devices: " + sharding.str(),
                         "Give one block per device.");
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
  for (const auto& [device, index] : sharding.devices_indices_map(shape)) {
    const Array* known = nullptr;
    for (const auto& [where, b] : made)
      if (where == index) known = &b;
    if (!known) known = &made.emplace_back(index, block(index)).second;
    blocks.push_back(*known);
  }
  return assemble(what, shape, sharding, blocks, loc);
}

}  // namespace tutti
