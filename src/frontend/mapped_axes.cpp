#include "frontend/mapped_axes.hpp"

#include "frontend/call.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::detail {
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

MappedAxes mapped_axes(const MappingCall& call, const CallArrays& args, const TreeOf<int>& in_axes) {
  if (in_axes.kind() == TreeOf<int>::Kind::list && in_axes.list().size() != args.counts.size())
    raise<ValueError>(call.what, entries_text(in_axes.list().size(), args.counts.size()),
                      "Give one number for all arguments, or one entry per argument.", call.made);
  auto paths = args.paths();
  MappedAxes out;
  for (std::size_t i = 0; i < args.leaves.size(); ++i) {
    const Array& x = args.leaves[i];
    const std::optional<int> given = in_axes.at(paths[i].first, paths[i].second, x);
    out.axes.push_back(given);
    if (!given) continue;
    const std::string name = leaf_name(paths[i]);
    if (*given < -x.ndim() || *given >= x.ndim())
      raise<ShapeError>(call.what, no_axis_text(*given, name, x.type()), call.advice, call.made);
    const int axis = *given < 0 ? *given + x.ndim() : *given;
    out.axes.back() = axis;
    const std::string size = std::to_string(x.shape()[axis]);
    out.sizes[x.shape()[axis]] +=
        "\n  size " + size + ": axis " + std::to_string(axis) + " of " + name + " of type " + x.type().str();
  }
  return out;
}

void check_one_size(const char* what, const MappedAxes& mapped, const std::string& advice, Loc made,
                    const std::string& over) {
  if (mapped.sizes.size() <= 1) return;
  std::string all;
  for (const auto& [size, text] : mapped.sizes) all += text;
  raise<ShapeError>(what, over + "the mapped axes have different sizes:" + all, advice, made);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
