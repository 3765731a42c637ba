// Shardings of all values: one mesh for all annotations, seeds from what the user wrote, then flow.
#include "propagate/propagate.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/op.hpp"
#include "mesh/checks.hpp"
#include "mesh/mesh_node.hpp"
#include "propagate/flow.hpp"
#include "propagate/sites.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// Every axis gets a name, since collectives name their axes: that of the first mesh whose axis it is, "x.0", "x.1" for
// parts.
Mesh with_names(const Mesh& refined, const std::vector<Mesh>& meshes) {
  if (!is_unnamed(refined)) return refined;
  std::vector<std::string> names(static_cast<std::size_t>(refined.ndim()));
  for (const Mesh& m : meshes) {
    if (is_unnamed(m)) continue;
    std::size_t at = 0;
    for (int axis = 0; axis < m.ndim(); ++axis) {
      std::size_t first = at;
      std::int64_t n = 1;
      while (at < names.size() && n < m.shape()[axis]) n *= refined.shape()[at++];
      for (std::size_t k = first; k < at; ++k)
        names[k] = m.axis_names()[axis] + (at - first > 1 ? "." + std::to_string(k - first) : "");
    }
    break;
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k].empty()) names[k] = "d" + std::to_string(k);
  return intern_mesh(refined.device_list(), refined.shape(), names);
}

// What the user said, each sharding once.
std::vector<Sharding> annotations(const Program& p, const std::vector<Sharding>& inputs) {
  std::vector<Sharding> out;
  std::unordered_set<Sharding> known;
  auto add = [&](const Sharding& s) {
    if (known.insert(s).second) out.push_back(s);
  };
  for (std::size_t i = 0; i < inputs.size() && i < p.inputs.size(); ++i)
    if (inputs[i].has_value()) add(inputs[i]);
  for (const Eqn& e : p.eqns) {
    if (const Sharding* s = constraint_of(e)) add(*s);
    for (const Sharding& s : region_shardings(e)) add(s);
  }
  return out;
}

std::vector<Mesh> meshes_of(const std::vector<Sharding>& said) {
  std::vector<Mesh> out;
  for (const Sharding& s : said)
    if (Mesh m = mesh_of(s); std::find(out.begin(), out.end(), m) == out.end()) out.push_back(m);
  return out;
}

Mesh common_mesh(const std::vector<Mesh>& meshes) {
  Mesh refined;
  for (const Mesh& m : meshes) {
    if (!refined.has_value())
      refined = m;
    else if (std::optional<Mesh> both = common_refinement(refined, m))
      refined = *both;
  }
  return refined.has_value() ? with_names(refined, meshes) : refined;
}

void check_all_devices(const Program& p, const std::vector<Sharding>& inputs) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < inputs.size() && i < p.inputs.size(); ++i)
    placed.push_back({argument_text(std::to_string(i), "the program", p.types[p.inputs[i]]), inputs[i], {}});
  for (Placed& inside : placed_inside(p)) placed.push_back(std::move(inside));
  check_devices(placed);
}

ProgramPtr with_output_constraints(const ProgramPtr& program, const std::vector<Sharding>& outputs) {
  if (std::none_of(outputs.begin(), outputs.end(), [](const Sharding& s) { return s.has_value(); })) return program;
  auto out = std::make_shared<Program>(*program);
  for (std::size_t i = 0; i < outputs.size() && i < out->outputs.size(); ++i) {
    if (!outputs[i].has_value() || out->outputs[i].is_literal()) continue;
    auto v = static_cast<ValueId>(out->types.size());
    out->types.push_back(Type(out->types[out->outputs[i].id]));
    out->eqns.push_back(constraint_eqn(outputs[i], out->outputs[i], v, {}));
    out->outputs[i] = v;
  }
  return out;
}

Layout layout_from(const ValueAxes& place, const Mesh& mesh) {
  Layout out = Layout::replicated(static_cast<int>(place.dims.size()));
  for (std::size_t d = 0; d < place.dims.size(); ++d)
    for (int a : place.dims[d]) out.dims[d].push_back(whole_axis(mesh, a));
  return out;
}

