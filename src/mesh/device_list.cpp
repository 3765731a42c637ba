#include <map>
#include <memory>
#include <mutex>

#include "mesh/mesh_node.hpp"
#include "mesh/process.hpp"

namespace tutti {
namespace {

template <class Key> struct Lists {
  std::mutex mutex;
  std::map<Key, std::unique_ptr<DeviceList>> known;
  int each = 0;  // CPU devices of a process; 0: there is one process
};
Lists<std::vector<Device>>& lists_by_devices() {
  static auto& lists = *new Lists<std::vector<Device>>;
  return lists;
}

Device dealt_out(const Device& d, int each) {
  if (each == 0 || d.platform() != "cpu" || d.id() / each >= this_process().count) return d;
  return Device(d.id(), "cpu", "cpu", {.process_index = d.id() / each});
}

}  // namespace

void deal_out_devices(int each) {
  auto& lists = lists_by_devices();
  std::lock_guard lock(lists.mutex);
  lists.each = each;
  for (auto& [key, list] : lists.known)
    for (Device& d : const_cast<std::vector<Device>&>(list->devices())) d = dealt_out(d, each);  // const to others only
}

// Lists live for ever, as the meshes over them do.
const DeviceList* DeviceList::of(std::vector<Device> devices) {
  auto& lists = lists_by_devices();
  std::lock_guard lock(lists.mutex);
  std::unique_ptr<DeviceList>& list = lists.known[devices];
  if (!list) {
    const auto n = static_cast<std::int64_t>(devices.size());
    for (Device& d : devices) d = dealt_out(d, lists.each);
    list.reset(new DeviceList(std::move(devices), n, false));
  }
  return list.get();
}

const DeviceList* DeviceList::abstract(std::int64_t n) {
  static auto& lists = *new Lists<std::int64_t>;
  std::lock_guard lock(lists.mutex);
  std::unique_ptr<DeviceList>& list = lists.known[n];
  if (!list) list.reset(new DeviceList({}, n, true));
  return list.get();
}

const std::vector<Device>& DeviceList::devices() const {
  if (abstract_)
    std::call_once(made_, [this] {
      for (std::int64_t id = 0; id < size_; ++id) devices_.emplace_back(static_cast<int>(id), "abstract", "abstract");
    });
  return devices_;
}

}  // namespace tutti
