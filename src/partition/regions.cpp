#include "partition/regions.hpp"

#include <algorithm>
#include <map>

#include "ir/rewrite.hpp"
#include "mesh/mesh_node.hpp"
#include "ops/collective/collective.hpp"
#include "partition/local_program.hpp"
#include "partition/manual_regions.hpp"
#include "propagate/sharded_program.hpp"
#include "regions/shard_map.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

using Renaming = std::map<std::string, Group>;

// Each axis of the region's mesh as axes of `mesh`, major first.
Renaming renaming(const ops::ShardMap& p, const Mesh& mesh) {
  Renaming out;
  for (const std::string& name : p.axis_names) {
    Layout one = Layout::replicated(1);
    int axis = p.mesh.axis_index(name);
    one.dims[0] = {whole_axis(p.mesh, axis)};
    std::optional<Layout> there = translate(canonical(one), p.mesh, mesh);
    Group& to = out[name];
    if (!there) continue;
    for (const AxisRef& ref : there->dims[0]) {
      to.axes.push_back(mesh.axis_names()[ref.axis]);
      to.sizes.push_back(ref.size);
    }
  }
  return out;
}

Params renamed(const Eqn& e, const Renaming& to) {
  if (!e.op->collective) return e.params;
  const Group& from = e.op->collective->group(e.params);
  Group out;
  for (std::size_t i = 0; i < from.axes.size(); ++i) {
    auto at = to.find(from.axes[i]);
    Group axes = at == to.end() ? Group{{from.axes[i]}, {from.sizes[i]}} : at->second;
    out.axes.insert(out.axes.end(), axes.axes.begin(), axes.axes.end());
    out.sizes.insert(out.sizes.end(), axes.sizes.begin(), axes.sizes.end());
  }
  return e.op->collective->over(e.params, std::move(out));
}

// About variance and axes that are not manual: nothing to do.
bool says_nothing(const Eqn& e) { return e.op == &ops::pvary || e.op->role == Role::constraint; }

// The body of a loop or branch as a device runs it.
ProgramPtr on_device(const ProgramPtr& body, const Renaming& to) {
  Program out = *without_identities(body, says_nothing);
  for (Type& t : out.types) t.varying.clear();
  for (Eqn& e : out.eqns) {
    e.params = renamed(e, to);
    for (ProgramPtr& sub : e.subs) sub = on_device(sub, to);
  }
  return std::make_shared<Program>(std::move(out));
}

// Shows what is sent in a body, in the order of its Eqns.
void see(const Program& body, const OnCollective& on_collective) {
  for (const Eqn& e : body.eqns) {
    if (sends(e) && !e.operands.empty()) on_collective(e, e.params, body.type(e.operands[0]), {});
    for (std::size_t s = 0; s < e.subs.size(); ++s)
      see(*e.subs[s], [&](const Eqn& inner, const Params& params, const Type& operand, Surroundings around) {
        around.within(e, static_cast<int>(s));
        on_collective(inner, params, operand, around);
      });
  }
}

Layout region_layout(const Eqn& e, const ops::ShardMap& p, const ops::DimAxes& spec, const Type& type,
                     const Mesh& mesh) {
  std::optional<Layout> layout = whole_axis_layout(ops::region_sharding(p, spec), type.ndim(), mesh);
  if (!layout)
    raise<UnsupportedError>("shard_map",
                            "its mesh " + p.mesh.str() + " and the program's mesh " + mesh.str() +
                                " have no common axes, so it cannot run on devices of its own",
                            "Use meshes of the same sizes.", e.loc);
  return canonical(*layout);
}

// Whether what a process holds of every operand and result lies side by side: no dim is cut first over an axis within
// processes, then over one across them. Else each process runs the whole region.
bool lies_side_by_side(const Eqn& e, const Places& places) {
  const auto& p = e.params.get<ops::ShardMap>();
  const Renaming names = renaming(p, places.devices);
  for (const auto* specs : {&p.in_specs, &p.out_specs})
    for (const ops::DimAxes& spec : *specs)
      for (const std::vector<std::string>& dim : spec) {
        bool within = false;
        for (const std::string& name : dim)
          for (const std::string& axis : names.at(name).axes) {
            const bool across = places.across[places.devices.axis_index(axis)] >= 0;
            if (within && across) return false;
            within = within || !across;
          }
      }
  return true;
}

