// How many devices there are, and how they print.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <mutex>
#include <ostream>

#include "base/environment.hpp"
#include "mesh/mesh_node.hpp"
#include "mesh/text.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

// The CPU devices of this process: a number only. Fixed: asked for by the user, so never grown behind his back.
struct CpuDevices {
  std::mutex mutex;
  int count = 1;
  std::atomic<int> most = 1;  // that there ever were: ids never change, and meshes outlive a smaller count
  bool fixed = false;

  CpuDevices() {
    const std::string text = environment::value(environment::cpu_devices);
    if (text.empty()) return;
    char* end = nullptr;
    long n = std::strtol(text.c_str(), &end, 10);
    if (*end != '\0' || n < 1 || n > kMaxCpuDevices)
      raise<ValueError>("devices", "the environment variable TUTTI_CPU_DEVICES is '" + text + "'",
                        "Set it to a number of devices from 1 to " + std::to_string(kMaxCpuDevices) + ", such as 8.");
    most = count = static_cast<int>(n);
    fixed = true;
  }
};

CpuDevices& cpu() {
  static auto* state = new CpuDevices;  // never destroyed: arrays in static variables may ask late
  return *state;
}

std::vector<Device> first(int n) {
  std::vector<Device> out;
  out.reserve(static_cast<std::size_t>(n));
  for (int id = 0; id < n; ++id) out.emplace_back(id);
  return out;
}

template <class Range> std::string listed(const Range& devices, const char* open, const char* close) {
  std::vector<std::string> items;
  for (const Device& device : devices) items.push_back(device.str());
  return open + text::join(items, ", ") + close;
}

}  // namespace

std::vector<Device> devices() { return first(device_count()); }
std::vector<Device> local_devices() { return devices(); }

int device_count() {
  std::lock_guard lock(cpu().mutex);
  return cpu().count;
}

void set_cpu_devices(int n, Loc loc) {
  CallScope scope(loc);
  if (n < 1 || n > kMaxCpuDevices)
    raise<ValueError>("set_cpu_devices", std::to_string(n) + " devices were asked for",
                      "Give a number from 1 to " + std::to_string(kMaxCpuDevices) + ".");
  std::lock_guard lock(cpu().mutex);
  cpu().count = n;
  cpu().most = std::max(cpu().most.load(), n);
  cpu().fixed = true;
}

std::vector<Device> first_devices(std::int64_t n, const char* operation, const std::string& who) {
  const std::string wanted = std::to_string(n), needs = who + " needs " + wanted + " devices, but ";
  if (n > kMaxCpuDevices)
    raise<DeviceError>(operation, needs + "at most " + std::to_string(kMaxCpuDevices) + " can be simulated",
                       "Use fewer devices.");
  std::lock_guard lock(cpu().mutex);
  if (n > cpu().count) {
    if (cpu().fixed)
      raise<DeviceError>(
          operation, needs + "their number was fixed to " + std::to_string(cpu().count),
          "Ask for more with set_cpu_devices(" + wanted + ") or TUTTI_CPU_DEVICES=" + wanted + ", or use fewer.");
    cpu().count = static_cast<int>(n);
    cpu().most = std::max(cpu().most.load(), cpu().count);
  }
  return first(static_cast<int>(n));
}

bool device_count_is_fixed() {
  std::lock_guard lock(cpu().mutex);
  return cpu().fixed;
}

bool exists(const Device& device) {
  return device.platform() == "cpu" && device.id() >= 0 && device.id() < cpu().most.load(std::memory_order_relaxed);
}

std::string Device::str() const {
  std::string name(platform());
  if (name == "gpu") name = "cuda";
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  std::string out = name + "Device(id=" + std::to_string(id_);
  if (platform() == "tpu") {
    const auto& [x, y, z] = coords();
    out += ", process_index=" + std::to_string(process_index()) + ", coords=(" + std::to_string(x) + "," +
           std::to_string(y) + "," + std::to_string(z) + "), core_on_chip=" + std::to_string(core_on_chip());
  }
  return out + ")";
}

std::string str(const std::vector<Device>& devices) { return listed(devices, "[", "]"); }
std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }
std::ostream& operator<<(std::ostream& out, const std::vector<Device>& devices) { return out << str(devices); }
std::ostream& operator<<(std::ostream& out, const std::set<Device>& devices) {
  return out << listed(devices, "{", "}");
}

}  // namespace tutti
