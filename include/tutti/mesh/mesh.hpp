// Devices, and named grids of them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/shape.hpp"

namespace tutti {

/// Position of a device in hardware, by which create_device_mesh orders devices.
struct DevicePosition {
  int process_index = 0;
  /// Position of the device's chip in the torus of chips: x, y, z.
  std::array<int, 3> coords{};
  int core_on_chip = 0;
  /// The slice: devices that are joined by the fast network. -1: the platform has no slices.
  int slice_index = -1;
};

/// One device: a value that names it. Prints as `CpuDevice(id=0)`; a TPU's adds where it sits.
///
/// On the CPU a device is a *virtual* one: its own place in meshes and pictures, the same memory and the same threads.
/// Other devices can be described, which is enough for meshes, shardings and pictures: `Device(3, "tpu", "TPU v3",
/// {.coords = {1, 0, 0}, .core_on_chip = 1})`.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Device {
 public:
  /// The CPU device 0.
  constexpr Device() = default;
  explicit constexpr Device(int id, const char* platform = "cpu", const char* kind = "cpu",
                            DevicePosition position = {})
      : id_(id), platform_(platform), kind_(kind), position_(position) {}

  constexpr int id() const { return id_; }
  /// `"cpu"`.
  std::string_view platform() const { return platform_; }
  std::string_view device_kind() const { return kind_; }
  constexpr int process_index() const { return position_.process_index; }
  constexpr const std::array<int, 3>& coords() const { return position_.coords; }
  constexpr int core_on_chip() const { return position_.core_on_chip; }
  constexpr int slice_index() const { return position_.slice_index; }
  /// `CpuDevice(id=0)`, `TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)`.
  std::string str() const;

  friend bool operator==(const Device& a, const Device& b) { return a.id_ == b.id_ && a.platform() == b.platform(); }
  friend std::strong_ordering operator<=>(const Device& a, const Device& b) {
    if (auto c = a.id_ <=> b.id_; c != 0) return c;
    return a.platform() <=> b.platform();
  }

 private:
  int id_ = 0;
  const char* platform_ = "cpu";
  const char* kind_ = "cpu";
  DevicePosition position_;
};

/// All devices, in the order of their ids. One CPU device at first; see `set_cpu_devices`.
std::vector<Device> devices();
/// The devices of this process: all of them, while there is one process.
std::vector<Device> local_devices();
int device_count();

/// Fixes the number of CPU devices; at any time, and ids never change. So does the environment variable
/// TUTTI_CPU_DEVICES. While nobody has fixed it, `make_mesh`, `create_device_mesh` and `pmap` add the devices they
/// need. Throws ValueError when `n` is not positive.
void set_cpu_devices(int n, Loc loc = Loc::current());

/// `[CpuDevice(id=0), CpuDevice(id=1)]`; a set prints in braces.
std::string str(const std::vector<Device>& devices);
std::ostream& operator<<(std::ostream& out, const Device& device);
std::ostream& operator<<(std::ostream& out, const std::vector<Device>& devices);
std::ostream& operator<<(std::ostream& out, const std::set<Device>& devices);

/// Devices in a grid, row-major: what `mesh_utils::create_device_mesh` makes.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class DeviceGrid {
 public:
  DeviceGrid() = default;
  /// Throws ValueError when the product of `shape` is not the number of devices.
  DeviceGrid(std::vector<Device> devices, Shape shape, Loc loc = Loc::current());

  const Shape& shape() const { return shape_; }
  int ndim() const { return shape_.ndim(); }
  std::int64_t size() const { return static_cast<std::int64_t>(devices_.size()); }
  /// The devices in row-major order.
  const std::vector<Device>& flat() const { return devices_; }
  DeviceGrid reshape(Shape shape, Loc loc = Loc::current()) const {
    return DeviceGrid(devices_, std::move(shape), loc);
  }
  /// Nested lists, as NumPy prints them.
  std::string str() const;

  friend bool operator==(const DeviceGrid&, const DeviceGrid&) = default;

 private:
  std::vector<Device> devices_;
  Shape shape_;
};
std::ostream& operator<<(std::ostream& out, const DeviceGrid& grid);

