// A call of shard_map: specs are checked, the function is recorded on local types, and the region becomes one Eqn.
#include <algorithm>

#include "mesh/text.hpp"
#include "ops/shard_map.hpp"
#include "ops/sharding_constraint.hpp"
#include "transform/call.hpp"
#include "transform/shard_map_rules.hpp"
#include "transform/variance.hpp"
#include "tutti/shard_map.hpp"

namespace tutti::detail {
namespace {

using ops::DimAxes;
using ops::ShardMap;

bool contains(const std::vector<std::string>& names, const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); }

std::vector<std::string> manual_axes(const ShardMapOptions& o, Loc made) {
  if (!o.mesh.has_value()) throw ValueError("shard_map: there is no mesh" + at(made) + "\n  Give one: {.mesh = make_mesh({8}, \"x\"), ...}.");
  for (const std::string& name : o.axis_names)
    if (o.mesh.axis_index(name) < 0) throw ShardingError("shard_map: axis_names has " + text::quoted(name) + ", and the axes of the mesh are " + text::names(o.mesh.axis_names()) + at(made));
  std::vector<std::string> out;
  for (const std::string& name : o.mesh.axis_names())
    if (o.axis_names.empty() || contains(o.axis_names.list(), name)) out.push_back(name);
  return out;
}

// The spec of one array as axes per dim. `what`: "in_specs", `name`: "arg0.weight".
DimAxes dim_axes(const ShardMap& p, const PartitionSpec& spec, const Type& type, const char* what, const std::string& name, Loc made) {
  std::string entry = std::string("shard_map: the ") + what + " entry " + spec.str() + " for " + name;
  if (static_cast<int>(spec.size()) > type.ndim()) {
    std::string remedy = type.ndim() > 0 ? "Make the spec shorter, or give the array more dims."
                         : std::string(what) == "in_specs" ? "For a scalar use P()."
                                                           : "For a scalar use P(); if it differs between devices, return x.reshape(1) to have them side by side.";
    throw ShardingError(entry + " has length " + std::to_string(spec.size()) + ", and its type is " + type.str() + ", of rank " + std::to_string(type.ndim()) + at(made) + "\n  " + remedy);
  }
  DimAxes out(static_cast<std::size_t>(type.ndim()));
  std::vector<std::string> seen;
  for (std::size_t d = 0; d < spec.size(); ++d) {
    if (spec[d].is_unconstrained()) throw ShardingError(entry + " leaves dim " + std::to_string(d) + " unconstrained; that is for with_sharding_constraint only" + at(made));
    for (const std::string& axis : spec[d].names()) {
      if (p.mesh.axis_index(axis) < 0) throw ShardingError(entry + " names " + text::quoted(axis) + ", and the axes of the mesh are " + text::names(p.mesh.axis_names()) + at(made));
      if (!contains(p.axis_names, axis))
        throw ShardingError(entry + " names " + text::quoted(axis) + ", which is not manual: axis_names are " + text::names(p.axis_names) + at(made) + "\n  Add it to axis_names.");
      if (contains(seen, axis)) throw ShardingError(entry + " names " + text::quoted(axis) + " twice" + at(made) + "\n  An axis cuts at most one dim.");
      seen.push_back(axis);
    }
    out[d] = spec[d].names();
  }
  return out;
}

// A line per dim that does not divide.
std::string indivisible(const ShardMap& p, const DimAxes& spec, const Type& type, const PartitionSpec& written, const std::string& name) {
  std::string out;
  for (std::size_t d = 0; d < spec.size(); ++d) {
    std::int64_t n = ops::ways(p.mesh, spec[d]), extent = type.shape[static_cast<int>(d)];
    if (extent % n == 0) continue;
    std::string axes = spec[d].size() == 1 ? "axis " + text::quoted(spec[d][0]) : "axes " + text::names(spec[d]);
    out += "\n  " + name + " of type " + type.str() + " with spec " + written.str() + ": dim " + std::to_string(d) + " of size " + std::to_string(extent) + " over mesh " + axes +
           " of size " + std::to_string(n);
  }
  return out;
}

std::string result_name(const tree::Path& path) { return "the result" + (path.empty() ? "" : " " + path.str()); }

void check_list(const TreeOf<PartitionSpec>& specs, std::size_t count, const char* what, const char* of, Loc made) {
  if (specs.is_open()) throw ValueError(std::string("shard_map: ") + what + " is missing" + at(made) + "\n  Use P() for what is whole on every device.");
  if (specs.kind() == TreeOf<PartitionSpec>::Kind::list && specs.list().size() != count)
    throw ValueError(std::string("shard_map: ") + what + " has " + std::to_string(specs.list().size()) + " entries for " + std::to_string(count) + " " + of + at(made) +
                     "\n  Give one spec for all, or one entry each.");
}

// The entries of a tuple-like result, counted by its leaves' paths; 0: it is none.
std::size_t num_results(const std::vector<tree::Path>& paths) {
  std::size_t n = 0;
  for (const tree::Path& path : paths) {
    if (path.empty() || !path.keys()[0].is_index()) return 0;
    n = std::max(n, static_cast<std::size_t>(path.keys()[0].index) + 1);
  }
  return n;
}

void check_no_constraint(const ShardMap& p, const Program& body) {
  for (const Eqn& e : body.eqns) {
    if (e.op == &ops::sharding_constraint) {
      const Sharding& s = e.params.get<ops::Constrain>().sharding;
      if (s.kind() != Sharding::Kind::named) continue;
      for (const SpecEntry& entry : s.spec())
        for (const std::string& axis : entry.names())
          if (contains(p.axis_names, axis))
            throw ShardingError("shard_map: a sharding constraint inside the function names the axis " + text::quoted(axis) + ", over which the function already sees one block" + at(e.loc) +
                                "\n  Constrain arrays outside of shard_map, or leave the axis out of axis_names.");
    }
    for (const ProgramPtr& sub : e.subs) check_no_constraint(p, *sub);
  }
}

}  // namespace

