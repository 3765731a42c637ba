#include <map>
#include <mutex>
#include <ostream>
#include <tuple>

#include "mesh/mesh_node.hpp"
#include "mesh/text.hpp"
#include "mesh/topology.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

std::string count(std::int64_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

// The extents of a mesh, checked: all positive, their product a number of devices.
void check_sizes(const Shape& sizes, const char* who) {
  for (std::int64_t size : sizes)
    if (size < 1)
      raise<ValueError>(who, "an axis of size " + std::to_string(size) + " in " + sizes.str() + " holds no device",
                        "Sizes are at least 1: leave the axis out, or give it size 1.");
  std::int64_t total = 1;
  for (std::int64_t size : sizes)
    if (__builtin_mul_overflow(total, size, &total) || total > kMaxCpuDevices)
      raise<DeviceError>(who,
                         "the shape " + sizes.str() + " needs more than the " + std::to_string(kMaxCpuDevices) +
                             " devices that can be simulated",
                         "Use a smaller mesh.");
}

// Axis names, checked: none is empty or comes twice.
void check_names(const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      raise<ValueError>("Mesh", "axis " + std::to_string(i) + " has an empty name in " + text::names(names.list()),
                        "Give every axis a name: specs and collectives use it.");
    for (std::size_t j = 0; j < i; ++j)
      if (names[i] == names[j])
        raise<ValueError>("Mesh", "the axis name '" + names[i] + "' comes twice in " + text::names(names.list()),
                          "Give every axis a name of its own.");
  }
}

void check_as_many(const Shape& shape, const Names& names) {
  if (shape.size() != names.size())
    raise<ValueError>("Mesh",
                      "the devices have " + count(shape.ndim(), "dim") + " " + shape.str() + ", but " +
                          count(static_cast<std::int64_t>(names.size()), "axis name") +
                          " came: " + text::names(names.list()),
                      "Give one name per dim.");
}

std::shared_ptr<const MeshNode> checked(std::vector<Device> devices, Shape shape, const Names& names) {
  check_as_many(shape, names);
  check_sizes(shape, "Mesh");
  if (shape.num_elements() != static_cast<std::int64_t>(devices.size()))
    raise<ValueError>("Mesh",
                      count(static_cast<std::int64_t>(devices.size()), "device") + " cannot fill the shape " +
                          shape.str() + ", which needs " + std::to_string(shape.num_elements()),
                      "Give a shape whose product is the number of devices.");
  check_names(names);
  std::set<Device> seen;
  for (const Device& device : devices)
    if (!seen.insert(device).second)
      raise<DeviceError>("Mesh", device.str() + " comes twice in " + str(devices),
                         "Leave it out: a device has one place in a mesh.");
  return intern_mesh(std::move(devices), std::move(shape), names.list()).handle();
}

std::pair<Shape, Names> split(const std::vector<MeshAxis>& axes) {
  Shape sizes;
  std::vector<std::string> names;
  for (const MeshAxis& axis : axes) {
    sizes.push_back(axis.size);
    names.push_back(axis.name);
  }
  return {sizes, Names(names)};
}

std::shared_ptr<const MeshNode> node_of(const std::vector<MeshAxis>& axes, Loc loc) {
  CallScope scope(loc, Loc{"", "Mesh"});
  auto [sizes, names] = split(axes);
  return make_mesh(sizes, names, loc).handle();
}

const MeshNode& deref(const Mesh& mesh, const char* member, Loc loc) {
  if (mesh.has_value()) return *mesh.node();
  CallScope scope(loc, Loc{"", member});
  raise<ValueError>(member, "this Mesh is empty", "Make one with make_mesh({4, 2}, {\"x\", \"y\"}).");
}

}  // namespace

// Meshes live for ever, so that a pointer names a mesh in caches; programs make few of them.
Mesh intern_mesh(const DeviceList* devices, Shape shape, std::vector<std::string> names) {
  using Key = std::tuple<std::vector<std::int64_t>, std::vector<std::string>, const DeviceList*>;
  static std::mutex mutex;
  static auto* table = new std::map<Key, std::shared_ptr<const MeshNode>>;
  Key key{shape.dims(), names, devices};
  std::lock_guard lock(mutex);
  auto [at, added] = table->try_emplace(std::move(key));
  if (added) {
    std::size_t hash = 1469598103934665603ull;
    auto mix = [&](std::size_t v) { hash = (hash ^ v) * 1099511628211ull; };
    for (std::int64_t d : shape) mix(static_cast<std::size_t>(d));
    for (const std::string& name : names) mix(std::hash<std::string>{}(name));
    mix(static_cast<std::size_t>(devices->size()));
    if (!devices->is_abstract()) mix(static_cast<std::size_t>(devices->devices().front().id()) + 1);
    at->second = std::make_shared<const MeshNode>(MeshNode{std::move(shape), std::move(names), devices, hash});
  }
  return Mesh(at->second);
}