/// A mesh axis: its name and how many devices lie along it.
struct MeshAxis {
  std::string name;
  Dim size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

struct MeshNode;

/// A grid of devices whose axes have names. A cheap handle; equal meshes are the same object.
///
///     Mesh mesh = make_mesh({4, 2}, {"x", "y"});       // the first 8 devices, in 4 rows of 2
///     Mesh same({{"x", 4}, {"y", 2}});
///     Mesh line(devices(), "batch");                   // all devices in a row
///     mesh.size("x")                                   // 4
///
/// Throws ValueError when the number of names is not the rank, a name is empty or comes twice, or an axis has size 0;
/// DeviceError when a device comes twice or there are too few. An empty Mesh has no shape, axes or devices: they are a
/// ValueError.
/// Threads: many may read one object at once, and copies of it; assigning to it excludes all others.
class Mesh {
 public:
  /// No mesh: `has_value()` is false.
  Mesh() = default;
  Mesh(const Mesh&) noexcept;
  Mesh(Mesh&&) noexcept;
  Mesh& operator=(const Mesh&) noexcept;
  Mesh& operator=(Mesh&&) noexcept;
  ~Mesh();
  Mesh(std::initializer_list<MeshAxis> axes, Loc loc = Loc::current());
  explicit Mesh(const std::vector<MeshAxis>& axes, Loc loc = Loc::current());
  /// A row of devices with one name.
  Mesh(std::vector<Device> devices, Names name, Loc loc = Loc::current());
  Mesh(std::vector<Device> devices, Shape shape, Names names, Loc loc = Loc::current());
  Mesh(DeviceGrid grid, Names names, Loc loc = Loc::current());

  bool has_value() const { return node_ != nullptr; }
  /// Sizes of the axes: `(4, 2)`.
  const Shape& shape(Loc loc = Loc::current()) const;
  int ndim(Loc loc = Loc::current()) const { return shape(loc).ndim(); }
  /// Number of devices.
  std::int64_t size(Loc loc = Loc::current()) const;
  /// Size of one axis; throws ValueError (the names are listed) when there is none of that name.
  std::int64_t size(std::string_view axis, Loc loc = Loc::current()) const;
  const std::vector<std::string>& axis_names(Loc loc = Loc::current()) const;
  /// Position of an axis, or -1.
  int axis_index(std::string_view axis, Loc loc = Loc::current()) const;
  /// True if made by abstract_mesh: its devices are counted and do not exist.
  bool is_abstract() const;
  /// Devices in row-major order: the device assignment of everything on this mesh.
  const std::vector<Device>& device_list(Loc loc = Loc::current()) const;
  DeviceGrid devices(Loc loc = Loc::current()) const;
  /// `Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))`.
  std::string str() const;
  /// `Mesh(axis_sizes=(4, 2), axis_names=('x', 'y'), axis_types=(Auto, Auto))`.
  std::string repr() const;

  std::size_t hash() const;
  const MeshNode* node() const { return node_.get(); }
  const std::shared_ptr<const MeshNode>& handle() const { return node_; }
  /// For tutti's own stages; see src/mesh/mesh_node.hpp.
  explicit Mesh(std::shared_ptr<const MeshNode> node) : node_(std::move(node)) {}
  friend bool operator==(const Mesh& a, const Mesh& b) { return a.node_ == b.node_; }

