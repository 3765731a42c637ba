// Meshes, specs and shardings of the golden files.
#pragma once

#include <string>
#include <nlohmann/json.hpp>

#include "golden/device.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti::golden {

inline Mesh mesh(const nlohmann::json& j) {
  std::vector<Device> devices;
  for (int id : j["device_ids"]) devices.push_back(device(id));
  return Mesh(devices, Shape(j["shape"].get<std::vector<std::int64_t>>()),
              Names(j["names"].get<std::vector<std::string>>()));
}

inline PartitionSpec spec(const nlohmann::json& j) {
  std::vector<SpecEntry> entries;
  for (const auto& e : j) {
    if (e.is_null())
      entries.push_back(none);
    else if (e.is_string())
      entries.push_back(e.get<std::string>());
    else
      entries.push_back(Names(e.get<std::vector<std::string>>()));
  }
  return PartitionSpec::from(entries);
}

inline Sharding sharding(const nlohmann::json& j) {
  if (j.contains("single_device")) return SingleDeviceSharding(device(j["single_device"].get<int>()));
  return NamedSharding(mesh(j["mesh"]), spec(j["spec"]));
}

inline Shape shape(const nlohmann::json& j) { return Shape(j.get<std::vector<std::int64_t>>()); }

}  // namespace tutti::golden

// SPDX-License-Identifier: Apache-2.0