Mesh intern_mesh(std::vector<Device> devices, Shape shape, std::vector<std::string> names) {
  return intern_mesh(DeviceList::of(std::move(devices)), std::move(shape), std::move(names));
}

Mesh unnamed_mesh(const DeviceList* devices, Shape shape) {
  std::vector<std::string> names(shape.size());
  return intern_mesh(devices, std::move(shape), std::move(names));
}
Mesh unnamed_mesh(std::vector<Device> devices, Shape shape) {
  return unnamed_mesh(DeviceList::of(std::move(devices)), std::move(shape));
}

bool is_unnamed(const Mesh& mesh) {
  for (const std::string& name : mesh.axis_names())
    if (!name.empty()) return false;
  return true;
}

DeviceGrid::DeviceGrid(std::vector<Device> devices, Shape shape, Loc loc)
    : devices_(std::move(devices)), shape_(std::move(shape)) {
  CallScope scope(loc);
  check_sizes(shape_, "DeviceGrid");
  if (shape_.num_elements() != size())
    raise<ValueError>("DeviceGrid", "cannot arrange " + count(size(), "device") + " in the shape " + shape_.str(),
                      "Give a shape whose product is the number of devices.");
}

std::string DeviceGrid::str() const {
  return text::nested(
      shape_, [&](std::int64_t i) { return devices_[static_cast<std::size_t>(i)].str(); }, 0, 76);
}
std::ostream& operator<<(std::ostream& out, const DeviceGrid& grid) { return out << grid.str(); }

Mesh::Mesh(const Mesh&) noexcept = default;
Mesh::Mesh(Mesh&&) noexcept = default;
Mesh& Mesh::operator=(const Mesh&) noexcept = default;
Mesh& Mesh::operator=(Mesh&&) noexcept = default;
Mesh::~Mesh() = default;

Mesh::Mesh(std::initializer_list<MeshAxis> axes, Loc loc) : node_(node_of(axes, loc)) {}
Mesh::Mesh(const std::vector<MeshAxis>& axes, Loc loc) : node_(node_of(axes, loc)) {}
Mesh::Mesh(std::vector<Device> devices, Names name, Loc loc) {
  CallScope scope(loc);
  Shape shape{static_cast<std::int64_t>(devices.size())};
  node_ = checked(std::move(devices), shape, name);
}
Mesh::Mesh(std::vector<Device> devices, Shape shape, Names names, Loc loc) {
  CallScope scope(loc);
  node_ = checked(std::move(devices), std::move(shape), names);
}
Mesh::Mesh(DeviceGrid grid, Names names, Loc loc) {
  CallScope scope(loc);
  node_ = checked(grid.flat(), grid.shape(), names);
}

const Shape& Mesh::shape(Loc loc) const { return deref(*this, "Mesh::shape", loc).shape; }
std::int64_t Mesh::size(Loc loc) const { return deref(*this, "Mesh::size", loc).devices->size(); }
const std::vector<std::string>& Mesh::axis_names(Loc loc) const { return deref(*this, "Mesh::axis_names", loc).names; }
const std::vector<Device>& Mesh::device_list(Loc loc) const {
  return deref(*this, "Mesh::device_list", loc).devices->devices();
}
bool Mesh::is_abstract() const { return node_ && node_->devices->is_abstract(); }
DeviceGrid Mesh::devices(Loc loc) const {
  const MeshNode& node = deref(*this, "Mesh::devices", loc);
  return DeviceGrid(node.devices->devices(), node.shape, loc);
}
std::size_t Mesh::hash() const { return node_ ? node_->hash : 0; }

int Mesh::axis_index(std::string_view axis, Loc loc) const {
  const std::vector<std::string>& names = deref(*this, "Mesh::axis_index", loc).names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == axis) return static_cast<int>(i);
  return -1;
}

std::int64_t Mesh::size(std::string_view axis, Loc loc) const {
  int at = axis_index(axis, loc);
  if (at >= 0) return node_->shape[static_cast<std::size_t>(at)];
  CallScope scope(loc);
  raise<ValueError>("Mesh::size",
                    str() + " has no axis '" + std::string(axis) + "'; its axes are " + text::names(axis_names()),
                    "Name one of them.");
}

