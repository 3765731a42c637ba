#include <algorithm>
#include <mutex>
#include <ostream>
#include <unordered_map>

#include "mesh/checks.hpp"
#include "mesh/mesh_node.hpp"
#include "mesh/places.hpp"
#include "mesh/process.hpp"
#include "mesh/sharding_node.hpp"
#include "mesh/text.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

const ShardingNode& deref(const Sharding& sharding, const char* member, Loc loc) {
  if (sharding.has_value()) return *sharding.node();
  CallScope scope(loc, Loc{"", member});
  raise<ValueError>(member, "this Sharding is empty: it says nothing about devices",
                    "Make one with NamedSharding(mesh, P(\"x\")).");
}

namespace {

bool same_content(const ShardingNode& x, const ShardingNode& y) {
  return x.kind == y.kind && x.memory_kind == y.memory_kind && x.devices() == y.devices() && x.spec == y.spec &&
         x.cells == y.cells && x.cell_devices == y.cell_devices &&
         (x.kind != Sharding::Kind::named || x.mesh == y.mesh);
}

// All nodes that are alive, by hash. They live for ever: shardings of static storage may end after anything else.
struct NodeTable {
  std::mutex mutex;
  std::unordered_multimap<std::size_t, std::pair<const ShardingNode*, std::weak_ptr<const ShardingNode>>> nodes;
};
NodeTable& node_table() {
  static auto* table = new NodeTable;
  return *table;
}

void end_node(const ShardingNode* node) {
  {
    NodeTable& table = node_table();
    std::lock_guard lock(table.mutex);
    auto [first, last] = table.nodes.equal_range(node->hash);
    table.nodes.erase(std::find_if(first, last, [&](const auto& e) { return e.second.first == node; }));
  }
  delete node;
}

}  // namespace

std::shared_ptr<const ShardingNode> interned(ShardingNode node) {
  node.hash = (node.mesh.hash() * 31 + node.layout.hash()) * 31 + node.spec.hash();
  node.hash = (node.hash * 31 + std::hash<std::string>{}(node.memory_kind)) * 31 + static_cast<std::size_t>(node.kind);
  std::vector<std::shared_ptr<const ShardingNode>> seen;  // end after the lock, which ending asks for
  NodeTable& table = node_table();
  std::lock_guard lock(table.mutex);
  auto [first, last] = table.nodes.equal_range(node.hash);
  for (auto at = first; at != last; ++at) {
    seen.push_back(at->second.second.lock());
    if (seen.back() && same_content(*seen.back(), node)) return seen.back();
  }
  const std::size_t hash = node.hash;
  std::shared_ptr<const ShardingNode> made(new ShardingNode(std::move(node)), end_node);
  table.nodes.emplace(hash, std::pair{made.get(), made});
  return made;
}

namespace {

std::shared_ptr<const ShardingNode> single(const Device& device) {
  ShardingNode node;
  node.kind = Sharding::Kind::single_device;
  node.mesh = unnamed_mesh(std::vector<Device>{device}, Shape{});
  return interned(std::move(node));
}

std::shared_ptr<const ShardingNode> named(Mesh mesh, PartitionSpec spec, Loc loc) {
  CallScope scope(loc, Loc{"", "NamedSharding"});
  if (!mesh.has_value())
    raise<ValueError>("NamedSharding", "the mesh for the spec " + spec.str() + " is empty",
                      "Make one with make_mesh({4, 2}, {\"x\", \"y\"}).");
  check_spec(mesh, spec);
  ShardingNode node;
  for (const SpecEntry& entry : spec) {
    AxisRefs refs;
    for (const std::string& name : entry.names()) refs.push_back(whole_axis(mesh, mesh.axis_index(name)));
    node.layout.dims.push_back(merged(refs));
  }
  node.mesh = std::move(mesh);
  node.spec = std::move(spec);
  return interned(std::move(node));
}

void check_shape(const Sharding& sharding, const Shape& shape, const char* member) {
  for (std::int64_t n : shape)
    if (n < 0)
      raise<ShapeError>(member, "the shape " + shape.str() + " has a negative extent", "Extents are 0 or more.");
  check_rank(sharding, shape, {member});
}

}  // namespace

Sharding::Sharding(const Sharding&) noexcept = default;
Sharding& Sharding::operator=(const Sharding&) noexcept = default;
Sharding& Sharding::operator=(Sharding&&) noexcept = default;
Sharding::~Sharding() = default;
Sharding::Sharding(const Device& device) : node_(single(device)) {}
NamedSharding::NamedSharding(Mesh mesh, PartitionSpec spec, Loc loc)
    : Sharding(named(std::move(mesh), std::move(spec), loc)) {}

Sharding::Kind Sharding::kind(Loc loc) const { return deref(*this, "Sharding::kind", loc).kind; }
const std::vector<Device>& Sharding::device_list(Loc loc) const {
  return deref(*this, "Sharding::device_list", loc).devices()->devices();
}
std::set<Device> Sharding::device_set(Loc loc) const {
  const std::vector<Device>& list = deref(*this, "Sharding::device_set", loc).devices()->devices();
  return {list.begin(), list.end()};
}
std::int64_t Sharding::num_devices(Loc loc) const {
  return deref(*this, "Sharding::num_devices", loc).devices()->size();
}

