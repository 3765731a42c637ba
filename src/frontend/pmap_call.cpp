// pmap is shard_map over a row of devices, without typed variance: blocks of extent 1 lose their mapped dim and get it
// back.
#include "frontend/call.hpp"
#include "frontend/mapped_axes.hpp"
#include "frontend/region.hpp"
#include "mesh/text.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/transform/pmap.hpp"

namespace tutti::detail {
namespace {

PartitionSpec cut(int dim, const std::string& axis) {
  std::vector<SpecEntry> entries(static_cast<std::size_t>(dim), SpecEntry(none));
  entries.emplace_back(axis);
  return PartitionSpec::from(std::move(entries));
}

std::string over(const PmapOptions& options) {
  return options.axis_name.empty() ? "" : "over " + text::quoted(options.axis_name) + " ";
}

Mesh row_of(const PmapOptions& options, std::int64_t size, const std::string& mapped, const std::string& axis,
            Loc made) {
  auto given = static_cast<std::int64_t>(options.devices.size());
  if (given > 0 && given != size)
    raise<ShapeError>(
        "pmap",
        "the mapped axes have size " + std::to_string(size) + ", and there are " + std::to_string(given) + " devices",
        "Reshape the arguments so that the mapped axis has one element per device.", made);
  if (given > 0) return Mesh(options.devices, axis);
  if (size == 0) raise<ShapeError>("pmap", "the mapped axes are empty:" + mapped, "Give at least one element.", made);
  if (size < device_count()) {  // the first ones, whichever processes they are in
    const std::vector<Device> all = devices();
    return Mesh(std::vector<Device>(all.begin(), all.begin() + size), axis);
  }
  try {
    return make_mesh({size}, axis);
  } catch (const DeviceError&) {
    raise<DeviceError>(
        "pmap",
        over(options) + "the mapped axes have size " + std::to_string(size) + ":" + mapped + "\n  there are only " +
            std::to_string(device_count()) + " devices",
        "Reshape the arguments so that the mapped axis has one element per device, and use vmap inside for the rest.",
        made);
  }
}

MappedAxes checked_axes(const CallArrays& args, const PmapOptions& options, Loc made) {
  MappedAxes mapped =
      mapped_axes({"pmap", "Give `none` in in_axes for what is the same on all devices.", made}, args, options.in_axes);
  if (mapped.sizes.empty())
    raise<ValueError>("pmap", "no argument is mapped: at least one entry of in_axes must be a number",
                      "Give 0 for an argument whose elements go to the devices.", made);
  check_one_size("pmap", mapped,
                 "Cut or reshape them to one size, and give `none` in in_axes for what is the same on all devices.",
                 made, over(options));
  return mapped;
}

// The elements of blocks of extent 1 along the mapped axes.
std::vector<Array> elements_of(const std::vector<Array>& blocks, const std::vector<std::optional<int>>& axes) {
  std::vector<Array> out = blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!axes[i]) continue;
    Shape shape = blocks[i].shape();
    shape.erase(*axes[i]);
    out[i] = lax::reshape(blocks[i], shape);
  }
  return out;
}

// Where result `x` gets its mapped dim back: not negative; nothing when it is the same on all devices.
std::optional<int> out_axis(const PmapOptions& options, const tree::Path& path, const Array& x, Loc made) {
  std::optional<int> axis = options.out_axes.at(-1, path, x);
  if (!axis) return axis;
  int ndim = x.ndim() + 1;
  if (*axis < -ndim || *axis >= ndim)
    raise<ShapeError>("pmap",
                      "out_axes " + std::to_string(*axis) + " for " + result_name(path) +
                          " is not an axis of its type " + x.type().str() + " with the mapped axis",
                      "Axes count from 0 to " + std::to_string(ndim - 1) + ", or from -1 at the end.", made);
  return *axis < 0 ? *axis + ndim : *axis;
}

}  // namespace

std::vector<Array> pmap_call(const CallArrays& args, const PmapOptions& options, const Body& body, Loc made) {
  const MappedAxes mapped = checked_axes(args, options, made);
  const std::string name = options.axis_name.empty() ? "<pmap>" : options.axis_name;
  RegionCall call;
  call.what = "pmap";
  call.made = made;
  call.leaves = args.leaves;
  call.params.mesh = row_of(options, mapped.sizes.begin()->first, mapped.sizes.begin()->second, name, made);
  call.params.check_vma = false;
  call.params.axis_names = {name};
  auto spec = [&](std::optional<int> axis) { return axis ? cut(*axis, name) : PartitionSpec(); };
  auto paths = args.paths();
  for (std::size_t i = 0; i < mapped.axes.size(); ++i)
    call.params.in_specs.push_back(
        dim_axes(call, spec(mapped.axes[i]), args.leaves[i].type(), "in_axes", leaf_name(paths[i])));

  std::vector<std::optional<int>> out_axes;  // of the results, known once the function has run
  call.out_spec = [&](std::size_t k, const std::vector<tree::Path>&, const Array&) { return spec(out_axes[k]); };
  return bind_region(std::move(call), [&](const std::vector<Array>& blocks) {
    BodyResult result = body(elements_of(blocks, mapped.axes));
    std::vector<tree::Path> where = result.paths();
    for (std::size_t k = 0; k < result.leaves.size(); ++k) {
      Array& x = result.leaves[k];
      out_axes.push_back(out_axis(options, where[k], x, made));
      if (!out_axes.back()) continue;
      Shape shape = x.shape();
      shape.insert(*out_axes.back(), 1);
      x = lax::reshape(x, shape);
    }
    return result;
  });
}

void mark_rows(const Array& x) {
  if (x.has_value() && !x.is_traced()) x.node()->rows = true;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
