#include "mesh/checks.hpp"

#include <algorithm>
#include <set>

#include "mesh/mesh_node.hpp"
#include "mesh/platform.hpp"
#include "mesh/sharding_node.hpp"
#include "mesh/text.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

std::string said(const Subject& subject, const Shape& shape) {
  return (subject.name.empty() ? "a value" : subject.name) + " of shape " + shape.str();
}

// How many blocks each dim of an array of this rank has.
std::string ways_text(const Layout& layout) {
  std::vector<std::string> items;
  for (int d = 0; d < layout.ndim(); ++d) items.push_back(std::to_string(layout.ways(d)));
  return "[" + text::join(items, ", ") + "]";
}

}  // namespace

bool fits_rank(const Sharding& sharding, int ndim) {
  if (!sharding.has_value()) return false;
  const ShardingNode& node = *sharding.node();
  if (node.kind == Sharding::Kind::positional) return node.cells.ndim() == ndim || node.layout.is_replicated();
  return node.layout.ndim() <= ndim;
}

void check_rank(const Sharding& sharding, const Shape& shape, const Subject& subject) {
  if (fits_rank(sharding, shape.ndim())) return;
  if (!sharding.has_value())
    raise<ValueError>(subject.operation,
                      "the sharding for " + said(subject, shape) + " is empty: it says nothing about devices",
                      "Make one with NamedSharding(mesh, P(\"x\")).", subject.loc);
  const ShardingNode& node = *sharding.node();
  const std::string rank = std::to_string(shape.ndim()),
                    applied = ", but was applied to " + said(subject, shape) + ", which has rank " + rank;
  if (node.kind == Sharding::Kind::positional)
    raise<ShardingError>(subject.operation, sharding.str() + " has rank " + std::to_string(node.cells.ndim()) + applied,
                         "Reshape the sharding to rank " + rank + ", or use replicate(), which fits every rank.",
                         subject.loc);
  raise<ShardingError>(
      subject.operation,
      sharding.str() + " is only valid for values of rank at least " + std::to_string(node.layout.ndim()) + applied,
      shape.empty() ? "For scalars the spec should be P()."
                    : "Shorten the spec to one entry per dim, at most " + rank + ".",
      subject.loc);
}

void check_divides(const Sharding& sharding, const Shape& shape, const Subject& subject) {
  check_rank(sharding, shape, subject);
  Layout layout = layout_of(sharding, shape.ndim());
  for (int d = 0; d < shape.ndim(); ++d) {
    std::int64_t size = shape[static_cast<std::size_t>(d)], ways = layout.ways(d);
    if (size % ways == 0) continue;
    raise<ShardingError>(subject.operation,
                         sharding.str() + " cuts dim " + std::to_string(d) + " of " + said(subject, shape) + " into " +
                             std::to_string(ways) + " blocks, but its size is " + std::to_string(size) +
                             " (blocks per dim " + ways_text(layout) + ")",
                         "Here every device must hold an equal block: pad the dim to " +
                             std::to_string(size / ways * ways + ways) + ", or shard another dim.",
                         subject.loc);
  }
}

bool is_constrained(const Sharding& sharding) {
  if (!sharding.has_value() || sharding.kind() != Sharding::Kind::named) return true;
  return std::none_of(sharding.spec().begin(), sharding.spec().end(),
                      [](const SpecEntry& entry) { return entry.is_unconstrained(); });
}

void check_constrained(const Sharding& sharding, const Subject& subject) {
  if (is_constrained(sharding)) return;
  raise<ShardingError>(subject.operation,
                       "the spec " + sharding.spec().str() + (subject.name.empty() ? "" : " for " + subject.name) +
                           " leaves a dim unconstrained, which only with_sharding_constraint may",
                       "Name the axes, or none.", subject.loc);
}

bool is_abstract(const Sharding& sharding) { return sharding.has_value() && sharding.node()->mesh.is_abstract(); }

bool all_exist(const Sharding& sharding) {
  if (is_abstract(sharding)) return false;
  const std::vector<Device>& devices = sharding.device_list();
  return std::all_of(devices.begin(), devices.end(), exists);
}

void check_exist(const Sharding& sharding, const Subject& subject) {
  if (!sharding.has_value() || all_exist(sharding)) return;
  if (is_abstract(sharding))
    raise<DeviceError>(subject.operation,
                       (subject.name.empty() ? "a value" : subject.name) + " cannot lie on " + mesh_of(sharding).str() +
                           ", an abstract mesh: its " + std::to_string(sharding.num_devices()) +
                           " devices are counted and do not exist",
                       "Plan for it with jit(f).plan(...), whose arguments may be ShapeDtypeStructs; to compute, make "
                       "the mesh with make_mesh.",
                       subject.loc);
  const std::vector<Device>& devices = sharding.device_list();
  const Device missing = *std::find_if_not(devices.begin(), devices.end(), exists);
  const int n = device_count(), platform = platform_number(missing.platform());
  const bool more = platform >= 0 && missing.id() >= 0;
  const char* const name = kPlatformNames[more ? platform : default_platform()];
  raise<DeviceError>(subject.operation,
                     (subject.name.empty() ? "a value" : subject.name) + " cannot lie on " + missing.str() +
                         ": there " + (n == 1 ? "is 1 device" : "are " + std::to_string(n) + " devices") + ", " +
                         Device(0, name).str() + (n == 1 ? "" : " to " + Device(n - 1, name).str()),
                     more ? "Name one of devices(), or ask for more with set_cpu_devices(" +
                                std::to_string(std::int64_t{missing.id()} + 1) + ")."
                          : "Name one of devices().",
                     subject.loc);
}

void check_spec(const Mesh& mesh, const PartitionSpec& spec) {
  std::set<std::string> seen;
  for (const SpecEntry& entry : spec)
    for (const std::string& name : entry.names()) {
      if (mesh.axis_index(name) < 0)
        raise<ShardingError>("NamedSharding",
                             "the axis '" + name + "' of " + spec.str() + " is not in the mesh, whose axes are " +
                                 text::names(mesh.axis_names()),
                             "Name one of these axes, or none.");
      if (!seen.insert(name).second)
        raise<ShardingError>("NamedSharding", spec.str() + " has duplicate entries for '" + name + "'",
                             "Leave one out: a mesh axis can cut one dim only, and once.");
    }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
