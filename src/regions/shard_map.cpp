#include "regions/shard_map.hpp"

#include <algorithm>

namespace tutti::ops {
namespace {

bool has(const DimAxes& spec, const std::string& name) {
  return std::any_of(spec.begin(), spec.end(),
                     [&](const auto& dim) { return std::find(dim.begin(), dim.end(), name) != dim.end(); });
}

}  // namespace

std::vector<std::string> mentioned(const ShardMap& p, const DimAxes& spec) {
  std::vector<std::string> out;
  for (const std::string& name : p.axis_names)
    if (has(spec, name)) out.push_back(name);
  return out;
}
std::vector<std::string> unmentioned(const ShardMap& p, const DimAxes& spec) {
  std::vector<std::string> out;
  for (const std::string& name : p.axis_names)
    if (!has(spec, name)) out.push_back(name);
  return out;
}

std::int64_t ways(const Mesh& mesh, const std::vector<std::string>& axes) {
  std::int64_t n = 1;
  for (const std::string& a : axes) n *= mesh.size(a);
  return n;
}

Type local_type(const ShardMap& p, const Type& global, const DimAxes& spec) {
  Type t = global;
  for (std::size_t d = 0; d < spec.size(); ++d) t.shape[static_cast<int>(d)] /= ways(p.mesh, spec[d]);
  if (p.check_vma) {
    std::vector<std::string> names = mentioned(p, spec);
    std::sort(names.begin(), names.end());
    t.varying = merge_names(t.varying, names);
  }
  return t;
}

Type global_type(const ShardMap& p, const Type& local, const DimAxes& spec) {
  Type t = local;
  for (std::size_t d = 0; d < spec.size(); ++d) t.shape[static_cast<int>(d)] *= ways(p.mesh, spec[d]);
  t.varying.clear();
  for (const std::string& name : local.varying)
    if (std::find(p.axis_names.begin(), p.axis_names.end(), name) == p.axis_names.end()) t.varying.push_back(name);
  return t;
}

NamedAxes named_axes(const ShardMap& p) {
  NamedAxes out;
  for (const std::string& name : p.axis_names) out.emplace_back(name, p.mesh.size(name));
  return out;
}

Sharding region_sharding(const ShardMap& p, const DimAxes& spec) {
  std::vector<SpecEntry> entries;
  bool whole =
      static_cast<int>(p.axis_names.size()) == p.mesh.ndim();  // else the other axes may cut what the spec leaves open
  for (const auto& dim : spec)
    entries.push_back(dim.empty()       ? (whole ? SpecEntry(none) : SpecEntry(P::unconstrained))
                      : dim.size() == 1 ? SpecEntry(dim[0])
                                        : SpecEntry(Names(dim)));
  while (!entries.empty() && entries.back().is_none()) entries.pop_back();
  return NamedSharding(p.mesh, PartitionSpec::from(std::move(entries)));
}

constinit const Home shard_map = [] {
  Op op;
  op.name = "shard_map";
  op.role = Role::region;
  op.jvp_together = shard_map_jvp;
  op.split = shard_map_split;
  op.transpose = shard_map_transpose;
  op.batch = shard_map_batch;
  op.binds = [](const Params& p) { return named_axes(p.get<ShardMap>()); };
  op.sites = [](const Params& params) {
    const auto& p = params.get<ShardMap>();
    Sites out;
    for (const DimAxes& spec : p.in_specs) out.operands.push_back(region_sharding(p, spec));
    for (const DimAxes& spec : p.out_specs) out.results.push_back(region_sharding(p, spec));
    return out;
  };
  op.with_consts = [](const Params& params, int, int operands, int) {  // scalars behind the others
    ShardMap p = params.get<ShardMap>();
    p.in_specs.resize(static_cast<std::size_t>(operands));
    return Params(p);
  };
  op.own_weak = true;
  op.without = {{"eval", "regions are opened before anything runs"},
                {"factors", "its specs say how operands and results are cut"},
                {"samples", "a region needs a mesh: tests/collectives, tests/partition/regions_test.cpp"}};
  op.infer = [](const Call& c) {
    const auto& p = c.get<ShardMap>();
    const Program& body = *c.subs.at(0);
    if (c.operands.size() != p.in_specs.size() || body.inputs.size() != p.in_specs.size() ||
        body.outputs.size() != p.out_specs.size())
      throw InternalError("shard_map: " + std::to_string(c.operands.size()) + " operands, a body of " +
                          std::to_string(body.inputs.size()) + " inputs and " + std::to_string(body.outputs.size()) +
                          " outputs, and " + std::to_string(p.in_specs.size()) + " and " +
                          std::to_string(p.out_specs.size()) + " specs");
    for (std::size_t i = 0; i < c.operands.size(); ++i) {
      Type want = local_type(p, c.operands[i], p.in_specs[i]), have = body.types[body.inputs[i]];
      if (want.shape != have.shape || want.dtype != have.dtype)
        throw InternalError("shard_map: input " + std::to_string(i) + " of the body is " + have.str() + " instead of " +
                            want.str());
    }
    std::vector<Type> out;
    for (std::size_t k = 0; k < p.out_specs.size(); ++k)
      out.push_back(global_type(p, body.type(body.outputs[k]), p.out_specs[k]));
    return out;
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
