#include "propagate/sharded_program.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ir/passes.hpp"
namespace tutti {

std::string ShardedProgram::origin_text(ValueId value, int dim, int axis) const {
  auto it = origins.find({value, dim, axis});
  if (it == origins.end()) return "";
  const Origin& o = it->second;
  std::string at = o.loc ? " at " + o.loc.str() : "";
  switch (o.kind) {
    case Origin::Kind::input: {
      const std::vector<std::string>& names = (outermost ? outermost : program)->input_names;
      bool named = static_cast<std::size_t>(o.index) < names.size() && !names[o.index].empty();
      return "input " + std::to_string(o.index) + (named ? " (" + names[o.index] + ")" : "");
    }
    case Origin::Kind::constraint: return "the constraint" + at;
    case Origin::Kind::output: return "the wanted sharding of output " + std::to_string(o.index);
    case Origin::Kind::region: return "the manual region" + at;
  }
  return "";
}

namespace {

void print_layouts(const ShardedProgram& s, const std::string& indent, std::string& out) {
  for (std::size_t v = 0; v < s.layouts.size(); ++v)
    out += indent + "%" + std::to_string(v) + ":" + s.program->types[v].str() + "  " + str(s.layouts[v], s.mesh) + "\n";
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    for (std::size_t k = 0; k < s.bodies[i].size(); ++k) {
      out += indent + "in body " + std::to_string(k) + " of Eqn " + std::to_string(i) + " (" +
             s.program->eqns[i].op->name + ")\n";
      print_layouts(s.bodies[i][k], indent + "  ", out);
    }
}

// Of the program and its bodies: a layout for every value, and the same bodies as the program has.
bool has_layouts(const ShardedProgram& s) {
  const Program& p = *s.program;
  if (s.layouts.size() != p.types.size() || s.outputs.size() != p.outputs.size() || s.bodies.size() != p.eqns.size())
    return false;
  for (std::size_t i = 0; i < s.bodies.size(); ++i)
    for (std::size_t k = 0; k < s.bodies[i].size(); ++k)
      if (s.bodies[i][k].program != p.eqns[i].subs[k] || !has_layouts(s.bodies[i][k])) return false;
  return true;
}

// The first value whose layout cannot be; -1 when there is none.
int wrong_layout(const ShardedProgram& s) {
  for (std::size_t v = 0; v < s.layouts.size(); ++v) {
    const Layout& l = s.layouts[v];
    std::vector<int> used;
    for (const AxisRefs& refs : l.dims)
      for (const AxisRef& r : refs) used.push_back(r.axis);
    std::sort(used.begin(), used.end());
    bool twice = std::adjacent_find(used.begin(), used.end()) != used.end();
    bool on_mesh = used.empty() || (s.mesh.has_value() && used.front() >= 0 && used.back() < s.mesh.ndim());
    if (l.ndim() != s.program->types[v].ndim() || twice || !on_mesh || !l.pending.empty()) return static_cast<int>(v);
  }
  for (const std::vector<ShardedProgram>& bodies : s.bodies)
    for (const ShardedProgram& body : bodies)
      if (int v = wrong_layout(body); v >= 0) return v;
  return -1;
}

}  // namespace

std::string str(const ShardedProgram& s) {
  std::string out = str(*s.program);
  out += "layouts on " + (s.mesh.has_value() ? s.mesh.str() : std::string("one device")) + "\n";
  if (s.mesh.has_value()) print_layouts(s, "  ", out);
  return out;
}

std::string size_text(const ShardedProgram& s) {
  return size_text(*s.program) + " on " + std::to_string(s.mesh.has_value() ? s.mesh.size() : 1) + " devices";
}

void verify(const ShardedProgram& s) {
  const Program& p = *s.program;
  verify(p);
  if (!has_layouts(s) || s.output_shardings.size() != p.outputs.size() || s.output_committed.size() != p.outputs.size())
    throw InternalError("verify: layouts are missing in\n" + str(s));
  if (int v = wrong_layout(s); v >= 0)
    throw InternalError("verify: the layout of value " + std::to_string(v) + " is wrong in\n" + str(s));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
