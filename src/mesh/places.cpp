#include "mesh/places.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "mesh/mesh_node.hpp"
#include "mesh/process.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

Process process_now;

// The device list as digits, major first, each of which changes the process or does not; nothing when there are none
// such: the process must be a function of the first kind, and no two positions of it the same process.
struct Digit {
  std::int64_t stride, size;
  bool across;
};
std::vector<std::int64_t> divisors_of(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t k = 2; n > 1; ++k)
    for (; n % k == 0; n /= k) out.push_back(k);
  return out;
}
// Neighbours of one kind are one digit.
std::vector<Digit> joined(const std::vector<Digit>& digits) {
  std::vector<Digit> out;
  for (const Digit& d : digits)
    if (!out.empty() && out.back().across == d.across)
      out.back() = {d.stride, out.back().size * d.size, d.across};
    else
      out.push_back(d);
  return out;
}
std::vector<Digit> digits_of(const std::vector<Device>& devices) {
  const auto n = static_cast<std::int64_t>(devices.size());
  auto process = [&](std::int64_t at) { return devices[static_cast<std::size_t>(at)].process_index(); };
  std::vector<std::int64_t> sizes = divisors_of(n);
  do {
    std::vector<Digit> digits;
    std::int64_t stride = n, places = 1;
    for (std::int64_t size : sizes) {
      stride /= size;
      bool across = false;
      for (std::int64_t at = 0; at < n && !across; ++at)
        across = process(at) != process(at - at / stride % size * stride);
      digits.push_back({stride, size, across});
      if (across) places *= size;
    }
    std::set<int> there;
    for (const Device& d : devices) there.insert(d.process_index());
    if (static_cast<std::int64_t>(there.size()) == places) return joined(digits);
  } while (std::next_permutation(sizes.begin(), sizes.end()));
  return {};
}

Mesh refined(const Mesh& mesh, const std::vector<Digit>& digits) {
  Shape shape;
  for (const Digit& d : digits) shape.push_back(d.size);
  const std::optional<Mesh> cut = common_refinement(mesh, unnamed_mesh(device_list_of(mesh), shape));
  if (!cut) return Mesh();
  if (*cut == mesh) return mesh;
  // An axis that is cut gives its parts its name with a number.
  std::vector<std::string> names;
  for (int a = 0; a < mesh.ndim(); ++a) {
    std::int64_t rest = mesh.shape()[a];
    for (int part = 0; rest > 1; ++part) {
      const std::int64_t size = cut->shape()[names.size()];
      const std::string& name = mesh.axis_names()[a];
      names.push_back(part == 0 && size == rest ? name : name + "." + std::to_string(part));
      rest /= size;
    }
  }
  return intern_mesh(device_list_of(mesh), cut->shape(), names);
}

// Processes in teams: those of the mesh, and the others, k by k, each of which holds what the first team does.
std::vector<int> in_teams(const std::set<int>& first) {
  std::vector<int> all(first.begin(), first.end());
  for (int p = 0; p < this_process().count; ++p)
    if (!first.count(p)) all.push_back(p);
  return all;
}

std::shared_ptr<const Places> find(const Mesh& mesh) {
  const std::vector<Device>& devices = mesh.device_list();
  std::set<int> there;
  for (const Device& d : devices) there.insert(d.process_index());
  if (there.size() == 1) return nullptr;
  const Process me = this_process();
  const int k = static_cast<int>(there.size());
  auto refuse = [&](const std::string& problem, const std::string& advice) {
    raise<UnsupportedError>("mesh",
                            mesh.str() + ", whose devices are in " + std::to_string(k) + " processes of " +
                                std::to_string(me.count) + ": " + problem,
                            advice);
  };
  // Some devices that lie in no order: whoever uses them does so in every process, whole.
  const bool some = mesh.size() < device_count();
  const std::vector<Digit> digits = digits_of(devices);
  if (some && (digits.empty() || me.count % k != 0)) return nullptr;
  if (me.count % k != 0)
    refuse("their number does not divide that of all", "Give the mesh devices of all processes, as make_mesh does.");
  const std::vector<int> first_team(there.begin(), there.end()), all = in_teams(there);
  const auto mine = std::find(all.begin(), all.end(), me.index) - all.begin();
  auto in_team = [&](int process) {
    return std::find(first_team.begin(), first_team.end(), process) - first_team.begin();
  };
  auto out = std::make_shared<Places>();
  if (!digits.empty()) out->devices = refined(mesh, digits);
  if (!out->devices.has_value())
    refuse("processes do not follow its axes",
           "Let the last axes stay within a process: order devices as make_mesh does.");
  Shape shape;
  std::vector<std::string> names;
  std::int64_t stride = out->devices.size();
  for (int a = 0; a < out->devices.ndim(); ++a) {
    stride /= out->devices.shape()[a];
    const bool across = std::any_of(digits.begin(), digits.end(), [&](const Digit& d) {
      return d.across && d.stride <= stride && stride < d.stride * d.size;
    });
    out->across.push_back(across && out->devices.shape()[a] > 1 ? static_cast<int>(names.size()) : -1);
    if (out->across.back() < 0) continue;
    shape.push_back(out->devices.shape()[a]);
    names.push_back(out->devices.axis_names()[a]);
  }
  std::vector<Device> first;
  for (std::int64_t at = 0; at < out->devices.size(); ++at) {
    const std::vector<std::int64_t> c = coordinates(out->devices, at);
    bool inner = false;
    for (std::size_t a = 0; a < c.size(); ++a) inner |= out->across[a] < 0 && c[a] > 0;
    if (!inner) first.push_back(devices[static_cast<std::size_t>(at)]);
  }
  for (std::size_t at = 0; at < first.size(); ++at) {
    const auto number = in_team(first[at].process_index());
    if (number == mine % k) out->here = static_cast<std::int64_t>(at);
    out->ranks.push_back(all[static_cast<std::size_t>(mine / k * k + number)]);
  }
  out->mesh = intern_mesh(first, shape, names);
  return out;
}

}  // namespace

