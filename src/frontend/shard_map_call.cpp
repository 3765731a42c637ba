// A call of shard_map: its specs, leaf by leaf. The rest is in region.cpp.
#include <algorithm>

#include "frontend/call.hpp"
#include "frontend/region.hpp"
#include "mesh/text.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/shard_map.hpp"

namespace tutti::detail {
namespace {

using Specs = TreeOf<PartitionSpec>;

std::vector<std::string> manual_axes(const ShardMapOptions& o, Loc made) {
  if (!o.mesh.has_value())
    raise<ValueError>("shard_map", "there is no mesh", "Give one: {.mesh = make_mesh({8}, \"x\"), ...}.", made);
  for (const std::string& name : o.axis_names)
    if (o.mesh.axis_index(name) < 0)
      raise<ShardingError>("shard_map",
                           "axis_names has " + text::quoted(name) + ", which is no axis of " + mesh_text(o.mesh),
                           "Name some of its axes.", made);
  std::vector<std::string> out;
  for (const std::string& name : o.mesh.axis_names())
    if (o.axis_names.empty() || std::find(o.axis_names.begin(), o.axis_names.end(), name) != o.axis_names.end())
      out.push_back(name);
  return out;
}

// A line per dim that does not divide.
std::string indivisible(const ops::ShardMap& p, const ops::DimAxes& spec, const Type& type,
                        const PartitionSpec& written, const std::string& name) {
  std::string out;
  for (std::size_t d = 0; d < spec.size(); ++d) {
    std::int64_t n = ops::ways(p.mesh, spec[d]), extent = type.shape[static_cast<int>(d)];
    if (extent % n == 0) continue;
    std::string axes = spec[d].size() == 1 ? "axis " + text::quoted(spec[d][0]) : "axes " + text::names(spec[d]);
    out += "\n  " + name + " of type " + type.str() + " with spec " + written.str() + ": dim " + std::to_string(d) +
           " of size " + std::to_string(extent) + " over mesh " + axes + " of size " + std::to_string(n);
  }
  return out;
}

void check_list(const Specs& specs, std::size_t count, const char* what, const char* of, Loc made) {
  if (specs.is_open())
    raise<ValueError>("shard_map", std::string(what) + " is missing", "Use P() for what is whole on every device.",
                      made);
  if (specs.kind() == Specs::Kind::list && specs.list().size() != count)
    raise<ValueError>("shard_map",
                      std::string(what) + " has " + std::to_string(specs.list().size()) + " entries for " +
                          std::to_string(count) + " " + of,
                      "Give one spec for all, or one entry each.", made);
}

// How many entries the result has, as a tuple or a struct; one for an array or a map.
std::size_t num_results(const std::vector<tree::Path>& paths) {
  std::size_t n = 1;
  for (const tree::Path& path : paths)
    if (!path.empty())
      n = std::max(n, static_cast<std::size_t>(std::max(path.keys()[0].index, path.keys()[0].position) + 1));
  return n;
}

}  // namespace

std::vector<Array> shard_map_call(const CallArrays& args, const ShardMapOptions& options, const Body& body, Loc made) {
  RegionCall call;
  call.made = made;
  call.leaves = args.leaves;
  ops::ShardMap& p = call.params;
  p.mesh = options.mesh;
  p.check_vma = call.promises_checked = options.check_vma;
  p.axis_names = manual_axes(options, made);
  if (!args.counts.empty()) check_list(options.in_specs, args.counts.size(), "in_specs", "arguments", made);
  auto paths = args.paths();
  std::string wrong;
  for (std::size_t i = 0; i < args.leaves.size(); ++i) {
    std::string name = leaf_name(paths[i]);
    std::optional<PartitionSpec> spec = options.in_specs.at(paths[i].first, paths[i].second, args.leaves[i]);
    if (!spec)
      raise<ValueError>("shard_map", "in_specs has nothing for " + name, "Use P() for what is whole on every device.",
                        made);
    const Type& type = args.leaves[i].type();
    p.in_specs.push_back(dim_axes(call, *spec, type, "in_specs", name));
    wrong += indivisible(p, p.in_specs.back(), type, *spec, name);
  }
  if (!wrong.empty())
    raise<ShardingError>("shard_map", mesh_text(p.mesh) + " does not divide all arguments:" + wrong,
                         "Pad these dims to multiples, or use a spec that does not cut them.", made);
  call.out_spec = [&](std::size_t k, const std::vector<tree::Path>& out, const Array& local) {
    if (k == 0) check_list(options.out_specs, num_results(out), "out_specs", "results", made);
    std::optional<PartitionSpec> spec = options.out_specs.at(-1, out[k], local);
    if (!spec)
      raise<ValueError>("shard_map", "out_specs has nothing for " + result_name(out[k]),
                        "Use P() for what is equal on every device.", made);
    return *spec;
  };
  return bind_region(std::move(call), body);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
