// What a Mesh points to.
#pragma once

#include <string>
#include <vector>

#include "tutti/mesh/mesh.hpp"

namespace tutti {

struct MeshNode {
  Shape shape;
  std::vector<std::string> names;  // all empty: a mesh under a sharding that was written without names
  std::vector<Device> devices;     // row-major
  std::size_t hash = 0;
};

/// A mesh whose axes have no names: users cannot make one; PositionalSharding and refinements need it.
Mesh unnamed_mesh(std::vector<Device> devices, Shape shape);
/// A mesh of any names, unchecked: for names that tutti makes up.
Mesh intern_mesh(std::vector<Device> devices, Shape shape, std::vector<std::string> names);
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