// The region over the axes that lie within processes, on what a process holds: its own body, in which collectives name
// axes of `places.devices`.
ProgramPtr within_places(const Eqn& e, const Places& places, const std::vector<Array>& blocks) {
  const auto& p = e.params.get<ops::ShardMap>();
  const Renaming names = renaming(p, places.devices);
  const bool whole = !lies_side_by_side(e, places);
  auto lies_within = [&](const std::string& axis) {
    return whole || places.across[places.devices.axis_index(axis)] < 0;
  };
  auto inner = [&](const std::vector<ops::DimAxes>& specs) {
    std::vector<ops::DimAxes> out;
    for (const ops::DimAxes& spec : specs) {
      ops::DimAxes& dims = out.emplace_back(spec.size());
      for (std::size_t d = 0; d < spec.size(); ++d)
        for (const std::string& name : spec[d])
          for (const std::string& axis : names.at(name).axes)
            if (lies_within(axis)) dims[d].push_back(axis);
    }
    return out;
  };
  ops::ShardMap q{places.devices, inner(p.in_specs), inner(p.out_specs), false, {}};
  for (const std::string& axis : places.devices.axis_names())
    for (const auto& [name, group] : names)
      if (std::find(group.axes.begin(), group.axes.end(), axis) != group.axes.end() && lies_within(axis))
        q.axis_names.push_back(axis);
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, "shard_map", e.loc);
  std::vector<Array> inputs;
  for (const Array& x : blocks) inputs.push_back(trace->input(x.type(), ""));
  TraceScope scope(trace);
  std::vector<Array> results = bind(*e.op, q, inputs, {on_device(e.subs.at(0), names)});
  return open_manual_regions(trace->close(results).program);
}

}  // namespace

Candidate region_candidate(const Eqn& e, const Program& program, const Around& around, const AxisRefs& boundary) {
  const auto& p = e.params.get<ops::ShardMap>();
  const Mesh& mesh = around.mesh;
  if (around.places) {
    Candidate c;
    c.params = e.params;
    const bool cut = lies_side_by_side(e, *around.places);
    auto layout = [&](const ops::DimAxes& spec, const Type& type) {
      if (!cut) return Layout::replicated(type.ndim());
      return around.places->between(region_layout(e, p, spec, type, around.places->devices));
    };
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      c.operands.push_back(layout(p.in_specs[i], program.type(e.operands[i])));
    for (std::size_t k = 0; k < e.results.size(); ++k)
      c.results.push_back(layout(p.out_specs[k], program.types[e.results[k]]));
    return c;
  }
  for (const auto& [name, to] : renaming(p, mesh))
    for (const std::string& axis : to.axes)
      if (std::none_of(boundary.begin(), boundary.end(),
                       [&](const AxisRef& b) { return mesh.axis_names()[b.axis] == axis; }) &&
          mesh.size(axis) > 1)
        raise<UnsupportedError>("shard_map", "axis '" + name + "' is inside one address space while others are not",
                                "Partition over all axes, or over none.");
  Candidate c;
  c.params = e.params;
  for (std::size_t i = 0; i < e.operands.size(); ++i)
    c.operands.push_back(region_layout(e, p, p.in_specs[i], program.type(e.operands[i]), mesh));
  for (std::size_t k = 0; k < e.results.size(); ++k)
    c.results.push_back(region_layout(e, p, p.out_specs[k], program.types[e.results[k]], mesh));
  return c;
}

std::vector<Array> inline_region(const Eqn& eqn, const Around& around, std::vector<Array> blocks,
                                 const std::vector<bool>& live, const OnCollective& on_collective) {
  Renaming names;
  if (!around.places) names = renaming(eqn.params.get<ops::ShardMap>(), around.mesh);
  // Without the results that nobody reads, so that no dead collective is counted.
  Program body = around.places ? *within_places(eqn, *around.places, blocks) : *eqn.subs.at(0);
  std::vector<Atom> kept;
  for (std::size_t k = 0; k < body.outputs.size(); ++k)
    if (live[k]) kept.push_back(body.outputs[k]);
  body.outputs = kept;
  body = without_dead_code(std::move(body));

  Environment<Array> env(body, blocks, literal_array);
  std::vector<Array> kept_results = replay(body, env, [&](const Eqn& e, std::vector<Array> operands) {
    if (says_nothing(e)) return operands;
    if (e.op == eqn.op)
      raise<UnsupportedError>("shard_map",
                              "it stands in another shard_map or pmap, at " + eqn.loc.str() +
                                  ", and the devices of both have memories of their own",
                              "Write one region over the axes of both.", e.loc);
    Params params = renamed(e, names);
    if (sends(e) && !operands.empty()) on_collective(e, params, operands[0].type(), {});
    std::vector<ProgramPtr> subs;
    for (std::size_t s = 0; s < e.subs.size(); ++s) {
      subs.push_back(on_device(e.subs[s], names));
      see(*subs[s], [&](const Eqn& inner, const Params& p, const Type& operand, Surroundings around) {
        around.within(e, static_cast<int>(s));
        on_collective(inner, p, operand, around);
      });
    }
    return bind(*e.op, std::move(params), std::move(operands), std::move(subs));
  });
  std::vector<Array> out(live.size());
  for (std::size_t k = 0, at = 0; k < live.size(); ++k)
    if (live[k]) out[k] = kept_results[at++];
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
