#include "frontend/region.hpp"

#include <algorithm>
#include <utility>

#include "base/per_thread.hpp"
#include "frontend/call.hpp"
#include "mesh/text.hpp"
#include "transform/variance.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::detail {
namespace {

using ops::ShardMap;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_no_constraint(const RegionCall& call, const Program& body) {
  for (const Eqn& e : body.eqns) {
    if (e.op->role == Role::constraint) {
      const Sharding s = e.op->sites(e.params).results[0];
      if (s.kind() != Sharding::Kind::named) continue;
      for (const SpecEntry& entry : s.spec())
        for (const std::string& axis : entry.names())
          if (contains(call.params.axis_names, axis))
            raise<ShardingError>(call.what,
                                 "a sharding constraint inside the function names the axis " + text::quoted(axis) +
                                     ", over which the function already sees one block",
                                 "Constrain arrays outside of the function, or leave the axis out of axis_names.",
                                 e.loc);
    }
    for (const ProgramPtr& sub : e.subs) check_no_constraint(call, *sub);
  }
}

std::vector<AxisNames> sorted_axes(const ShardMap& p) {
  std::vector<AxisNames> out;
  for (const ops::DimAxes& spec : p.in_specs) {
    out.push_back(ops::mentioned(p, spec));
    std::sort(out.back().begin(), out.back().end());
  }
  return out;
}

}  // namespace

namespace {

struct InnermostRegion {
  Mesh mesh;
};

// While one lives, the body of a region on this mesh is being recorded.
class RegionMesh {
 public:
  explicit RegionMesh(Mesh mesh) : around_(std::exchange(per_thread<InnermostRegion>().mesh, std::move(mesh))) {}
  ~RegionMesh() { per_thread<InnermostRegion>().mesh = std::move(around_); }
  RegionMesh(const RegionMesh&) = delete;

 private:
  Mesh around_;
};

}  // namespace

Mesh region_mesh() { return per_thread<InnermostRegion>().mesh; }

std::string mesh_text(const Mesh& mesh) {
  return "the mesh " + mesh.shape().str() + " with axes " + text::names(mesh.axis_names());
}
std::string result_name(const tree::Path& path) { return "the result" + (path.empty() ? "" : " " + path.str()); }

ops::DimAxes dim_axes(const RegionCall& call, const PartitionSpec& spec, const Type& type, const char* specs,
                      const std::string& name) {
  const ShardMap& p = call.params;
  const std::string entry =
      "the " + std::string(specs) + " entry " + spec.str() + " for " + name + " of type " + type.str();
  auto refuse = [&](const std::string& why, const std::string& advice) {
    raise<ShardingError>(call.what, entry + why, advice, call.made);
  };
  if (static_cast<int>(spec.size()) > type.ndim()) {
    std::string remedy =
        type.ndim() > 0 ? "Make the spec shorter, or give the array more dims."
        : std::string(specs) == "in_specs"
            ? "For a scalar use P()."
            : "For a scalar use P(); if it differs between devices, return x.reshape(1) to have them side by side.";
    refuse(" has length " + std::to_string(spec.size()) + ", and the array is of rank " + std::to_string(type.ndim()),
           remedy);
  }
  ops::DimAxes out(static_cast<std::size_t>(type.ndim()));
  std::vector<std::string> seen;
  for (std::size_t d = 0; d < spec.size(); ++d) {
    if (spec[d].is_unconstrained())
      refuse(" leaves dim " + std::to_string(d) + " unconstrained",
             "That is for with_sharding_constraint only; use none.");
    for (const std::string& axis : spec[d].names()) {
      const std::string named = " names " + text::quoted(axis);
      if (p.mesh.axis_index(axis) < 0)
        refuse(named + ", which is no axis of " + mesh_text(p.mesh), "Name one of its axes, or none.");
      if (!contains(p.axis_names, axis))
        refuse(named + ", which is not manual: axis_names are " + text::names(p.axis_names), "Add it to axis_names.");
      if (contains(seen, axis)) refuse(named + " twice", "Leave one out: an axis cuts at most one dim.");
      seen.push_back(axis);
    }
    out[d] = spec[d].names();
  }
  return out;
}

