// PositionalSharding: grids of cells, and the mesh under them.
#include <algorithm>
#include <map>
#include <numeric>

#include "mesh/mesh_node.hpp"
#include "mesh/sharding_node.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

using Cells = std::vector<std::vector<Device>>;

struct CellDigit {
  std::int64_t stride, size;
  int dim;  // -1: the devices of one cell
};

// Writes the positions f(0) = 0 < ... as a number of digits (stride, size), minor first; false when they are not one.
bool digits_of(std::vector<std::int64_t> f, int dim, std::vector<CellDigit>& out) {
  while (f.size() > 1) {
    std::int64_t stride = f[1];
    std::size_t run = 1;
    while (run < f.size() && f[run] == static_cast<std::int64_t>(run) * stride) ++run;
    if (stride <= 0 || f.size() % run != 0) return false;
    std::vector<std::int64_t> major;
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (i % run == 0) major.push_back(f[i]);
      if (f[i] != major.back() + static_cast<std::int64_t>(i % run) * stride) return false;
    }
    out.push_back({stride, static_cast<std::int64_t>(run), dim});
    f = std::move(major);
  }
  return true;
}

// The mesh and layout over the given device order, when the cells are a transposed view of it: the common case, in
// which arrays of this sharding can be used beside others on the same devices.
bool view_of(const std::vector<Device>& devices, const Shape& shape, const Cells& cells, Mesh& mesh, Layout& layout) {
  std::map<Device, std::int64_t> at;
  for (std::size_t i = 0; i < devices.size(); ++i) at[devices[i]] = static_cast<std::int64_t>(i);
  auto positions = [&](std::size_t cell) {
    std::vector<std::int64_t> out;
    for (const Device& device : cells[cell]) out.push_back(at.at(device));
    std::sort(out.begin(), out.end());
    return out;
  };
  std::vector<std::int64_t> inside = positions(0);
  if (inside[0] != 0) return false;
  std::vector<CellDigit> digits;
  if (!digits_of(inside, -1, digits)) return false;
  std::size_t step = cells.size();
  for (int d = 0; d < shape.ndim(); ++d) {
    auto n = static_cast<std::size_t>(shape[static_cast<std::size_t>(d)]);
    step /= n;
    std::vector<std::int64_t> f;
    for (std::size_t i = 0; i < n; ++i) f.push_back(positions(i * step)[0]);
    if (!digits_of(f, d, digits)) return false;
  }
  std::sort(digits.begin(), digits.end(), [](const CellDigit& a, const CellDigit& b) { return a.stride > b.stride; });
  std::int64_t rest = static_cast<std::int64_t>(devices.size());
  Shape sizes;
  layout = Layout::replicated(shape.ndim());
  for (const CellDigit& digit : digits) {
    if (digit.stride * digit.size != rest) return false;
    rest = digit.stride;
    if (digit.dim >= 0) layout.dims[static_cast<std::size_t>(digit.dim)].push_back({sizes.ndim(), 1, digit.size});
    sizes.push_back(digit.size);
  }
  if (rest != 1) return false;
  mesh = unnamed_mesh(devices, sizes);
  // The strides were read along each dim alone; the cells must agree everywhere.
  std::vector<std::size_t> next(cells.size(), 0);
  for (std::size_t p = 0; p < devices.size(); ++p) {
    auto where = coordinates(mesh, static_cast<std::int64_t>(p));
    std::int64_t cell = 0;
    for (int d = 0; d < shape.ndim(); ++d)
      cell = cell * shape[static_cast<std::size_t>(d)] +
             block_number(layout.dims[static_cast<std::size_t>(d)], mesh, where);
    const std::vector<Device>& held = cells[static_cast<std::size_t>(cell)];
    if (std::find(held.begin(), held.end(), devices[p]) == held.end()) return false;
  }
  return true;
}

