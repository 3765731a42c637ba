// pmap is shard_map over a row of devices, without typed variance: blocks of extent 1 lose their mapped dim and get it
// back.

#include "frontend/call.hpp"
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

}  // namespace

std::vector<Array> pmap_call(const CallArrays& args, const PmapOptions& options, const Body& body, Loc made) {
  Mapping mapping{"pmap", "what is the same on all devices", made};
  MappedAxes mapped = mapped_axes(args, options.in_axes, mapping);
  const std::vector<std::optional<int>>& axes = mapped.axes;
  if (mapped.sizes.empty())
    raise<ValueError>("pmap", "no argument is mapped: at least one entry of in_axes must be a number",
                      "Give 0 for an argument whose elements go to the devices.", made);
  check_one_size(mapped, mapping, over(options));
  const auto& [size, leaves] = *mapped.sizes.begin();
  std::string name = options.axis_name.empty() ? "<pmap>" : options.axis_name;
  auto paths = args.paths();
  RegionCall call;
  call.what = "pmap";
  call.made = made;
  call.leaves = args.leaves;
  call.params.mesh = row_of(options, size, leaves, name, made);
  call.params.check_vma = false;
  call.params.axis_names = {name};
  for (std::size_t i = 0; i < axes.size(); ++i)
    call.params.in_specs.push_back(dim_axes(call, axes[i] ? cut(*axes[i], name) : PartitionSpec(),
                                            args.leaves[i].type(), "in_axes", leaf_name(paths[i])));

  std::vector<std::optional<int>> out_axes;  // of the results, known once the function has run
  call.out_spec = [&](std::size_t k, const std::vector<tree::Path>&, const Array&) {
    return out_axes[k] ? cut(*out_axes[k], name) : PartitionSpec();
  };
  return bind_region(std::move(call), [&](const std::vector<Array>& blocks) {
    std::vector<Array> elements;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Shape shape = blocks[i].shape();
      if (axes[i]) shape.erase(*axes[i]);
      elements.push_back(axes[i] ? lax::reshape(blocks[i], shape) : blocks[i]);
    }
    BodyResult result = body(elements);
    std::vector<tree::Path> where = result.paths();
    for (std::size_t k = 0; k < result.leaves.size(); ++k) {
      Array& x = result.leaves[k];
      out_axes.push_back(options.out_axes.at(-1, where[k], x));
      std::optional<int>& axis = out_axes.back();
      if (!axis) continue;
      int ndim = x.ndim() + 1;
      if (*axis < -ndim || *axis >= ndim)
        raise<ShapeError>("pmap",
                          "out_axes " + std::to_string(*axis) + " for " + result_name(where[k]) +
                              " is not an axis of its type " + x.type().str() + " with the mapped axis",
                          "Axes count from 0 to " + std::to_string(ndim - 1) + ", or from -1 at the end.", made);
      if (*axis < 0) *axis += ndim;
      Shape shape = x.shape();
      shape.insert(*axis, 1);
      x = lax::reshape(x, shape);
    }
    return result;
  });
}

void mark_rows(const Array& x) {
  if (x.has_value() && !x.is_traced()) x.node()->rows = true;
}

}  // namespace tutti::detail