const Process& this_process() { return process_now; }
void set_process(Process process) { process_now = process; }

Layout Places::between(const Layout& layout) const {
  auto kept = [&](const AxisRefs& refs) {
    AxisRefs out;
    for (const AxisRef& r : refs)
      if (across[r.axis] >= 0) out.push_back(whole_axis(mesh, across[r.axis]));
    return out;
  };
  Layout out;
  out.pending_kind = layout.pending_kind;
  for (const AxisRefs& refs : layout.dims) out.dims.push_back(kept(refs));
  out.pending = kept(layout.pending);
  return canonical(std::move(out));
}

std::shared_ptr<const Places> places_of(const Mesh& mesh) {
  if (this_process().count == 1 || !mesh.has_value() || mesh.size() == 1 || mesh.is_abstract()) return nullptr;
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<const void*, std::shared_ptr<const Places>>;  // meshes live as long as the process
  std::lock_guard lock(mutex);
  auto [at, fresh] = known.try_emplace(mesh.node());
  if (fresh) {
    try {
      at->second = find(mesh);
    } catch (...) {
      known.erase(at);
      throw;
    }
  }
  return at->second;
}

std::int64_t position_of(const Places& places, int process) {
  const std::vector<Device>& devices = places.mesh.device_list();
  std::set<int> first;
  for (const Device& d : devices) first.insert(d.process_index());
  const std::vector<int> all = in_teams(first);
  const auto number = static_cast<std::size_t>(std::find(all.begin(), all.end(), process) - all.begin()) % first.size();
  const auto at =
      std::find_if(devices.begin(), devices.end(), [&](const Device& d) { return d.process_index() == all[number]; });
  return at - devices.begin();
}

// Parts of axes are cut where they are cut there.
Layout layout_on_devices(const Sharding& sharding, int ndim, const Places& places) {
  std::optional<Layout> there = layout_of(sharding, ndim, places.devices);
  if (!there) return Layout::replicated(ndim);
  for (AxisRefs& refs : there->dims) {
    AxisRefs whole;
    for (const AxisRef& r : refs) whole.push_back(whole_axis(places.devices, r.axis));
    refs = whole;
  }
  return *there;
}

Layout layout_between(const Sharding& sharding, int ndim, const Places& places) {
  if (!sharding.has_value()) return Layout::replicated(ndim);
  return places.between(layout_on_devices(sharding, ndim, places));
}

bool lies_alike(const Sharding& sharding, const Shape& shape, const Places& places) {
  const std::optional<Held> own = held_of(sharding, shape);
  if (!own) return true;
  const Layout there = layout_between(sharding, shape.ndim(), places);
  auto same_size = [](const AxisRef& a, const AxisRef& b) { return a.size == b.size; };
  for (std::size_t d = 0; d < there.dims.size(); ++d) {
    std::int64_t blocks = 1;
    for (const AxisRef& r : there.dims[d]) blocks *= r.size;
    if (shape[d] % blocks != 0 && !std::ranges::equal(own->layout.dims[d], there.dims[d], same_size)) return false;
  }
  return true;
}

std::optional<Held> held_of(const Sharding& sharding, const Shape& shape) {
  if (this_process().count == 1 || !sharding.has_value() || sharding.is_fully_replicated()) return std::nullopt;
  std::shared_ptr<const Places> places = places_of(mesh_of(sharding));
  if (!places) return std::nullopt;
  Held out{places, layout_between(sharding, shape.ndim(), *places), {}, {}};
  if (out.layout.is_replicated()) return std::nullopt;
  out.block = block_shape(out.layout, shape);
  out.box = box_of(out.layout, places->mesh, shape, places->here);
  return out;
}

std::vector<std::pair<Device, ShardIndex>> addressable_indices(const Sharding& sharding, const Shape& shape) {
  auto out = sharding.devices_indices_map(shape);
  if (this_process().count == 1) return out;
  if (const std::shared_ptr<const Places> places = places_of(mesh_of(sharding))) {
    const int here = places->mesh.device_list()[static_cast<std::size_t>(places->here)].process_index();
    std::erase_if(out, [&](const auto& entry) { return entry.first.process_index() != here; });
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