void seed(ShardedProgram& sharded, ValueAxes& place, ValueId v, const Sharding& s, const Origin& origin) {
  std::optional<Layout> layout = whole_axis_layout(s, static_cast<int>(place.dims.size()), sharded.mesh);
  for (std::size_t d = 0; d < place.dims.size(); ++d) {
    bool open = s.kind() == Sharding::Kind::named && d < s.spec().size() && s.spec()[d].is_unconstrained();
    if (open) continue;
    place.closed[d] = 1;
    if (!layout) continue;
    for (const AxisRef& ref : layout->dims[d]) {
      place.dims[d].push_back(ref.axis);
      sharded.origins[{v, static_cast<int>(d), ref.axis}] = origin;
    }
  }
}

// Cuts open dims that nobody has cut yet as `s` does.
void wish(ShardedProgram& sharded, ValueAxes& place, ValueId v, const Sharding& s, const Origin& origin) {
  bool untouched = std::all_of(place.dims.begin(), place.dims.end(), [](const auto& axes) { return axes.empty(); }) &&
                   std::none_of(place.closed.begin(), place.closed.end(), [](char c) { return c; });
  if (!untouched) return;
  seed(sharded, place, v, s, origin);
  std::fill(place.closed.begin(), place.closed.end(), 0);
}

// Places as they are before anything flows. Constraints from Eqn `first_output` on are wanted shardings of outputs.
std::vector<ValueAxes> seeds(ShardedProgram& out, const std::vector<Sharding>& inputs, std::size_t first_output) {
  const Program& p = *out.program;
  std::vector<ValueAxes> places(p.types.size());
  for (std::size_t v = 0; v < p.types.size(); ++v) {
    places[v].dims.resize(static_cast<std::size_t>(p.types[v].ndim()));
    places[v].closed.resize(places[v].dims.size(), 0);
  }
  if (!out.mesh.has_value()) return places;
  for (std::size_t i = 0; i < inputs.size() && i < p.inputs.size(); ++i)
    if (inputs[i].has_value())
      seed(out, places[p.inputs[i]], p.inputs[i], inputs[i], {Origin::Kind::input, static_cast<int>(i), {}, -1, -1});
  for (std::size_t i = 0; i < p.eqns.size(); ++i) {
    const Eqn& e = p.eqns[i];
    std::vector<Sharding> region = region_shardings(e);
    for (std::size_t k = 0; k < region.size(); ++k) {
      bool operand = k < e.operands.size();
      if (operand && e.operands[k].is_literal()) continue;
      ValueId v = operand ? e.operands[k].id : e.results[k - e.operands.size()];
      Origin origin{Origin::Kind::region, static_cast<int>(i), e.loc, -1, -1};
      // A region's results are as it says; its operands better come so, but need not.
      if (!operand)
        seed(out, places[v], v, region[k], origin);
      else
        wish(out, places[v], v, region[k], origin);
    }
    const Sharding* s = constraint_of(e);
    if (!s) continue;
    bool output = i >= first_output;
    auto kind = output ? Origin::Kind::output : Origin::Kind::constraint;
    seed(out, places[e.results[0]], e.results[0], *s,
         {kind, static_cast<int>(output ? i - first_output : i), e.loc, -1, -1});
  }
  return places;
}

// The face of a layout: on the mesh of the first committed input (else constraint) whose axes can express it. There
// are several ways to say one placement (trailing `none`, axes of size 1, grids of devices): one that the caller uses
// comes back, else the shortest.
class Faces {
 public:
  Faces(const Mesh& mesh, const std::vector<Mesh>& meshes, const std::vector<Sharding>& said)
      : mesh_(mesh), meshes_(meshes), said_(said) {}

  Sharding of(const Layout& layout) {
    if (!mesh_.has_value()) return {};
    auto [it, fresh] = known_.try_emplace(layout);
    if (fresh) it->second = as_said(sharding_from_layout(mesh_, layout, meshes_), layout.ndim());
    return it->second;
  }

