// vmap of a call: which axes, which sizes; the work is done by batch.
#include <algorithm>

#include "frontend/call.hpp"
#include "frontend/mapped_axes.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {
namespace {

Array move_axis(const Array& x, int from, int to) {
  if (from == to) return x;
  lax::Dims order;
  for (int d = 0; d < x.ndim(); ++d)
    if (d != from) order.push_back(d);
  order.insert(order.begin() + to, from);
  return lax::transpose(x, order);
}

// axis_size, which is one more mapped axis, and whether there is any.
void check_size(MappedAxes& mapped, std::int64_t axis_size, Loc made) {
  if (axis_size < 0)
    raise<ValueError>("vmap", "axis_size is " + std::to_string(axis_size),
                      "Give the size of the mapped axes, or leave it out.", made);
  if (axis_size > 0) mapped.sizes[axis_size] += "\n  size " + std::to_string(axis_size) + ": the option axis_size";
  if (mapped.sizes.empty())
    raise<ValueError>("vmap", "no argument is mapped",
                      "At least one entry of in_axes must be a number, or axis_size be given.", made);
  check_one_size("vmap", mapped, "Cut or reshape them to one size, and give `none` in in_axes for what is not mapped.",
                 made);
}

// A list of out_axes has one entry per element of a result that is a tuple or list, or per member of a struct.
void check_result_entries(const TreeOf<int>& out_axes, const std::vector<tree::Path>& paths, Loc made) {
  if (out_axes.kind() != TreeOf<int>::Kind::list) return;
  std::size_t elements = 0;
  for (const tree::Path& p : paths)
    if (!p.empty())
      elements = std::max(elements, static_cast<std::size_t>(std::max(p.keys()[0].index, p.keys()[0].position) + 1));
  if (elements == 0) elements = 1;
  if (out_axes.list().size() != elements)
    raise<ValueError>("vmap",
                      "out_axes has " + std::to_string(out_axes.list().size()) + " entries for a result of " +
                          std::to_string(elements) + (elements == 1 ? " element" : " elements"),
                      "Give one number for all of the result, or one entry per element.", made);
}

}  // namespace

std::vector<Array> map_call(const CallArrays& args, const MapOptions& options, const Body& body, Loc made) {
  MappedAxes mapped =
      mapped_axes({"vmap", "Give `none` in in_axes for what is not mapped.", made}, args, options.in_axes);
  check_size(mapped, options.axis_size, made);
  const std::int64_t size = mapped.sizes.begin()->first;
  std::optional<CallScope> scope(std::in_place, made, Loc{"", "vmap"});
  std::vector<std::optional<TracedLeaf>> leaves(args.leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!mapped.axes[i]) continue;
    Array front = move_axis(args.leaves[i], *mapped.axes[i], 0);
    Type type = args.leaves[i].type();
    type.shape.erase(*mapped.axes[i]);
    leaves[i] = TracedLeaf{type, front, false};
  }
  NamedAxes axes;
  if (!options.axis_name.empty()) axes.emplace_back(options.axis_name, size);
  BodyResult result;
  scope.reset();  // what the function does bears its own lines
  Recorded call = record_call(args, leaves, body, {"vmap", made, 0, axes}, &result);
  scope.emplace(made, Loc{"", "vmap"});
  BatchedProgram program = batch(*call.program, call.explicit_only(), {size, options.axis_name});
  std::vector<Array> out = tutti::apply(*program.program, call.inputs);

  std::vector<tree::Path> paths = result.paths();
  check_result_entries(options.out_axes, paths, made);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::string name = "result" + (paths[i].empty() ? "" : " " + paths[i].str());
    std::optional<int> axis = options.out_axes.at(-1, paths[i], out[i]);
    if (!axis) {
      if (program.mapped[i])
        raise<ValueError>("vmap",
                          "out_axes is none for " + name + ", but it depends on mapped arguments; its type is " +
                              out[i].type().str() + " with the mapped axis in front",
                          "Say in out_axes where the mapped axis goes, such as 0.", made);
      continue;
    }
    if (!program.mapped[i]) out[i] = lax::broadcast(out[i], Shape{size});
    int ndim = out[i].ndim();
    if (*axis < -ndim || *axis >= ndim)
      raise<ShapeError>("vmap",
                        "out_axes " + std::to_string(*axis) + " for " + name +
                            " is not an axis of its type with the mapped axis, " + out[i].type().str(),
                        "Axes count from 0 to " + std::to_string(ndim - 1) + ", or from -1 at the end.", made);
    out[i] = move_axis(out[i], 0, *axis < 0 ? *axis + ndim : *axis);
  }
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
