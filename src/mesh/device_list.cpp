#include <map>
#include <memory>
#include <mutex>

#include "mesh/mesh_node.hpp"
#include "mesh/process.hpp"

namespace tutti {
namespace {

template <class Key> struct Lists {
  std::mutex mutex;
  std::map<Key, std::unique_ptr<const DeviceList>> known;
};

}  // namespace

// Lists live for ever, as the meshes over them do.
const DeviceList* DeviceList::of(std::vector<Device> devices) {
  static auto& lists = *new Lists<std::vector<Device>>;
  std::lock_guard lock(lists.mutex);
  std::unique_ptr<const DeviceList>& list = lists.known[devices];
  if (!list) {
    const auto n = static_cast<std::int64_t>(devices.size());
    note_devices_used();
    list.reset(new DeviceList(std::move(devices), n, false));
  }
  return list.get();
}

const DeviceList* DeviceList::abstract(std::int64_t n) {
  static auto& lists = *new Lists<std::int64_t>;
  std::lock_guard lock(lists.mutex);
  std::unique_ptr<const DeviceList>& list = lists.known[n];
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

// SPDX-License-Identifier: Apache-2.0
