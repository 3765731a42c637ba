// How many devices there are, and how they print.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <mutex>
#include <ostream>

#include "base/environment.hpp"
#include "mesh/mesh_node.hpp"
#include "mesh/platform.hpp"
#include "mesh/process.hpp"
#include "mesh/text.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti {
namespace {

std::atomic<bool> used = false;

// The devices of all processes, as many on each platform: a number only. Fixed: asked for by the user, so never grown
// behind his back.
struct CpuDevices {
  std::mutex mutex;
  int count = this_process().count;
  std::atomic<int> most =
      this_process().count;  // that there ever were: ids never change, and meshes outlive a smaller count
  bool fixed = false;
  int asked_for = 0;

  CpuDevices() {
    const std::string text = environment::value(environment::cpu_devices);
    if (text.empty()) return;
    char* end = nullptr;
    long n = std::strtol(text.c_str(), &end, 10);
    if (*end != '\0' || n < 1 || n > kMaxCpuDevices)
      raise<ValueError>("devices", "the environment variable TUTTI_CPU_DEVICES is '" + text + "'",
                        "Set it to a number of devices from 1 to " + std::to_string(kMaxCpuDevices) + ", such as 8.");
    count = static_cast<int>(n) * this_process().count;
    most = count;
    fixed = true;
  }
  // Devices are dealt out to processes in equal runs of ids; where there are fewer, the first processes have them.
  Device device(int id) const {
    const int processes = this_process().count;
    const char* const platform = kPlatformNames[default_platform()];
    return Device(id, platform, platform, {.process_index = processes == 1 ? 0 : id / std::max(1, count / processes)});
  }
  void set(int n) {
    count = n;
    most = std::max(most.load(), n);
    // In several processes ids are dealt out once: an id stays where it is.
    fixed = fixed || this_process().count > 1;
  }
};

CpuDevices& number_of_devices() {
  static auto* state = new CpuDevices;  // never destroyed: arrays in static variables may ask late
  return *state;
}
// For all who learn an id by it.
CpuDevices& cpu() {
  note_devices_used();
  return number_of_devices();
}

void check_even(int n, const char* operation) {
  const int processes = this_process().count;
  if (n > processes ? n % processes : processes % n)
    raise<ValueError>(operation,
                      std::to_string(n) + " devices were asked for in " + std::to_string(processes) + " processes",
                      "Give a multiple of the number of processes, or a divisor of it.");
}

std::vector<Device> first(const CpuDevices& cpu, int n) {
  std::vector<Device> out;
  out.reserve(static_cast<std::size_t>(n));
  for (int id = 0; id < n; ++id) out.push_back(cpu.device(id));
  return out;
}

template <class Range> std::string listed(const Range& devices, const char* open, const char* close) {
  std::vector<std::string> items;
  for (const Device& device : devices) items.push_back(device.str());
  return open + text::join(items, ", ") + close;
}

}  // namespace

std::vector<Device> devices() {
  std::lock_guard lock(cpu().mutex);
  return first(cpu(), cpu().count);
}
std::vector<Device> local_devices() {
  std::vector<Device> out = devices();
  const int holders = out.back().process_index() + 1;
  std::erase_if(out, [&](const Device& d) { return d.process_index() != this_process().index % holders; });
  return out;
}
int process_index() { return this_process().index; }
int process_count() { return this_process().count; }

int device_count() {
  std::lock_guard lock(cpu().mutex);
  return cpu().count;
}

void set_cpu_devices(int n, Loc loc) {
  CallScope scope(loc);
  if (n < 1 || n > kMaxCpuDevices)
    raise<ValueError>("set_cpu_devices", std::to_string(n) + " devices were asked for",
                      "Give a number from 1 to " + std::to_string(kMaxCpuDevices) + ".");
  check_even(n, "set_cpu_devices");
  CpuDevices& all = number_of_devices();
  std::lock_guard lock(all.mutex);
  all.set(n);
  all.fixed = true;
  all.asked_for = n;
}
void deal_out_devices(const char* operation) {
  CpuDevices& all = number_of_devices();
  std::lock_guard lock(all.mutex);
  if (all.asked_for > 0) check_even(all.asked_for, operation);
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
    const int processes = this_process().count;
    cpu().set((static_cast<int>(n) + processes - 1) / processes * processes);
  }
  return first(cpu(), static_cast<int>(n));
}

bool devices_were_used() { return used; }
void note_devices_used() { used = true; }

bool device_count_is_fixed() {
  std::lock_guard lock(cpu().mutex);
  return cpu().fixed;
}

bool exists(const Device& device) {
  const int platform = platform_number(device.platform());
  if (platform < 0 || (platform > 0 && this_process().count > 1)) return false;
  return device.id() >= 0 && device.id() < cpu().most.load(std::memory_order_relaxed);
}

std::string Device::str() const {
  std::string name(platform());
  if (name == "gpu") name = "cuda";
  if (name == "simulated") name = "sim";
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

// SPDX-License-Identifier: Apache-2.0
