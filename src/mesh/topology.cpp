#include "mesh/topology.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "mesh/mesh_node.hpp"
#include "mesh/text.hpp"
#include "mesh/torus.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

using mesh_utils::DeviceMeshOptions;
using Coords = std::array<int, 3>;

// Which devices a rule is about: the last one speaks for all.
bool is_any(const Device& device, std::initializer_list<std::string_view> kinds) {
  return std::find(kinds.begin(), kinds.end(), device.device_kind()) != kinds.end();
}

// ---- rings ----------------------------------------------------------------------------------------------------------
// Boards on which the order of ids is no walk over the links, and the walks that are one.
constexpr int kRingOf4[] = {0, 1, 3, 2};
constexpr int kRingOf8[] = {0, 1, 2, 3, 6, 7, 4, 5};
constexpr int kRingOf2x4[] = {0, 1, 2, 3, 7, 6, 5, 4};
constexpr int kColumnsOf2x2x2[] = {0, 4, 2, 6, 1, 5, 3, 7};
constexpr int kRingOf2x2x2[] = {0, 1, 3, 2, 6, 7, 5, 4};
constexpr int kRingOf4x4[] = {0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4};

// Every run of ring.size() devices in the order of the ring.
std::vector<Device> in_rings(const std::vector<Device>& devices, std::span<const int> ring) {
  std::vector<Device> out;
  for (std::size_t start = 0; start + ring.size() <= devices.size(); start += ring.size())
    for (int at : ring) out.push_back(devices[start + static_cast<std::size_t>(at)]);
  return out;
}

std::vector<Device> x_minor(std::vector<Device> devices) {
  std::stable_sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) {
    return std::lexicographical_compare(a.coords().rbegin(), a.coords().rend(), b.coords().rbegin(), b.coords().rend());
  });
  return devices;
}

// The chips from the origin to the farthest coordinate.
Coords bounds(const std::vector<Device>& devices) {
  Coords out{};
  for (const Device& d : devices)
    for (std::size_t i = 0; i < 3; ++i) out[i] = std::max(out[i], d.coords()[i] + 1);
  return out;
}

// The order of small machines that have rings; empty for all others.
std::vector<Device> ring_order(const Shape& sizes, const std::vector<Device>& devices) {
  const Device& last = devices.back();
  const std::size_t n = devices.size();
  if (is_any(last, {"TPU v2", "TPU v3"}))
    return n == 8 || (!sizes.empty() && sizes.back() == 8) ? in_rings(devices, kRingOf8) : devices;
  if (is_any(last, {"TPU v4 lite", "TPU8i"})) return n == 4 ? in_rings(devices, kRingOf4) : std::vector<Device>();
  if (is_any(last, {"TPU v5 lite", "TPU v6 lite"})) {
    const Coords box = bounds(devices);
    if (n == 4 && box == Coords{2, 2, 1}) return in_rings(x_minor(devices), kRingOf4);
    if (n == 8)
      return box == Coords{2, 2, 2} ? in_rings(x_minor(devices), kColumnsOf2x2x2)
                                    : in_rings(x_minor(devices), kRingOf2x4);
    // One ring serves one axis only.
    if (n == 16 && box == Coords{4, 4, 1} && std::find(sizes.begin(), sizes.end(), 16) != sizes.end())
      return in_rings(x_minor(devices), kRingOf4x4);
  }
  if (is_any(last, {"TPU v5p"}) && n == 8 && bounds(devices) == Coords{2, 2, 2})
    return in_rings(x_minor(devices), kRingOf2x2x2);
  return {};
}

// ---- tori -----------------------------------------------------------------------------------------------------------
struct Torus {
  Extents extents;              // x, y, z; where a chip is several devices, its cores
  std::vector<Device> devices;  // row-major
};

Torus torus_of(const std::vector<Device>& devices, const char* operation) {
  const Device& first = devices[0];
  Coords low = first.coords(), high = low;
  int low_core = first.core_on_chip(), high_core = low_core;
  for (const Device& d : devices) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], d.coords()[i]);
      high[i] = std::max(high[i], d.coords()[i]);
    }
    low_core = std::min(low_core, d.core_on_chip());
    high_core = std::max(high_core, d.core_on_chip());
  }
  Torus out;
  for (std::size_t i = 0; i < 3; ++i) out.extents.push_back(std::int64_t{high[i]} - low[i] + 1);
  const int cores = high_core - low_core + 1;
  if (cores > 1 || high_core > 0) {
    if (!is_any(first, {"TPU v5p", "TPU7x", "TPU7", "TPU8i"}))
      raise<DeviceError>(operation,
                         "devices of the kind '" + std::string(first.device_kind()) +
                             "' are whole chips, but one is core " + std::to_string(high_core),
                         "Give one device per chip.");
  }
  if (cores > 1) out.extents.push_back(cores);
  std::int64_t places = 1;
  bool fits = true;
  for (std::int64_t extent : out.extents) fits = fits && !__builtin_mul_overflow(places, extent, &places);
  std::vector<char> seen(devices.size());
  out.devices.resize(devices.size());
  fits = fits && places == static_cast<std::int64_t>(devices.size());
  for (const Device& d : devices) {
    if (!fits) break;
    std::int64_t place = 0;
    for (std::size_t i = 0; i < 3; ++i) place = place * out.extents[i] + d.coords()[i] - low[i];
    if (cores > 1) place = place * cores + d.core_on_chip() - low_core;
    fits = !std::exchange(seen[static_cast<std::size_t>(place)], 1);
    out.devices[static_cast<std::size_t>(place)] = d;
  }
  if (!fits)
    raise<DeviceError>(operation,
                       "the coordinates of " + std::to_string(devices.size()) + " devices do not fill the box " +
                           Shape(out.extents).str() + " that they span",
                       "Give all devices of a box of the machine, each once.");
  return out;
}

