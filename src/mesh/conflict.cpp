#include "mesh/conflict.hpp"

#include <cctype>

#include "mesh/sharding_node.hpp"
#include "mesh/text.hpp"

namespace tutti {
namespace {

std::string ids(const std::vector<Device>& devices) {
  std::string out = "[";
  for (std::size_t i = 0; i < devices.size(); ++i) out += (i ? ", " : "") + std::to_string(devices[i].id());
  return out + "]";
}

std::string describe(const Placed& p) {
  if (p.sharding.node()->mesh.is_abstract())
    return p.text + " the " + std::to_string(p.sharding.num_devices()) + " devices of an abstract mesh" +
           (p.loc ? " at " + p.loc.str() : "");
  const std::vector<Device>& devices = p.sharding.device_list();
  const std::string platform = text::platform_name(devices.empty() ? Device() : devices[0]);
  return p.text + " device ids " + ids(devices) + " on platform " + platform + (p.loc ? " at " + p.loc.str() : "");
}

}  // namespace

std::string argument_text(const std::string& argument, const std::string& function, const std::string& type) {
  return "argument " + argument + " of " + function + " with shape " + type + " and";
}

void check_devices(std::span<const Placed> placed) {
  const Placed* first = nullptr;
  for (const Placed& p : placed) {
    if (!p.sharding.has_value()) continue;
    if (!first) {
      first = &p;
    } else if (p.sharding.node()->devices() != first->sharding.node()->devices()) {
      throw DeviceError(
          "Received incompatible devices for jitted computation. Got " + describe(*first) + " and " + describe(p) +
          "\n  Move one of them with device_put first: all devices of one call must be the same, in the same order.");
    }
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