 private:
  std::shared_ptr<const MeshNode> node_;
};
std::ostream& operator<<(std::ostream& out, const Mesh& mesh);

/// A mesh over the first devices, ordered as create_device_mesh does (on CPUs: by id). Adds CPU devices when their
/// number is not fixed.
///
///     make_mesh({4, 2}, {"x", "y"});
///
/// Throws DeviceError when the product of `sizes` is more than the fixed number of devices, when the devices are of
/// several slices, or as create_device_mesh does. Source: jax.make_mesh.
Mesh make_mesh(Shape sizes, Names names, Loc loc = Loc::current());
/// Over the first of `devices`.
Mesh make_mesh(Shape sizes, Names names, std::vector<Device> devices, Loc loc = Loc::current());

/// A mesh of devices that nobody owns, to plan for: `jit(step).plan(...)` says what a step would send there. Nothing is
/// made per device. Axes lie in the machine as those of make_mesh do: the last ones within a host (config::machine).
///
///     Mesh mesh = abstract_mesh({12500, 8}, {"data", "model"});       // 100,000 devices
///
/// Computing on it, and placing arrays there that have elements, is a DeviceError. Throws ValueError as Mesh does.
/// Source: jax.sharding.AbstractMesh.
Mesh abstract_mesh(Shape sizes, Names names, Loc loc = Loc::current());

namespace mesh_utils {

struct DeviceMeshOptions {
  /// True: the devices of each process are to form a box of the mesh. Known for some shapes of TPU tori; others are a
  /// DeviceError.
  bool contiguous_submeshes = false;
  /// True: one axis of a torus may serve several axes of the mesh, each with a part of the bandwidth.
  bool allow_split_physical_axes = false;
};

/// All devices as a grid in topology order: neighbours along the mesh's axes, above all along the last ones, are
/// neighbours in the machine. Their number must equal the product of `sizes`. Adds CPU devices when their number is not
/// fixed.
///
///     mesh_utils::create_device_mesh({4, 2});
///     mesh_utils::create_device_mesh({2, 4, 4}, devices, {.allow_split_physical_axes = true});
///
/// The order: GPUs by id. TPUs of up to 32 chips in rings, by kind; else axes of the torus, or products of them, become
/// axes of the mesh, the last axis choosing first. CPUs as given, by default by id; of several processes so that each
/// holds a box of the mesh, all of one shape. Throws DeviceError when the number of devices is not the product,
/// coordinates leave holes, or processes hold different numbers of CPU devices; UnsupportedError when an axis of the
/// mesh is no product of axes of the torus, and those may not be split. Source:
/// jax.experimental.mesh_utils.create_device_mesh.
DeviceGrid create_device_mesh(Shape sizes, DeviceMeshOptions options = {}, Loc loc = Loc::current());
DeviceGrid create_device_mesh(Shape sizes, std::vector<Device> devices, DeviceMeshOptions options = {},
                              Loc loc = Loc::current());

struct HybridMeshOptions {
  /// True: the slow network joins processes, instead of slices.
  bool process_is_granule = false;
  /// True: slices (processes) are ordered by their number, instead of in the order in which `devices` names them.
  bool should_sort_granules_by_key = true;
  bool allow_split_physical_axes = false;
};

/// A grid for two networks: of `outer` slices (or processes), joined by the slow network, each in a create_device_mesh
/// of the shape `inner`. Its shape is the product of the two, axis by axis; the shorter one gets leading axes of 1.
///
///     mesh_utils::create_hybrid_device_mesh({4, 2}, {2, 1}, devices);      // two slices of 4x2 below each other: (8,
///     2)
///
/// Throws DeviceError when devices have no slice, the number of slices is not the product of `outer`, or as
/// create_device_mesh does. Source: jax.experimental.mesh_utils.create_hybrid_device_mesh.
DeviceGrid create_hybrid_device_mesh(Shape inner, Shape outer, std::vector<Device> devices,
                                     HybridMeshOptions options = {}, Loc loc = Loc::current());
DeviceGrid create_hybrid_device_mesh(Shape inner, Shape outer, HybridMeshOptions options = {},
                                     Loc loc = Loc::current());

}  // namespace mesh_utils

}  // namespace tutti

template <> struct std::hash<tutti::Device> {
  std::size_t operator()(const tutti::Device& d) const { return std::hash<int>{}(d.id()); }
};
template <> struct std::hash<tutti::Mesh> {
  std::size_t operator()(const tutti::Mesh& m) const { return m.hash(); }
};

// SPDX-License-Identifier: Apache-2.0
