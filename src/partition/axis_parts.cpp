#include "partition/axis_parts.hpp"

#include <algorithm>
#include <set>

#include "mesh/mesh_node.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

std::string part_name(const std::string& axis, std::size_t number) { return axis + "." + std::to_string(number); }

// The axes of `mesh` of which parts are named, by number.
void find_cut(const Program& program, const Mesh& mesh, std::set<int>& cut) {
  for (const Eqn& e : program.eqns) {
    for (const ProgramPtr& sub : e.subs) find_cut(*sub, mesh, cut);
    if (!e.op->collective) continue;
    for (const std::string& name : e.op->collective->group(e.params).axes)
      for (int a = 0; a < mesh.ndim(); ++a)
        for (std::size_t k = 0; k < prime_parts(whole_axis(mesh, a)).size(); ++k)
          if (name == part_name(mesh.axis_names()[a], k)) cut.insert(a);
  }
}

class Cutting {
 public:
  Cutting(const Mesh& mesh, const std::set<int>& cut) : mesh_(mesh) {
    Shape shape;
    std::vector<std::string> names;
    for (int a = 0; a < mesh.ndim(); ++a) {
      const std::string& name = mesh.axis_names()[a];
      if (!cut.count(a)) {
        shape.push_back(mesh.shape()[a]);
        names.push_back(name);
        continue;
      }
      Group& parts = parts_[name];
      for (const AxisRef& r : prime_parts(whole_axis(mesh, a))) {
        parts.axes.push_back(part_name(name, parts.axes.size()));
        parts.sizes.push_back(r.size);
        shape.push_back(r.size);
      }
      names.insert(names.end(), parts.axes.begin(), parts.axes.end());
    }
    finer_ = intern_mesh(device_list_of(mesh), shape, names);
  }

  const Mesh& mesh() const { return finer_; }
  Layout layout(const Layout& l) const {
    std::optional<Layout> out = translate(l, mesh_, finer_);
    if (!out) throw InternalError("partition: " + str(l, mesh_) + " cannot be said on parts of axes");
    return *out;
  }
  Group group(const std::vector<std::string>& axes, const std::vector<std::int64_t>& sizes) const {
    Group out;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto at = parts_.find(axes[i]);
      const Group one = at == parts_.end() ? Group{{axes[i]}, {sizes[i]}} : at->second;
      out.axes.insert(out.axes.end(), one.axes.begin(), one.axes.end());
      out.sizes.insert(out.sizes.end(), one.sizes.begin(), one.sizes.end());
    }
    return out;
  }
  ProgramPtr program(const Program& p) const {
    Program out = p;
    for (Eqn& e : out.eqns) {
      for (ProgramPtr& sub : e.subs) sub = program(*sub);
      if (!e.op->collective) continue;
      const Group& named = e.op->collective->group(e.params);
      e.params = e.op->collective->over(e.params, group(named.axes, named.sizes));
    }
    return std::make_shared<Program>(std::move(out));
  }

 private:
  const Mesh& mesh_;
  Mesh finer_;
  std::map<std::string, Group> parts_;  // of the axes that are cut
};

}  // namespace

Group group_of(const AxisRefs& axes, const Mesh& mesh) {
  Group out;
  for (const AxisRef& a : axes) {
    const std::string& name = mesh.axis_names()[a.axis];
    if (a == whole_axis(mesh, a.axis)) {
      out.axes.push_back(name);
      out.sizes.push_back(a.size);
      continue;
    }
    const AxisRefs all = prime_parts(whole_axis(mesh, a.axis));
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].pre >= a.pre && all[k].pre < a.pre * a.size) {
        out.axes.push_back(part_name(name, k));
        out.sizes.push_back(all[k].size);
      }
  }
  return out;
}

LocalProgram on_parts(LocalProgram local) {
  std::set<int> cut;
  find_cut(*local.program, local.mesh, cut);
  if (cut.empty()) return local;
  const Mesh whole = local.mesh;
  const Cutting cutting(whole, cut);
  for (Layout& l : local.inputs) l = cutting.layout(l);
  for (Layout& l : local.outputs) l = cutting.layout(l);
  for (Cause& c : local.causes) c.axes = cutting.group(c.axes, std::vector<std::int64_t>(c.axes.size(), 1)).axes;
  local.program = cutting.program(*local.program);
  local.mesh = cutting.mesh();
  return local;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
