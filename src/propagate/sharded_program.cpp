#include "propagate/sharded_program.hpp"

#include <algorithm>

#include "ir/passes.hpp"
namespace tutti {

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

std::string size_text(const ShardedProgram& s) {
  return size_text(*s.program) + " on " + std::to_string(s.mesh.has_value() ? s.mesh.size() : 1) + " devices";
}

void verify(const ShardedProgram& s) {
  const Program& p = *s.program;
  verify(p);
  if (s.layouts.size() != p.types.size() || s.outputs.size() != p.outputs.size() ||
      s.output_shardings.size() != p.outputs.size() || s.output_committed.size() != p.outputs.size())
    throw InternalError("verify: layouts are missing in\n" + str(s));
  for (std::size_t v = 0; v < p.types.size(); ++v) {
    const Layout& l = s.layouts[v];
    std::vector<int> used;
    for (const AxisRefs& refs : l.dims)
      for (const AxisRef& r : refs) used.push_back(r.axis);
    std::sort(used.begin(), used.end());
    bool twice = std::adjacent_find(used.begin(), used.end()) != used.end();
    bool on_mesh = used.empty() || (s.mesh.has_value() && used.front() >= 0 && used.back() < s.mesh.ndim());
    if (l.ndim() != p.types[v].ndim() || twice || !on_mesh || !l.pending.empty())
      throw InternalError("verify: the layout of value " + std::to_string(v) + " is wrong in\n" + str(s));
  }
}

}  // namespace tutti
