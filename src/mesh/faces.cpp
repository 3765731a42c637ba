// Between what is written (the face of a sharding) and its layout.
#include <algorithm>

#include "mesh/checks.hpp"
#include "mesh/mesh_node.hpp"
#include "mesh/sharding_node.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// The mesh on which every part of an axis that `layout` uses is an axis of its own, named after the axis it is part of.
Mesh cut_at_parts(const Mesh& mesh, const Layout& layout) {
  AxisRefs parts = free_axes(layout, mesh);
  for (const AxisRefs& refs : layout.dims) parts.insert(parts.end(), refs.begin(), refs.end());
  for (int axis = 0; axis < mesh.ndim(); ++axis)
    if (whole_axis(mesh, axis).size == 1) parts.push_back(whole_axis(mesh, axis));
  std::sort(parts.begin(), parts.end());
  Shape shape;
  std::vector<std::string> names;
  for (std::size_t i = 0, number = 0; i < parts.size(); ++i) {
    number = i && parts[i].axis == parts[i - 1].axis ? number + 1 : 0;
    const std::string& name = mesh.axis_names()[static_cast<std::size_t>(parts[i].axis)];
    bool whole = parts[i] == whole_axis(mesh, parts[i].axis);
    shape.push_back(parts[i].size);
    names.push_back(whole ? name : name + "." + std::to_string(number));
  }
  return intern_mesh(device_list_of(mesh), std::move(shape), std::move(names));
}

bool whole_axes_only(const Mesh& mesh, const Layout& layout) {
  for (const AxisRefs& refs : layout.dims)
    for (const AxisRef& ref : refs)
      if (ref != whole_axis(mesh, ref.axis)) return false;
  return true;
}

}  // namespace

Mesh mesh_of(const Sharding& sharding) { return deref(sharding).mesh; }

Layout layout_of(const Sharding& sharding, int ndim) {
  const ShardingNode& node = deref(sharding);
  check_rank(sharding, Shape(std::vector<std::int64_t>(static_cast<std::size_t>(ndim), 1)));
  Layout layout = node.layout;
  layout.dims.resize(static_cast<std::size_t>(ndim));
  return layout;
}

std::optional<Layout> layout_of(const Sharding& sharding, int ndim, const Mesh& mesh) {
  return translate(layout_of(sharding, ndim), mesh_of(sharding), mesh);
}

Sharding sharding_from_layout(const Mesh& mesh, const Layout& written) {
  std::string why;
  if (!is_valid(written, mesh, &why)) throw InternalError("sharding_from_layout: " + str(written, mesh) + ": " + why);
  Layout layout = canonical(written);
  if (!layout.pending.empty())
    throw InternalError("sharding_from_layout: " + str(layout, mesh) +
                        " holds partial results, which no sharding can say");
  if (is_unnamed(mesh)) {
    if (mesh.size() == 1) return SingleDeviceSharding(mesh.device_list()[0]);
    return positional_sharding(mesh, layout);
  }
  if (!whole_axes_only(mesh, layout)) {
    Mesh cut = cut_at_parts(mesh, layout);
    return sharding_from_layout(cut, translate(layout, mesh, cut).value());
  }
  std::vector<SpecEntry> entries;
  for (const AxisRefs& refs : layout.dims) {
    std::vector<std::string> names;
    for (const AxisRef& ref : refs) names.push_back(mesh.axis_names()[static_cast<std::size_t>(ref.axis)]);
    entries.push_back(SpecEntry(Names(std::move(names))));
  }
  while (!entries.empty() && entries.back().is_none()) entries.pop_back();
  return NamedSharding(mesh, PartitionSpec::from(std::move(entries)));
}

Sharding sharding_from_layout(const Mesh& mesh, const Layout& layout, const std::vector<Mesh>& meshes) {
  std::optional<std::pair<Mesh, Layout>> in_parts;
  for (const Mesh& m : meshes) {
    std::optional<Layout> there = translate(layout, mesh, m);
    if (!there || !is_valid(*there, m)) continue;
    if (is_unnamed(m) || whole_axes_only(m, *there)) return sharding_from_layout(m, *there);
    if (!in_parts) in_parts = {m, *there};
  }
  return in_parts ? sharding_from_layout(in_parts->first, in_parts->second) : sharding_from_layout(mesh, layout);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