namespace {

void refuse_bound_axes(const RegionCall& call) {
  for (const std::string& name : call.params.axis_names)
    if (axis_is_bound(name))
      raise<ValueError>(
          call.what,
          "the axis " + text::quoted(name) + " is bound already by a vmap, pmap or shard_map around this call",
          "Give one of them another axis name.", call.made);
}

// The body on blocks: what it gave, and its Program.
struct RecordedBody {
  BodyResult result;
  Traced traced;
};
RecordedBody record_body(const RegionCall& call, const Body& body) {
  const ShardMap& p = call.params;
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, call.what, call.made);
  trace->axes = ops::named_axes(p);
  if (p.check_vma) trace->typed_axes = p.axis_names;
  std::vector<Array> given;
  for (std::size_t i = 0; i < call.leaves.size(); ++i)
    given.push_back(trace->input(ops::local_type(p, call.leaves[i].type(), p.in_specs[i])));
  TraceScope inside(trace);
  const RegionMesh on(p.mesh);
  BodyResult result = body(given);
  Traced traced = trace->close(result.leaves);
  return {std::move(result), std::move(traced)};
}

// The manual axes over which a result with this spec would have to be equal, and may differ.
std::vector<std::string> broken_promises(const ShardMap& p, const ops::DimAxes& spec, const AxisNames& variance) {
  std::vector<std::string> out;
  for (const std::string& axis : ops::unmentioned(p, spec))
    if (contains(variance, axis)) out.push_back(axis);
  return out;
}

[[noreturn]] void refuse_promise(const RegionCall& call, const PartitionSpec& spec, const Type& type,
                                 const tree::Path& path, const std::vector<std::string>& varies) {
  const std::string axes = text::names(varies);
  if (!call.params.check_vma)
    raise<ValueError>(call.what,
                      "out_axes is none for " + result_name(path) + " of type " + type.str() +
                          ", but it may differ from device to device along " + axes,
                      "Make it equal with lax::psum or lax::pmean, or give it an axis.", call.made);
  raise<ShardingError>(
      call.what,
      "out_specs says " + spec.str() + " for " + result_name(path) + " of local type " + type.str() +
          ", that is: equal along " + axes + "; but it may differ from device to device of " +
          mesh_text(call.params.mesh) + " there",
      "Mention " + axes +
          " in the spec, make it equal with lax::psum or lax::pmean, or switch the check off with check_vma = false.",
      call.made);
}

// Asks for the spec of each result and checks what it promises.
std::vector<ops::DimAxes> specs_of_results(const RegionCall& call, const RecordedBody& recorded) {
  const Program& program = *recorded.traced.program;
  const std::vector<tree::Path> paths = recorded.result.paths();
  const std::vector<AxisNames> variance = output_variance(program, sorted_axes(call.params));
  std::vector<ops::DimAxes> out;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const Type type = program.type(program.outputs[k]);
    const PartitionSpec spec = call.out_spec(k, paths, recorded.result.leaves[k]);
    out.push_back(dim_axes(call, spec, type, "out_specs", result_name(paths[k])));
    if (!call.promises_checked) continue;
    auto varies = broken_promises(call.params, out.back(), call.params.check_vma ? type.varying : variance[k]);
    if (!varies.empty()) refuse_promise(call, spec, type, paths[k], varies);
  }
  return out;
}

}  // namespace

std::vector<Array> bind_region(RegionCall call, const Body& body) {
  refuse_bound_axes(call);
  RecordedBody recorded = record_body(call, body);
  check_no_constraint(call, *recorded.traced.program);
  std::vector<Array> operands = call.leaves;
  for (const Array& x : recorded.traced.captured) {
    operands.push_back(x);
    call.params.in_specs.emplace_back(static_cast<std::size_t>(x.ndim()));  // whole on every device
  }
  call.params.out_specs = specs_of_results(call, recorded);
  CallScope scope(call.made, Loc{"", call.what});
  return bind(ops::shard_map, call.params, operands, {recorded.traced.program});
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