std::shared_ptr<const ShardingNode> make(const std::vector<Device>& devices, Shape shape, Cells cells,
                                         const std::string& memory) {
  ShardingNode node;
  node.kind = Sharding::Kind::positional;
  node.memory_kind = memory;
  if (!view_of(devices, shape, cells, node.mesh, node.layout)) {
    // No mesh over this device order says it: take the devices in cell order, copies of a cell as the last axis.
    std::vector<Device> order;
    for (const std::vector<Device>& cell : cells) order.insert(order.end(), cell.begin(), cell.end());
    Shape sizes = shape;
    sizes.push_back(static_cast<std::int64_t>(cells[0].size()));
    node.mesh = unnamed_mesh(std::move(order), sizes);
    node.layout = Layout::replicated(shape.ndim());
    for (int d = 0; d < shape.ndim(); ++d)
      node.layout.dims[static_cast<std::size_t>(d)] = merged({whole_axis(node.mesh, d)});
  }
  node.cells = std::move(shape);
  node.cell_devices = std::move(cells);
  return interned(std::move(node));
}

std::shared_ptr<const ShardingNode> from_grid(const std::vector<Device>& devices, Shape shape, Loc loc) {
  CallScope scope(loc, Loc{"", "PositionalSharding"});
  if (devices.empty())
    raise<ValueError>("PositionalSharding", "there are no devices",
                      "Give devices(), or mesh_utils::create_device_mesh({8}).");
  std::set<Device> seen;
  Cells cells;
  for (const Device& device : devices) {
    if (!seen.insert(device).second)
      raise<DeviceError>("PositionalSharding", device.str() + " comes twice in " + str(devices),
                         "Leave it out: replicate() makes copies.");
    cells.push_back({device});
  }
  return make(devices, std::move(shape), std::move(cells), "device");
}

}  // namespace

Sharding positional_sharding(const Mesh& mesh, const Layout& layout) {
  Shape shape;
  for (int d = 0; d < layout.ndim(); ++d) shape.push_back(layout.ways(d));
  if (shape.empty()) shape.push_back(1);
  ShardingNode node;
  node.kind = Sharding::Kind::positional;
  node.mesh = mesh;
  node.layout = layout;
  if (node.layout.dims.empty()) node.layout = Layout::replicated(1);
  node.cell_devices.resize(static_cast<std::size_t>(shape.num_elements()));
  for (std::int64_t p = 0; p < mesh.size(); ++p) {
    auto where = coordinates(mesh, p);
    std::int64_t cell = 0;
    for (int d = 0; d < layout.ndim(); ++d)
      cell = cell * layout.ways(d) + block_number(layout.dims[static_cast<std::size_t>(d)], mesh, where);
    node.cell_devices[static_cast<std::size_t>(cell)].push_back(mesh.device_list()[static_cast<std::size_t>(p)]);
  }
  node.cells = std::move(shape);
  return Sharding(interned(std::move(node)));
}

PositionalSharding::PositionalSharding(const DeviceGrid& grid, Loc loc)
    : Sharding(from_grid(grid.flat(), grid.shape(), loc)) {}
PositionalSharding::PositionalSharding(const std::vector<Device>& devices, Loc loc)
    : Sharding(from_grid(devices, Shape{static_cast<std::int64_t>(devices.size())}, loc)) {}

const Shape& PositionalSharding::shape(Loc loc) const { return deref(*this, "PositionalSharding::shape", loc).cells; }

PositionalSharding PositionalSharding::reshape(Shape shape, Loc loc) const {
  deref(*this, "PositionalSharding::reshape", loc);
  CallScope scope(loc);
  auto cells = static_cast<std::int64_t>(node_->cell_devices.size());
  std::int64_t known = 1;
  int unknown = -1, unknowns = 0;
  bool good = true;
  for (int d = 0; d < shape.ndim(); ++d) {
    std::int64_t n = shape[static_cast<std::size_t>(d)];
    if (n == -1) {
      unknown = d;
      ++unknowns;
    } else if (n < 1 || n > cells / known)
      good = false;  // more than there are, so no product overflows
    else
      known *= n;
  }
  if (!good || unknowns > 1 || cells % known != 0 || (unknowns == 0 && known != cells))
    raise<ShardingError>(
        "PositionalSharding::reshape",
        "cannot arrange " + std::to_string(cells) + " cells of shape " + node_->cells.str() + " in the shape " +
            shape.str(),
        "Give positive extents whose product is " + std::to_string(cells) + "; one of them may be -1.");
  if (unknowns == 1) shape[static_cast<std::size_t>(unknown)] = cells / known;
  return PositionalSharding(
      make(node_->devices()->devices(), std::move(shape), node_->cell_devices, node_->memory_kind));
}

