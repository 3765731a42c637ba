// Devices in groups: processes that hold boxes of a mesh, and slices that a slower network joins.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "mesh/topology.hpp"
#include "mesh/torus.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

// A grid of `outer` blocks, each a grid of `inner` devices; both have as many axes as the result.
std::vector<Device> placed_in_blocks(const Extents& inner, const Extents& outer,
                                     const std::vector<std::vector<Device>>& blocks) {
  Extents sizes;
  for (std::size_t i = 0; i < inner.size(); ++i) sizes.push_back(inner[i] * outer[i]);
  std::vector<Device> out;
  for (std::int64_t at = 0, n = Shape(sizes).num_elements(); at < n; ++at) {
    std::int64_t rest = at, block = 0, within = 0, blocks_behind = 1, devices_behind = 1;
    for (std::size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) {
      const std::int64_t c = rest % sizes[i];
      block += c / inner[i] * std::exchange(blocks_behind, blocks_behind * outer[i]);
      within += c % inner[i] * std::exchange(devices_behind, devices_behind * inner[i]);
    }
    out.push_back(blocks[static_cast<std::size_t>(block)][static_cast<std::size_t>(within)]);
  }
  return out;
}

Extents with_rank(const Shape& shape, std::size_t rank) {
  Extents out(rank - shape.size(), 1);
  out.insert(out.end(), shape.begin(), shape.end());
  return out;
}

// Whether the devices of every process form a box of the row-major grid, all boxes of one shape.
bool holds_boxes(const Shape& sizes, const std::vector<Device>& devices) {
  struct Span {
    Extents low, high;
    std::int64_t count = 0;
  };
  std::map<int, Span> spans;
  for (std::size_t at = 0; at < devices.size(); ++at) {
    Extents coords(sizes.size());
    auto rest = static_cast<std::int64_t>(at);
    for (std::size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) coords[i] = rest % sizes[i];
    Span& span = spans[devices[at].process_index()];
    if (span.count++ == 0) span.low = span.high = coords;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      span.low[i] = std::min(span.low[i], coords[i]);
      span.high[i] = std::max(span.high[i], coords[i]);
    }
  }
  const Span& first = spans.begin()->second;
  for (const auto& [process, span] : spans) {
    std::int64_t places = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t extent = span.high[i] - span.low[i] + 1;
      if (extent != first.high[i] - first.low[i] + 1 || span.low[i] % extent != 0) return false;
      places *= extent;
    }
    if (places != span.count) return false;
  }
  return true;
}

}  // namespace

// Programs are cut only between processes, so each must hold a box of the mesh, all of one shape. The given
// order is kept where it does that; else every process gets a box that is as long as possible along the last axes.
// There always is one.
std::vector<Device> in_process_order(const Shape& sizes, const std::vector<Device>& devices, const char* operation) {
  std::map<int, std::vector<Device>> by_process;
  for (const Device& d : devices) by_process[d.process_index()].push_back(d);
  if (by_process.size() < 2) return devices;
  std::vector<std::vector<Device>> blocks;
  for (const auto& [process, own] : by_process) {
    if (!blocks.empty() && own.size() != blocks[0].size())
      raise<DeviceError>(operation,
                         "process " + std::to_string(by_process.begin()->first) + " holds " +
                             std::to_string(blocks[0].size()) + " of the devices and process " +
                             std::to_string(process) + " holds " + std::to_string(own.size()),
                         "Give as many devices of each process, or leave processes out.");
    blocks.push_back(own);
  }
  if (holds_boxes(sizes, devices)) return devices;
  Extents inner(sizes.size()), outer(sizes.size());
  auto rest = static_cast<std::int64_t>(blocks[0].size());
  for (std::size_t i = sizes.size(); i-- > 0; rest /= inner[i]) {
    inner[i] = std::gcd(rest, sizes[i]);
    outer[i] = sizes[i] / inner[i];
  }
  return placed_in_blocks(inner, outer, blocks);
}

std::pair<Shape, std::vector<Device>> in_hybrid_order(const Shape& inner, const Shape& outer,
                                                      const std::vector<Device>& devices,
                                                      const mesh_utils::HybridMeshOptions& options,
                                                      const char* operation) {
  const std::string noun = options.process_is_granule ? "process" : "slice",
                    nouns = noun + (options.process_is_granule ? "es" : "s");
  std::vector<std::pair<int, std::vector<Device>>> granules;  // in the order in which devices name them
  for (const Device& d : devices) {
    const int key = options.process_is_granule ? d.process_index() : d.slice_index();
    if (key < 0)
      raise<DeviceError>(operation, d.str() + " belongs to no slice",
                         "Set process_is_granule, if processes are what the slow network joins.");
    auto at = std::find_if(granules.begin(), granules.end(), [&](const auto& g) { return g.first == key; });
    if (at == granules.end()) at = granules.insert(at, {key, {}});
    at->second.push_back(d);
  }
  if (options.should_sort_granules_by_key)
    std::sort(granules.begin(), granules.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (outer.num_elements() != static_cast<std::int64_t>(granules.size()))
    raise<DeviceError>(operation,
                       "the devices are of " + std::to_string(granules.size()) + " " + nouns +
                           ", but the outer shape " + outer.str() + " asks for " + std::to_string(outer.num_elements()),
                       "Give an outer shape whose product is the number of " + nouns + ".");
  std::vector<std::vector<Device>> blocks;
  for (const auto& [key, own] : granules) {
    if (inner.num_elements() != static_cast<std::int64_t>(own.size()))
      raise<DeviceError>(operation,
                         noun + " " + std::to_string(key) + " has " + std::to_string(own.size()) +
                             " devices, but the inner shape " + inner.str() + " asks for " +
                             std::to_string(inner.num_elements()),
                         "Give an inner shape whose product is the number of devices of each " + noun + ".");
    blocks.push_back(
        in_topology_order(inner, own, {.allow_split_physical_axes = options.allow_split_physical_axes}, operation));
  }
  const std::size_t rank = std::max(inner.size(), outer.size());
  const Extents in = with_rank(inner, rank), out = with_rank(outer, rank);
  Extents sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(in[i] * out[i]);
  return {Shape(sizes), placed_in_blocks(in, out, blocks)};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