std::vector<Array> shard_map_call(const CallArrays& args, const ShardMapOptions& options, const Body& body, Loc made) {
  register_shard_map_rules();
  ShardMap p;
  p.mesh = options.mesh;
  p.check_vma = options.check_vma;
  p.axis_names = manual_axes(options, made);
  if (!args.counts.empty()) check_list(options.in_specs, args.counts.size(), "in_specs", "arguments", made);
  auto paths = args.paths();
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, "shard_map", made);
  trace->axes = ops::named_axes(p);
  if (p.check_vma) trace->typed_axes = p.axis_names;
  std::vector<Array> given;
  std::string wrong;
  for (std::size_t i = 0; i < args.leaves.size(); ++i) {
    std::string name = leaf_name(paths[i]);
    std::optional<PartitionSpec> spec = options.in_specs.at(paths[i].first, paths[i].second, args.leaves[i]);
    if (!spec) throw ValueError("shard_map: in_specs has nothing for " + name + at(made) + "\n  Use P() for what is whole on every device.");
    const Type& type = args.leaves[i].type();
    p.in_specs.push_back(dim_axes(p, *spec, type, "in_specs", name, made));
    wrong += indivisible(p, p.in_specs.back(), type, *spec, name);
  }
  if (!wrong.empty())
    throw ShardingError("shard_map: the mesh " + p.mesh.shape().str() + " with axes " + text::names(p.mesh.axis_names()) + " does not divide all arguments:" + wrong + at(made) +
                        "\n  Pad these dims to multiples, or use a spec that does not cut them.");
  for (std::size_t i = 0; i < args.leaves.size(); ++i) given.push_back(trace->input(ops::local_type(p, args.leaves[i].type(), p.in_specs[i])));
  Traced traced;
  BodyResult result;
  {
    TraceScope inside(trace);
    result = body(given);
    traced = trace->close(result.leaves);
  }
  check_no_constraint(p, *traced.program);
  std::vector<Array> operands = args.leaves;
  for (const Array& x : traced.captured) {
    operands.push_back(x);
    p.in_specs.emplace_back(static_cast<std::size_t>(x.ndim()));   // whole on every device
  }

  std::vector<tree::Path> outs = result.paths();
  std::size_t tuple = num_results(outs);
  if (!outs.empty()) check_list(options.out_specs, std::max<std::size_t>(tuple, 1), "out_specs", "results", made);
  for (std::size_t k = 0; k < outs.size(); ++k) {
    const Type type = traced.program->type(traced.program->outputs[k]);
    std::optional<PartitionSpec> spec = options.out_specs.at(-1, outs[k], result.leaves[k]);
    if (!spec) throw ValueError("shard_map: out_specs has nothing for " + result_name(outs[k]) + at(made) + "\n  Use P() for what is equal on every device.");
    p.out_specs.push_back(dim_axes(p, *spec, type, "out_specs", result_name(outs[k]), made));
    if (!p.check_vma) continue;
    std::vector<std::string> varies;
    for (const std::string& axis : ops::unmentioned(p, p.out_specs.back()))
      if (contains(type.varying, axis)) varies.push_back(axis);
    if (!varies.empty())
      throw ShardingError("shard_map: out_specs says " + spec->str() + " for " + result_name(outs[k]) + " of local type " + type.str() + ", that is: equal along " +
                          text::names(varies) + "; but it may differ from device to device there" + at(made) + "\n  Mention " + text::names(varies) +
                          " in the spec, make it equal with lax::psum or lax::pmean, or switch the check off with check_vma = false.");
  }
  LocScope scope(made);
  return bind(ops::shard_map, p, operands, {traced.program});
}

}  // namespace tutti::detail
