#include "frontend/grouped_collectives.hpp"

#include <algorithm>

#include "mesh/text.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::detail {
namespace {

std::string text_of(const lax::AxisGroups& groups) {
  std::string out;
  for (const std::vector<int>& g : groups) {
    out += out.empty() ? "[" : ", [";
    for (std::size_t i = 0; i < g.size(); ++i) out += (i ? ", " : "") + std::to_string(g[i]);
    out += "]";
  }
  return "[" + out + "]";
}

struct Groups {
  std::int64_t n = 0;  // devices along the axes
  int widest = 0;
  bool equal = true;
  std::vector<int> group, position;  // of each device
};

Groups checked(const char* operation, const lax::AxisGroups& groups, const Names& axes, bool equal_sizes) {
  Groups out;
  out.n = lax::axis_size(axes, current_loc());
  const std::string what = "axis_index_groups " + text_of(groups), number = std::to_string(out.n);
  out.group.assign(static_cast<std::size_t>(out.n), -1);
  out.position = out.group;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    out.widest = std::max(out.widest, static_cast<int>(groups[g].size()));
    out.equal = out.equal && groups[g].size() == groups[0].size();
    for (std::size_t p = 0; p < groups[g].size(); ++p) {
      int device = groups[g][p];
      if (device < 0 || device >= out.n)
        raise<ValueError>(operation,
                          what + " name device " + std::to_string(device) + ", and there are " + number + " along " +
                              text::names(axes.list()),
                          "Devices count from 0 to " + std::to_string(out.n - 1) + ".");
      if (out.group[device] >= 0)
        raise<ValueError>(operation, what + " hold device " + std::to_string(device) + " twice",
                          "Every device must be in one group: leave one of them out.");
      out.group[device] = static_cast<int>(g);
      out.position[device] = static_cast<int>(p);
    }
  }
  std::string missing;
  for (std::size_t d = 0; d < out.group.size(); ++d)
    if (out.group[d] < 0) missing += (missing.empty() ? "" : ", ") + std::to_string(d);
  if (!missing.empty())
    raise<ValueError>(
        operation,
        what + " leave out the devices " + missing + " of the " + number + " along " + text::names(axes.list()),
        "Every device must be in one group; give those left out a group of their own.");
  if (equal_sizes && !out.equal)
    raise<ValueError>(operation, what + " differ in size",
                      "Here all groups must have one size, as all devices get results of one shape.");
  return out;
}

// The entry of `table` for this device.
Array mine(const std::vector<int>& table, const Names& axes) {
  Array all =
      array(std::vector<std::int32_t>(table.begin(), table.end()), Shape{static_cast<std::int64_t>(table.size())});
  return reshape(lax::dynamic_slice(all, {lax::axis_index(axes, current_loc())}, Shape{1}), Shape{});
}
// Dim 0: what the devices of this device's group have, in the order of the group. In a group that is not full the rest
// is zeros, or (repeat) values that are there already.
Array of_my_group(const Array& x, const Names& axes, const lax::AxisGroups& groups, const Groups& known, bool repeat) {
  std::vector<Array> arrived = {x};
  for (int step = 1; step < known.widest; ++step) {
    std::vector<std::pair<int, int>> pairs;
    for (const std::vector<int>& g : groups) {
      int size = static_cast<int>(g.size());
      for (int p = 0; p < size && (repeat || step < size); ++p) pairs.emplace_back(g[(p + step) % size], g[p]);
    }
    arrived.push_back(lax::ppermute(x, axes, pairs));
  }
  Array rows = stack(arrived);  // by steps
  if (known.widest == 1) return rows;
  std::vector<std::int32_t> step_of;  // of device d the step in which row q arrived
  for (std::int64_t d = 0; d < known.n; ++d) {
    int size = static_cast<int>(groups[known.group[d]].size());
    for (int q = 0; q < known.widest; ++q) step_of.push_back(q < size ? (q - known.position[d] + size) % size : q);
  }
  Array table = array(step_of, Shape{known.n, known.widest});
  Array zero = array(0),
        order = lax::dynamic_slice(table, {lax::axis_index(axes, current_loc()), zero}, Shape{1, known.widest});
  return take(rows, reshape(order, Shape{known.widest}), 0);
}

Array merged(const Array& x, int dim) {  // dims `dim` and `dim` + 1 made one
  Shape shape = x.shape();
  shape[dim + 1] *= shape[dim];
  shape.erase(dim);
  return reshape(x, shape);
}
// Of dim `dim`, dealt out to a group of `size` devices, this device's share; without `tiled` the dim goes.
Array my_block(const Array& x, int dim, int size, bool tiled, const Groups& known, const Names& axes,
               const char* what) {
  std::int64_t extent = x.shape()[dim];
  if (tiled ? extent % size != 0 : extent != size)
    raise<ShapeError>(what,
                      "dim " + std::to_string(dim) + " of " + x.type().str() + " has size " + std::to_string(extent) +
                          ", and a group has " + std::to_string(size) + " devices",
                      tiled ? "The size must be a multiple of that." : "Without `tiled` the two must be equal.");
  std::int64_t block = extent / size;
  std::vector<int> starts;
  for (int p : known.position) starts.push_back(static_cast<int>(p * block));
  Array zero = array(0);
  std::vector<Array> start(static_cast<std::size_t>(x.ndim()), zero);
  start[dim] = mine(starts, axes);
  Shape shape = x.shape();
  shape[dim] = block;
  Array out = lax::dynamic_slice(x, start, shape);
  if (tiled) return out;
  shape.erase(dim);
  return reshape(out, shape);
}

}  // namespace

Array combine_groups(const Array& x, const Names& axes, Combine how, const lax::AxisGroups& groups) {
  Groups known = checked("psum", groups, axes, false);
  bool extremum = how == Combine::max || how == Combine::min;
  Array all = of_my_group(x, axes, groups, known, extremum);
  if (extremum) return how == Combine::max ? lax::reduce_max(all, {0}) : lax::reduce_min(all, {0});
  Array sum = lax::reduce_sum(all, {0});
  if (how == Combine::sum) return sum;
  std::vector<int> sizes;
  for (int g : known.group) sizes.push_back(static_cast<int>(groups[g].size()));
  return lax::div(sum, lax::convert_element_type(mine(sizes, axes), sum.dtype()));
}

Array gather_groups(const Array& x, const Names& axes, int dim, bool tiled, const lax::AxisGroups& groups) {
  Array all = moveaxis(of_my_group(x, axes, groups, checked("all_gather", groups, axes, true), false), 0, dim);
  return tiled ? merged(all, dim) : all;
}

Array scatter_groups(const Array& x, const Names& axes, int dim, bool tiled, const lax::AxisGroups& groups) {
  Groups known = checked("psum_scatter", groups, axes, true);
  Array sum = lax::reduce_sum(of_my_group(x, axes, groups, known, false), {0});
  return my_block(sum, dim, known.widest, tiled, known, axes, "psum_scatter");
}

Array exchange_groups(const Array& x, const Names& axes, int split, int concat, bool tiled,
                      const lax::AxisGroups& groups) {
  Groups known = checked("all_to_all", groups, axes, true);
  Array all = of_my_group(x, axes, groups, known, false);  // a sender per row
  Array blocks = moveaxis(my_block(all, split + 1, known.widest, tiled, known, axes, "all_to_all"), 0, concat);
  return tiled ? merged(blocks, concat) : blocks;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
