// What a Mesh points to.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "tutti/mesh/mesh.hpp"

namespace tutti {

/// Devices in order. Equal lists are one object, which lives as long as the process: whoever compares lists compares
/// addresses. Those of an abstract mesh are counted, and made only when somebody asks for them one by one, so that
/// planning for 100,000 costs what planning for 8 does.
class DeviceList {
 public:
  static const DeviceList* of(std::vector<Device> devices);
  /// `n` devices that nobody owns.
  static const DeviceList* abstract(std::int64_t n);

  std::int64_t size() const { return size_; }
  bool is_abstract() const { return abstract_; }
  const std::vector<Device>& devices() const;

 private:
  DeviceList(std::vector<Device> devices, std::int64_t size, bool abstract)
      : size_(size), abstract_(abstract), devices_(std::move(devices)) {}
  std::int64_t size_;
  bool abstract_;
  mutable std::once_flag made_;
  mutable std::vector<Device> devices_;
};

struct MeshNode {
  Shape shape;
  std::vector<std::string> names;  // all empty: a mesh under a sharding that was written without names
  const DeviceList* devices;       // row-major
  std::size_t hash = 0;
};
/// Of a mesh that is there.
inline const DeviceList* device_list_of(const Mesh& mesh) { return mesh.node()->devices; }

/// A mesh whose axes have no names: users cannot make one; PositionalSharding and refinements need it.
Mesh unnamed_mesh(std::vector<Device> devices, Shape shape);
/// A mesh of any names, unchecked: for names that tutti makes up.
Mesh intern_mesh(std::vector<Device> devices, Shape shape, std::vector<std::string> names);
/// The same over the devices of another mesh.
Mesh unnamed_mesh(const DeviceList* devices, Shape shape);
Mesh intern_mesh(const DeviceList* devices, Shape shape, std::vector<std::string> names);
bool is_unnamed(const Mesh& mesh);

// As many CPU devices as a process simulates at most: a guard against sizes multiplied by mistake.
inline constexpr std::int64_t kMaxCpuDevices = 1'000'000;

/// The first `n` devices; adds CPU devices while their number is not fixed, else throws DeviceError: `who`, a part of
/// the call, needs them.
std::vector<Device> first_devices(std::int64_t n, const char* operation, const std::string& who);
/// Whether anybody has asked for a number of devices, so that ids are given.
bool devices_were_used();
/// Whether the user said how many devices there are.
bool device_count_is_fixed();
/// Whether arrays can lie on it: it is one of devices(), or was one before the user asked for fewer.
bool exists(const Device& device);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
