// In which order devices fill a mesh: a pure function of where they sit.
#pragma once

#include <utility>
#include <vector>

#include "tutti/mesh/mesh.hpp"

namespace tutti {

/// The devices of a mesh of this shape, row-major; as many as its product. See mesh_utils::create_device_mesh for the
/// order and the errors, which name `operation`.
std::vector<Device> in_topology_order(const Shape& sizes, std::vector<Device> devices,
                                      const mesh_utils::DeviceMeshOptions& options, const char* operation);

/// CPU devices of several processes: as given if every process holds a box of the mesh then, all of one shape; else in
/// such boxes. DeviceError when processes hold different numbers of devices.
std::vector<Device> in_process_order(const Shape& sizes, const std::vector<Device>& devices, const char* operation);

/// The shape and the devices of a mesh of two networks. See mesh_utils::create_hybrid_device_mesh.
std::pair<Shape, std::vector<Device>> in_hybrid_order(const Shape& inner, const Shape& outer,
                                                      const std::vector<Device>& devices,
                                                      const mesh_utils::HybridMeshOptions& options,
                                                      const char* operation);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
