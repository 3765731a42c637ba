// Reads the golden files, where they are.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tutti/sharding.hpp"

namespace tutti::golden {

/// The folder: TUTTI_GOLDEN, else shared/golden beside the source tree.
inline std::filesystem::path folder() {
  if (const char* dir = std::getenv("TUTTI_GOLDEN")) return dir;
  return std::filesystem::absolute(__FILE__).parent_path().parent_path().parent_path().parent_path() / "shared" / "golden";
}

/// Nothing where the file is not there: then a test skips.
inline std::optional<nlohmann::json> read(const std::string& name) {
  std::ifstream in(folder() / name);
  if (!in) return std::nullopt;
  return nlohmann::json::parse(in);
}

inline Mesh mesh(const nlohmann::json& j) {
  std::vector<Device> devices;
  for (int id : j["device_ids"]) devices.emplace_back(id);
  return Mesh(devices, Shape(j["shape"].get<std::vector<std::int64_t>>()), Names(j["names"].get<std::vector<std::string>>()));
}

inline PartitionSpec spec(const nlohmann::json& j) {
  std::vector<SpecEntry> entries;
  for (const auto& e : j) {
    if (e.is_null()) entries.push_back(none);
    else if (e.is_string()) entries.push_back(e.get<std::string>());
    else entries.push_back(Names(e.get<std::vector<std::string>>()));
  }
  return PartitionSpec::from(entries);
}

inline Sharding sharding(const nlohmann::json& j) {
  if (j.contains("single_device")) return SingleDeviceSharding(Device(j["single_device"].get<int>()));
  return NamedSharding(mesh(j["mesh"]), spec(j["spec"]));
}

inline Shape shape(const nlohmann::json& j) { return Shape(j.get<std::vector<std::int64_t>>()); }

}  // namespace tutti::golden

#define TUTTI_READ_GOLDEN(var, name)                                                          \
  auto var##_file = tutti::golden::read(name);                                                \
  if (!var##_file) GTEST_SKIP() << name << " is not in " << tutti::golden::folder().string(); \
  const nlohmann::json& var = *var##_file