const Mesh& Sharding::mesh(Loc loc) const {
  if (deref(*this, "Sharding::mesh", loc).kind == Kind::named) return node_->mesh;
  CallScope scope(loc);
  raise<ValueError>("Sharding::mesh", str() + " has no mesh", "Ask a NamedSharding: kind() tells which one it is.");
}

const PartitionSpec& Sharding::spec(Loc loc) const {
  if (deref(*this, "Sharding::spec", loc).kind == Kind::named) return node_->spec;
  CallScope scope(loc);
  raise<ValueError>("Sharding::spec", str() + " has no spec", "Ask a NamedSharding: kind() tells which one it is.");
}

bool Sharding::is_fully_replicated(Loc loc) const {
  return deref(*this, "Sharding::is_fully_replicated", loc).layout.is_replicated();
}

bool Sharding::is_fully_addressable(Loc loc) const {
  const DeviceList& list = *deref(*this, "Sharding::is_fully_addressable", loc).devices();
  if (list.is_abstract()) return false;
  const std::vector<Device>& all = list.devices();
  if (this_process().count > 1) return !places_of(mesh_of(*this));
  return std::all_of(all.begin(), all.end(), [](const Device& d) { return d.process_index() == 0; });
}

Shape Sharding::shard_shape(const Shape& shape, Loc loc) const {
  deref(*this, "Sharding::shard_shape", loc);
  CallScope scope(loc);
  check_shape(*this, shape, "Sharding::shard_shape");
  return block_shape(layout_of(*this, shape.ndim()), shape);
}

std::vector<std::pair<Device, ShardIndex>> Sharding::devices_indices_map(const Shape& shape, Loc loc) const {
  deref(*this, "Sharding::devices_indices_map", loc);
  CallScope scope(loc);
  check_shape(*this, shape, "Sharding::devices_indices_map");
  Layout layout = layout_of(*this, shape.ndim());
  std::vector<std::pair<Device, ShardIndex>> out;
  for (std::int64_t i = 0; i < num_devices(); ++i) {
    Box box = box_of(layout, node_->mesh, shape, i);
    ShardIndex index;
    for (int d = 0; d < shape.ndim(); ++d) {
      auto at = static_cast<std::size_t>(d);
      index.push_back({box.start[at], box.stop[at], layout.ways(d) == 1});
    }
    out.emplace_back(device_list()[static_cast<std::size_t>(i)], std::move(index));
  }
  return out;
}

bool Sharding::is_equivalent_to(const Sharding& other, int ndim) const {
  if (!has_value() || !other.has_value()) return has_value() == other.has_value();
  if (memory_kind() != other.memory_kind() || node_->devices() != other.node_->devices()) return false;
  if (!fits_rank(*this, ndim) || !fits_rank(other, ndim)) return false;
  // Both on one mesh have one canonical form. Where sizes have nothing in common, compare on the other's mesh fails,
  // and then placements differ too: a digit that another mesh cannot say is a digit it does not have.
  auto there = layout_of(*this, ndim, other.node_->mesh);
  return there && *there == layout_of(other, ndim);
}

const std::string& Sharding::memory_kind(Loc loc) const {
  return deref(*this, "Sharding::memory_kind", loc).memory_kind;
}

Sharding Sharding::with_memory_kind(std::string kind, Loc loc) const {
  ShardingNode node = deref(*this, "Sharding::with_memory_kind", loc);
  if (kind != "device" && kind != "pinned_host" && kind != "unpinned_host")
    raise<ValueError>("Sharding::with_memory_kind", "there is no memory kind \"" + kind + "\"",
                      "Name device, pinned_host or unpinned_host.", loc);
  node.memory_kind = std::move(kind);
  return Sharding(interned(std::move(node)));
}

std::size_t Sharding::hash() const { return node_ ? node_->hash : 0; }

std::string Sharding::str() const {
  if (!node_) return "Sharding()";
  std::string memory = ", memory_kind=" + node_->memory_kind;
  switch (node_->kind) {
    case Kind::single_device:
      return "SingleDeviceSharding(device=" + node_->devices()->devices()[0].str() + memory + ")";
    case Kind::named: return "NamedSharding(mesh=" + node_->mesh.str() + ", spec=" + node_->spec.str() + memory + ")";
    case Kind::positional: break;
  }
  const std::string head = "PositionalSharding(";
  auto cell = [&](std::int64_t i) {
    std::set<int> ids;
    for (const Device& device : node_->cell_devices[static_cast<std::size_t>(i)]) ids.insert(device.id());
    std::vector<std::string> items;
    for (int id : ids) items.push_back(std::to_string(id));
    return "{" + text::platform_name(node_->devices()->devices()[0]) + " " + text::join(items, ", ") + "}";
  };
  if (node_->memory_kind == "device") memory.clear();
  return head + text::nested(node_->cells, cell, static_cast<int>(head.size()), 100) + memory +
         ", shape=" + node_->cells.str() + ")";
}
std::ostream& operator<<(std::ostream& out, const Sharding& sharding) { return out << sharding.str(); }

std::string IndexRange::str() const {
  if (whole) return "slice(None, None, None)";
  return "slice(" + std::to_string(start) + ", " + std::to_string(stop) + ", None)";
}

std::string str(const ShardIndex& index) {
  std::vector<std::string> items;
  for (const IndexRange& range : index) items.push_back(range.str());
  return text::tuple(items);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
