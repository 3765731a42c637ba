#include "frontend/call.hpp"

namespace tutti::detail {

std::vector<bool> Recorded::explicit_only() const {
  std::vector<bool> out(inputs.size(), false);
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(num_explicit), true);
  return out;
}

std::string leaf_name(const std::pair<int, tree::Path>& where) {
  std::string path = where.second.str();
  std::string base = where.first < 0 ? "self" : "arg" + std::to_string(where.first);
  return base + (path.empty() || path[0] == '[' ? "" : ".") + path;
}

namespace {

std::string entries_text(std::size_t entries, std::size_t arguments) {
  auto names = [](std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += (i ? ", arg" : " (arg") + std::to_string(i);
    return n ? out + ")" : out;
  };
  return "in_axes has " + std::to_string(entries) + (entries == 1 ? " entry" : " entries") + names(entries) + " for " +
         std::to_string(arguments) + (arguments == 1 ? " argument" : " arguments") + names(arguments);
}
std::string no_axis_text(int axis, const std::string& name, const Type& type) {
  return "axis " + std::to_string(axis) + " of " + name + " does not exist: its rank must be at least " +
         std::to_string(axis < 0 ? -std::int64_t{axis} : std::int64_t{axis} + 1) + ", and its type is " + type.str() +
         ", of rank " + std::to_string(type.ndim());
}

}  // namespace

MappedAxes mapped_axes(const CallArrays& args, const TreeOf<int>& in_axes, const Mapping& mapping) {
  if (in_axes.kind() == TreeOf<int>::Kind::list && in_axes.list().size() != args.counts.size())
    raise<ValueError>(mapping.what, entries_text(in_axes.list().size(), args.counts.size()),
                      "Give one number for all arguments, or one entry per argument.", mapping.made);
  auto paths = args.paths();
  MappedAxes out;
  for (std::size_t i = 0; i < args.leaves.size(); ++i) {
    const Array& x = args.leaves[i];
    std::optional<int> axis = in_axes.at(paths[i].first, paths[i].second, x);
    if (axis) {
      int ndim = x.ndim(), given = *axis;
      std::string name = leaf_name(paths[i]);
      if (given < -ndim || given >= ndim)
        raise<ShapeError>(mapping.what, no_axis_text(given, name, x.type()),
                          std::string("Give `none` in in_axes for ") + mapping.rest + ".", mapping.made);
      axis = given < 0 ? given + ndim : given;
      std::string size = std::to_string(x.shape()[*axis]);
      out.sizes[x.shape()[*axis]] +=
          "\n  size " + size + ": axis " + std::to_string(*axis) + " of " + name + " of type " + x.type().str();
    }
    out.axes.push_back(axis);
  }
  return out;
}

void check_one_size(const MappedAxes& mapped, const Mapping& mapping, const std::string& over) {
  if (mapped.sizes.size() <= 1) return;
  std::string all;
  for (const auto& [size, text] : mapped.sizes) all += text;
  raise<ShapeError>(
      mapping.what, over + "the mapped axes have different sizes:" + all,
      std::string("Cut or reshape them to one size, and give `none` in in_axes for ") + mapping.rest + ".",
      mapping.made);
}

std::vector<std::optional<TracedLeaf>> differentiable(const CallArrays& args, const std::vector<bool>& wanted) {
  std::vector<std::optional<TracedLeaf>> out(args.leaves.size());
  for (std::size_t i = 0; i < args.leaves.size(); ++i)
    if (wanted[i] && !args.frozen[i] && has_tangent(args.leaves[i].type()))
      out[i] = TracedLeaf{args.leaves[i].type(), args.leaves[i], true};
  return out;
}

Recorded record_call(const CallArrays& args, const std::vector<std::optional<TracedLeaf>>& leaves, const Body& body,
                     const char* what, Loc made, const NamedAxes& axes, BodyResult* result) {
  auto trace = std::make_shared<Trace>(Trace::Mode::open, what, made);
  trace->axes = axes;
  Recorded out;
  std::vector<Array> given = args.leaves;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]) continue;
    given[i] = trace->input(leaves[i]->type, "", leaves[i]->known ? leaves[i]->value : Array());
    out.inputs.push_back(leaves[i]->value);
  }
  out.num_explicit = out.inputs.size();
  TraceScope scope(trace);
  BodyResult returned = body(given);
  Traced traced = trace->close(returned.leaves);
  out.program = traced.program;
  out.inputs.insert(out.inputs.end(), traced.captured.begin(), traced.captured.end());
  if (result) *result = std::move(returned);
  return out;
}

}  // namespace tutti::detail