// Where the axes of a torus can be exchanged so that the devices of each process form a box of the mesh: its shape, the
// meshes (axes of size 1 aside), the order of the axes.
struct Exchange {
  Extents torus;
  std::vector<Extents> meshes;
  std::array<std::size_t, 3> order;
};
const std::vector<Exchange>& exchanges() {
  static const auto& all = *new std::vector<Exchange>{
      {{2, 2, 1}, {{2, 2}}, {0, 1, 2}},  {{2, 2, 4}, {{4, 4}}, {0, 1, 2}},
      {{4, 4, 4}, {{16, 4}}, {0, 2, 1}}, {{4, 8, 8}, {{64, 4}, {4, 64}}, {0, 2, 1}},
      {{8, 8, 8}, {{64, 8}}, {0, 2, 1}}, {{8, 16, 16}, {{256, 8}, {8, 256}}, {0, 2, 1}},
  };
  return all;
}

Torus with_boxes_of_processes(const Torus& torus, const Shape& sizes, const char* operation) {
  Extents mesh;
  for (std::int64_t size : sizes)
    if (size > 1) mesh.push_back(size);
  std::string known;
  for (const Exchange& e : exchanges()) {
    if (e.torus != torus.extents) continue;
    for (const Extents& m : e.meshes) {
      known += (known.empty() ? "" : " or ") + Shape(m).str();
      if (m != mesh) continue;
      Torus out;
      for (std::size_t axis : e.order) out.extents.push_back(torus.extents[axis]);
      // As a mesh of three axes, each one axis of the torus.
      AxisShares shares(3, Extents(3, 1));
      for (std::size_t l = 0; l < 3; ++l) shares[e.order[l]][l] = out.extents[l];
      for (std::int64_t place : places_on_torus(torus.extents, out.extents, shares))
        out.devices.push_back(torus.devices[static_cast<std::size_t>(place)]);
      return out;
    }
  }
  raise<DeviceError>(operation,
                     "no mesh of the shape " + sizes.str() + " with contiguous submeshes is known for the torus " +
                         Shape(torus.extents).str(),
                     known.empty() ? "Leave contiguous_submeshes out."
                                   : "Use the shape " + known + ", or leave contiguous_submeshes out.");
}

std::vector<Device> torus_order(const Shape& sizes, const std::vector<Device>& devices,
                                const DeviceMeshOptions& options, const char* operation) {
  Torus torus = torus_of(devices, operation);
  if (options.contiguous_submeshes) torus = with_boxes_of_processes(torus, sizes, operation);
  std::optional<AxisShares> shares = whole_axis_shares(torus.extents, sizes.dims());
  if (!shares && !options.allow_split_physical_axes)
    raise<UnsupportedError>(
        operation,
        "the mesh " + sizes.str() + " cannot be laid on the torus " + Shape(torus.extents).str() +
            " without splitting an axis of it: each size must be one of its sizes, or a product of several",
        "Choose such sizes, or set allow_split_physical_axes.");
  if (!shares) shares = split_axis_shares(torus.extents, sizes.dims());
  std::vector<Device> out;
  for (std::int64_t place : places_on_torus(torus.extents, sizes.dims(), *shares))
    out.push_back(torus.devices[static_cast<std::size_t>(place)]);
  return out;
}

// Rings on boards of 8 cores, up to four of them, whose chips are at most 2 by 2.
bool has_rings_of_cores(const std::vector<Device>& devices, const char* operation) {
  if (!is_any(devices.back(), {"TPU7x", "TPU7"}) || devices.size() % 8 != 0 || devices.size() > 32) return false;
  const Torus torus = torus_of(devices, operation);
  return torus.extents[0] <= 2 && torus.extents[1] <= 2;
}

}  // namespace

std::vector<Device> in_topology_order(const Shape& sizes, std::vector<Device> devices, const DeviceMeshOptions& options,
                                      const char* operation) {
  if (sizes.num_elements() != static_cast<std::int64_t>(devices.size()))
    raise<DeviceError>(operation,
                       "the number of devices, " + std::to_string(devices.size()) +
                           ", must equal the product of the shape " + sizes.str() + ", " +
                           std::to_string(sizes.num_elements()),
                       "Give it as many devices, or use make_mesh, which takes the first ones.");
  std::vector<Device> ring = ring_order(sizes, devices);
  if (!ring.empty()) return ring;
  if (has_rings_of_cores(devices, operation)) return in_rings(devices, kRingOf8);
  const std::string_view platform = devices.back().platform();
  if (platform == "tpu") return torus_order(sizes, devices, options, operation);
  if (platform == "gpu") {
    std::stable_sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) { return a.id() < b.id(); });
    return devices;
  }
  return platform == "cpu" ? in_process_order(sizes, devices, operation) : devices;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
