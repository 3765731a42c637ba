#include "partition/cost.hpp"

#include <algorithm>
#include <limits>

namespace tutti {

// Devices fill hosts in the order of the mesh: two neighbours along an axis are `stride` places apart, and the whole
// group spans `stride * size` of them. Hosts begin at multiples of their size.
Link CostModel::link(const AxisRef& ref) const {
  const std::string& name = mesh_.axis_names()[static_cast<std::size_t>(ref.axis)];
  // A part of an axis ("x.1") has the axis' wires.
  for (const std::string& known : {name, name.substr(0, name.rfind('.'))})
    if (auto own = machine_.axes.find(known); own != machine_.axes.end()) return own->second;
  std::int64_t stride = mesh_.shape()[ref.axis] / (ref.pre * ref.size);
  for (int a = ref.axis + 1; a < mesh_.ndim(); ++a) stride *= mesh_.shape()[a];
  const std::int64_t span = stride * ref.size;
  return machine_.devices_per_host % span == 0 ? machine_.inside : machine_.between;
}

double CostModel::sending(double bytes, double messages, const AxisRefs& axes) const {
  Link slowest{0, std::numeric_limits<double>::infinity()};
  for (const AxisRef& a : axes) {
    const Link l = link(a);
    slowest = {std::max(slowest.latency, l.latency), std::min(slowest.bandwidth, l.bandwidth)};
  }
  return messages * slowest.latency + bytes / slowest.bandwidth;
}

double CostModel::sending(double bytes, double messages, const std::vector<std::string>& axes) const {
  AxisRefs refs;
  for (const std::string& name : axes)
    if (const int a = mesh_.axis_index(name); a >= 0) refs.push_back(whole_axis(mesh_, a));
  return sending(bytes, messages, refs);
}

double CostModel::computing(double flops, double bytes) const {
  return std::max(flops / machine_.flops, bytes / machine_.memory);
}

double CostModel::together(double computing, double sending) const {
  return computing + sending - machine_.overlap * std::min(computing, sending);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