std::string Mesh::str() const {
  if (!has_value()) return "Mesh()";
  std::vector<std::string> items, types;
  for (int i = 0; i < ndim(); ++i) {
    auto at = static_cast<std::size_t>(i);
    items.push_back((axis_names()[at].empty() ? "" : text::quoted(axis_names()[at]) + ": ") +
                    std::to_string(shape()[at]));
    types.push_back("Auto");
  }
  items.push_back("axis_types=" + text::tuple(types));
  return "Mesh(" + text::join(items, ", ") + ")";
}

std::string Mesh::repr() const {
  if (!has_value()) return "Mesh()";
  std::vector<std::string> types(static_cast<std::size_t>(ndim()), "Auto");
  return "Mesh(axis_sizes=" + shape().str() + ", axis_names=" + text::names(axis_names()) +
         ", axis_types=" + text::tuple(types) + ")";
}
std::ostream& operator<<(std::ostream& out, const Mesh& mesh) { return out << mesh.str(); }

Mesh make_mesh(Shape sizes, Names names, Loc loc) {
  CallScope scope(loc);
  check_sizes(sizes, "make_mesh");
  // Errors about names come before devices are added for a mesh that will not be made.
  if (sizes.size() != names.size())
    return Mesh(std::vector<Device>(static_cast<std::size_t>(sizes.num_elements())), sizes, names);
  std::vector<Device> list = first_devices(sizes.num_elements(), "make_mesh", "the shape " + sizes.str());
  return make_mesh(std::move(sizes), std::move(names), std::move(list), loc);
}

Mesh abstract_mesh(Shape sizes, Names names, Loc loc) {
  CallScope scope(loc);
  check_as_many(sizes, names);
  check_sizes(sizes, "abstract_mesh");
  check_names(names);
  return intern_mesh(DeviceList::abstract(sizes.num_elements()), sizes, names.list());
}

Mesh make_mesh(Shape sizes, Names names, std::vector<Device> devices, Loc loc) {
  CallScope scope(loc);
  check_sizes(sizes, "make_mesh");
  auto wanted = static_cast<std::size_t>(sizes.num_elements());
  if (wanted > devices.size())
    raise<DeviceError>("make_mesh",
                       "the shape " + sizes.str() + " needs " + std::to_string(wanted) + " devices, but " +
                           std::to_string(devices.size()) + " were given: " + str(devices),
                       "Give more, or smaller sizes.");
  devices.resize(wanted);
  const int slice = devices[0].slice_index();
  for (const Device& device : devices)
    if (device.slice_index() != slice)
      raise<DeviceError>(
          "make_mesh",
          "the devices are of several slices: " + devices[0].str() + " of slice " + std::to_string(slice) + ", " +
              device.str() + " of slice " + std::to_string(device.slice_index()),
          "Use mesh_utils::create_hybrid_device_mesh, which takes the axes along the network between them.");
  // The links of these chips are fast enough to share: any shape is a good one.
  const std::string_view kind = devices[0].device_kind();
  mesh_utils::DeviceMeshOptions options{.allow_split_physical_axes = kind == "TPU v5 lite" || kind == "TPU v5e"};
  return Mesh(mesh_utils::create_device_mesh(std::move(sizes), std::move(devices), options), std::move(names));
}

namespace mesh_utils {

DeviceGrid create_device_mesh(Shape sizes, DeviceMeshOptions options, Loc loc) {
  CallScope scope(loc);
  check_sizes(sizes, "create_device_mesh");
  if (device_count_is_fixed()) return create_device_mesh(std::move(sizes), devices(), options);
  return create_device_mesh(
      sizes, first_devices(sizes.num_elements(), "create_device_mesh", "the shape " + sizes.str()), options);
}

DeviceGrid create_device_mesh(Shape sizes, std::vector<Device> devices, DeviceMeshOptions options, Loc loc) {
  CallScope scope(loc);
  check_sizes(sizes, "create_device_mesh");
  std::vector<Device> ordered = in_topology_order(sizes, std::move(devices), options, "create_device_mesh");
  return DeviceGrid(std::move(ordered), std::move(sizes));
}

DeviceGrid create_hybrid_device_mesh(Shape inner, Shape outer, std::vector<Device> devices, HybridMeshOptions options,
                                     Loc loc) {
  CallScope scope(loc);
  check_sizes(inner, "create_hybrid_device_mesh");
  check_sizes(outer, "create_hybrid_device_mesh");
  auto [shape, ordered] = in_hybrid_order(inner, outer, devices, options, "create_hybrid_device_mesh");
  return DeviceGrid(std::move(ordered), std::move(shape));
}

DeviceGrid create_hybrid_device_mesh(Shape inner, Shape outer, HybridMeshOptions options, Loc loc) {
  CallScope scope(loc);
  return create_hybrid_device_mesh(std::move(inner), std::move(outer), devices(), options, loc);
}

}  // namespace mesh_utils
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