PositionalSharding PositionalSharding::transpose(std::vector<int> order, Loc loc) const {
  deref(*this, "PositionalSharding::transpose", loc);
  CallScope scope(loc);
  const Shape& old = node_->cells;
  auto ndim = old.size();
  if (order.empty())
    for (std::size_t d = ndim; d-- > 0;) order.push_back(static_cast<int>(d));
  std::vector<bool> seen(ndim, false);
  bool good = order.size() == ndim;
  for (int d : order) {
    if (d < 0 || static_cast<std::size_t>(d) >= ndim || seen[static_cast<std::size_t>(d)])
      good = false;
    else
      seen[static_cast<std::size_t>(d)] = true;
  }
  if (!good)
    raise<ShardingError>("PositionalSharding::transpose",
                         "the order " + Shape(std::vector<std::int64_t>(order.begin(), order.end())).str() +
                             " must name each of the " + std::to_string(ndim) + " dims of the shape " + old.str() +
                             " once",
                         "Leave the order out to reverse them.");
  Shape shape;
  std::vector<std::int64_t> strides(ndim, 1), from;
  for (std::size_t d = ndim; d-- > 1;) strides[d - 1] = strides[d] * old[d];
  for (int d : order) {
    shape.push_back(old[static_cast<std::size_t>(d)]);
    from.push_back(strides[static_cast<std::size_t>(d)]);
  }
  Cells cells;
  for (std::int64_t i = 0; i < shape.num_elements(); ++i) {
    std::int64_t rest = i, source = 0;
    for (std::size_t d = ndim; d-- > 0;) {
      source += rest % shape[d] * from[d];
      rest /= shape[d];
    }
    cells.push_back(node_->cell_devices[static_cast<std::size_t>(source)]);
  }
  return PositionalSharding(make(node_->devices()->devices(), std::move(shape), std::move(cells), node_->memory_kind));
}

PositionalSharding PositionalSharding::replicate(std::optional<int> axis, bool keepdims, Loc loc) const {
  deref(*this, "PositionalSharding::replicate", loc);
  CallScope scope(loc);
  const Shape& old = node_->cells;
  std::vector<bool> unite(old.size(), !axis.has_value());
  if (axis) {
    int d = *axis < 0 ? *axis + old.ndim() : *axis;
    if (d < 0 || d >= old.ndim())
      raise<ShardingError>("PositionalSharding::replicate",
                           "there is no axis " + std::to_string(*axis) + " in the shape " + old.str(),
                           "Leave the axis out for one cell of all devices.");
    unite[static_cast<std::size_t>(d)] = true;
  }
  Shape kept, shape;  // kept: all dims, united ones of size 1
  for (std::size_t d = 0; d < old.size(); ++d) {
    kept.push_back(unite[d] ? 1 : old[d]);
    if (!unite[d] || keepdims) shape.push_back(kept[d]);
  }
  Cells cells(static_cast<std::size_t>(kept.num_elements()));
  for (std::int64_t i = 0; i < old.num_elements(); ++i) {
    std::int64_t rest = i, target = 0, step = 1;
    for (std::size_t d = old.size(); d-- > 0;) {
      if (!unite[d]) target += rest % old[d] * step;
      step *= kept[d];
      rest /= old[d];
    }
    auto& cell = cells[static_cast<std::size_t>(target)];
    const auto& more = node_->cell_devices[static_cast<std::size_t>(i)];
    cell.insert(cell.end(), more.begin(), more.end());
  }
  for (auto& cell : cells) std::sort(cell.begin(), cell.end());
  return PositionalSharding(make(node_->devices()->devices(), std::move(shape), std::move(cells), node_->memory_kind));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