 private:
  Sharding as_said(const Sharding& face, int ndim) const {
    for (const Sharding& s : said_) {
      if (s.kind() != face.kind() || mesh_of(s) != mesh_of(face) || !fits_rank(s, ndim) || !is_constrained(s)) continue;
      if (s.is_equivalent_to(face, ndim)) return s;
    }
    return face;
  }

  const Mesh& mesh_;
  const std::vector<Mesh>& meshes_;
  const std::vector<Sharding>& said_;
  std::unordered_map<Layout, Sharding> known_;
};

}  // namespace

std::optional<Layout> whole_axis_layout(const Sharding& s, int ndim, const Mesh& mesh) {
  std::optional<Layout> layout = layout_of(s, ndim, mesh);
  if (!layout) return std::nullopt;
  Layout out = Layout::replicated(ndim);
  for (int d = 0; d < ndim; ++d)
    for (const AxisRef& ref : layout->dims[d]) {
      // A run of neighbouring axes may have been merged into nothing smaller than one of them; parts cannot be said.
      if (ref != whole_axis(mesh, ref.axis)) return std::nullopt;
      out.dims[d].push_back(ref);
    }
  return out;
}

ShardedProgram propagate(const ProgramPtr& given, const std::vector<Sharding>& inputs,
                         const std::vector<Sharding>& outputs) {
  ShardedProgram out;
  ProgramPtr body = inlined(given);
  const std::vector<Inspected> inspected = inspected_values(*body);
  body = without_inspections(body);
  out.program = with_output_constraints(body, outputs);
  const Program& p = *out.program;
  check_all_devices(p, inputs);

  const std::vector<Sharding> said = annotations(p, inputs);
  const std::vector<Mesh> meshes = meshes_of(said);
  out.mesh = common_mesh(meshes);
  std::vector<ValueAxes> places = seeds(out, inputs, body->eqns.size());
  if (out.mesh.has_value()) flow(out, places);
  for (const ValueAxes& place : places) out.layouts.push_back(layout_from(place, out.mesh));

  Faces faces(out.mesh, meshes, said);
  auto layout_of_atom = [&](const Atom& a) { return a.is_literal() ? Layout::replicated(0) : out.layouts[a.id]; };
  for (const Inspected& i : inspected)
    out.inspections.push_back({i.params, p.type(i.value).shape, faces.of(layout_of_atom(i.value))});
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    out.outputs.push_back(layout_of_atom(p.outputs[i]));
    const bool wanted = i < outputs.size() && outputs[i].has_value() && is_constrained(outputs[i]);
    out.output_shardings.push_back(wanted ? outputs[i] : faces.of(out.outputs[i]));
  }
  return out;
}

std::string ShardedProgram::origin_text(ValueId value, int dim, int axis) const {
  auto it = origins.find({value, dim, axis});
  if (it == origins.end()) return "";
  const Origin& o = it->second;
  std::string at = o.loc ? " at " + o.loc.str() : "";
  switch (o.kind) {
    case Origin::Kind::input: {
      bool named =
          static_cast<std::size_t>(o.index) < program->input_names.size() && !program->input_names[o.index].empty();
      return "input " + std::to_string(o.index) + (named ? " (" + program->input_names[o.index] + ")" : "");
    }
    case Origin::Kind::constraint: return "the constraint" + at;
    case Origin::Kind::output: return "the wanted sharding of output " + std::to_string(o.index);
    case Origin::Kind::region: return "the manual region" + at;
  }
  return "";
}

std::string str(const ShardedProgram& s) {
  std::string out = str(*s.program);
  out += "layouts on " + (s.mesh.has_value() ? s.mesh.str() : std::string("one device")) + "\n";
  if (!s.mesh.has_value()) return out;
  for (std::size_t v = 0; v < s.layouts.size(); ++v)
    out += "  %" + std::to_string(v) + ":" + s.program->types[v].str() + "  " + str(s.layouts[v], s.mesh) + "\n";
  return out;
}

}  // namespace tutti
