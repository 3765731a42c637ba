// Shardings of all values: one mesh for all annotations, seeds from what the user wrote, then flow.
#include "propagate/propagate.hpp"

#include <algorithm>

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

struct Annotation {
  Sharding sharding;
  int ndim;
};

std::vector<Annotation> annotations(const Program& p, const std::vector<Sharding>& inputs) {
  std::vector<Annotation> out;
  for (std::size_t i = 0; i < inputs.size() && i < p.inputs.size(); ++i)
    if (inputs[i].has_value()) out.push_back({inputs[i], p.types[p.inputs[i]].ndim()});
  for (const Eqn& e : p.eqns) {
    if (const Sharding* s = constraint_of(e)) out.push_back({*s, p.types[e.results[0]].ndim()});
    for (const Sharding& s : region_shardings(e)) out.push_back({s, 0});
  }
  return out;
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
  std::vector<Inspected> inspected = inspected_values(*body);
  body = without_inspections(body);
  std::size_t first_output_constraint = body->eqns.size();
  out.program = with_output_constraints(body, outputs);
  const Program& p = *out.program;

  std::vector<Placed> placed;
  for (std::size_t i = 0; i < inputs.size() && i < p.inputs.size(); ++i)
    placed.push_back({argument_text(std::to_string(i), "the program", p.types[p.inputs[i]]), inputs[i], {}});
  for (Placed& inside : placed_inside(p)) placed.push_back(std::move(inside));
  check_devices(placed);

  std::vector<Mesh> meshes;
  for (const Annotation& a : annotations(p, inputs)) {
    Mesh m = mesh_of(a.sharding);
    if (std::find(meshes.begin(), meshes.end(), m) == meshes.end()) meshes.push_back(m);
  }
  Mesh refined;
  for (const Mesh& m : meshes) {
    if (!refined.has_value())
      refined = m;
    else if (std::optional<Mesh> both = common_refinement(refined, m))
      refined = *both;
  }
  if (refined.has_value()) out.mesh = with_names(refined, meshes);

  std::vector<ValueAxes> places(p.types.size());
  for (std::size_t v = 0; v < p.types.size(); ++v) {
    places[v].dims.resize(static_cast<std::size_t>(p.types[v].ndim()));
    places[v].closed.resize(places[v].dims.size(), 0);
  }
  if (out.mesh.has_value()) {
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
      bool output = i >= first_output_constraint;
      auto kind = output ? Origin::Kind::output : Origin::Kind::constraint;
      seed(out, places[e.results[0]], e.results[0], *s,
           {kind, static_cast<int>(output ? i - first_output_constraint : i), e.loc, -1, -1});
    }
    flow(out, places);
  }
  for (std::size_t v = 0; v < places.size(); ++v) out.layouts.push_back(layout_from(places[v], out.mesh));

  // The face of a value: on the mesh of the first committed input (else constraint) whose axes can express it. There
  // are several ways to say one placement (trailing `none`, axes of size 1, grids of devices): one that the caller uses
  // comes back, else the shortest.
  const std::vector<Annotation> said = annotations(p, inputs);
  auto as_said = [&](const Sharding& face, int ndim) {
    for (const Annotation& a : said) {
      const Sharding& s = a.sharding;
      if (s.kind() != face.kind() || mesh_of(s) != mesh_of(face) || !fits_rank(s, ndim)) continue;
      if (!is_constrained(s)) continue;
      if (s.is_equivalent_to(face, ndim)) return s;
    }
    return face;
  };
  auto face_of = [&](const Layout& layout) {
    return out.mesh.has_value() ? as_said(sharding_from_layout(out.mesh, layout, meshes), layout.ndim()) : Sharding();
  };
  for (const Inspected& i : inspected) {
    Type type = p.type(i.value);
    out.inspections.push_back(
        {i.params, type.shape, face_of(i.value.is_literal() ? Layout::replicated(0) : out.layouts[i.value.id])});
  }
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    const Atom& a = p.outputs[i];
    out.outputs.push_back(a.is_literal() ? Layout::replicated(0) : out.layouts[a.id]);
    Sharding face;
    if (i < outputs.size() && outputs[i].has_value() && is_constrained(outputs[i])) {
      face = outputs[i];
    } else {
      face = face_of(out.outputs[i]);
    }
    out.output_shardings.push_back(face);
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
