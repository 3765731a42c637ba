// The public collectives: names become sizes, negative dims positive ones; where variance is typed, operands are made
// to vary.
#include "tutti/lax/collectives.hpp"

#include <algorithm>

#include "frontend/grouped_collectives.hpp"
#include "mesh/text.hpp"
#include "ops/collective/collective.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

Group group(const char* what, const Names& axes) {
  if (axes.empty())
    raise<ValueError>(what, "no axis is named",
                      "Name one, such as \"x\": the one that pmap, vmap or shard_map maps over.");
  Group out;
  for (const std::string& name : axes) {
    if (std::find(out.axes.begin(), out.axes.end(), name) != out.axes.end())
      raise<ValueError>(what, "the axis '" + name + "' comes twice in " + text::names(axes.list()),
                        "Name every axis once.");
    out.axes.push_back(name);
    out.sizes.push_back(bound_axis_size(name));
  }
  return out;
}

// Varying over all axes of the group over which variance is typed.
Array varying(const Array& x, const Group& g) {
  const std::vector<std::string>& have = x.type().varying;
  Group missing;
  for (std::size_t i = 0; i < g.axes.size(); ++i) {
    if (!axis_is_typed(g.axes[i]) || std::find(have.begin(), have.end(), g.axes[i]) != have.end()) continue;
    missing.axes.push_back(g.axes[i]);
    missing.sizes.push_back(g.sizes[i]);
  }
  return missing.axes.empty() ? x : bind1(ops::pvary, missing, {x});
}

int dim_of(const char* what, const char* argument, int dim, int ndim, const Array& x) {
  if (dim < -ndim || dim >= ndim)
    raise<IndexError>(what,
                      argument + (" is " + std::to_string(dim)) + " for " + x.type().str() +
                          ", and must be a dim among " + std::to_string(ndim),
                      ndim == 0 ? "A scalar has no dims: reshape it first."
                                : "Dims count from 0 to " + std::to_string(ndim - 1) + ", or from -1 at the end.");
  return dim < 0 ? dim + ndim : dim;
}

Array as_number(const Array& x) { return x.dtype() == bool_ ? lax::convert_element_type(x, int32) : x; }
Array as_number_for(detail::Combine how, const Array& x) {
  if (how == detail::Combine::sum) return as_number(x);
  return how == detail::Combine::mean && !x.dtype().is_inexact() ? lax::convert_element_type(x, float32) : x;
}

}  // namespace

namespace detail {

static const char* name_of(Combine how) {
  switch (how) {
    case Combine::mean: return "lax::pmean";
    case Combine::max: return "lax::pmax";
    case Combine::min: return "lax::pmin";
    default: return "lax::psum";
  }
}

Array combine_leaf(const Array& x, const Names& axes, Combine how, const lax::AxisGroups& groups, Loc loc) {
  CallScope scope(loc, Loc{"", name_of(how)});
  Group g = group(name_of(how), axes);
  if (!groups.empty()) return combine_groups(as_number_for(how, x), axes, how, groups);
  Array operand = as_number_for(how, x);
  if (how == Combine::max || how == Combine::min)
    return bind1(how == Combine::max ? ops::pmax : ops::pmin, g, {varying(operand, g)});
  Array sum = bind1(ops::psum, g, {varying(operand, g)});
  if (how == Combine::sum) return sum;
  return lax::div(sum, array_from_scalar(Scalar(static_cast<double>(g.size())).to(sum.dtype()), true));
}

Array pvary_leaf(const Array& x, const Names& axes, Loc loc) {
  CallScope scope(loc, Loc{"", "lax::pvary"});
  Group g = group("pvary", axes);
  const std::vector<std::string>& have = x.type().varying;
  for (const std::string& axis : g.axes)
    if (std::find(have.begin(), have.end(), axis) != have.end())
      raise<ValueError>("pvary", x.type().str() + " is varying along '" + axis + "' already", "Leave that axis out.");
  return varying(x, g);
}

}  // namespace detail

namespace lax {

std::int64_t axis_size(const Names& axes, Loc loc) {
  CallScope scope(loc);
  return group("axis_size", axes).size();
}

Array axis_index(const Names& axes, Loc loc) {
  CallScope scope(loc);
  Group g = group("axis_index", axes);
  return varying(bind1(ops::axis_index, g, {}), g);
}

Array all_gather(const In& x, const Names& axes, GatherOptions options) {
  CallScope scope(x.loc);
  Group g = group("all_gather", axes);
  int dim = dim_of("all_gather", "axis", options.axis, x.array.ndim() + !options.tiled, x.array);
  if (!options.axis_index_groups.empty())
    return detail::gather_groups(x.array, axes, dim, options.tiled, options.axis_index_groups);
  return bind1(ops::all_gather, ops::GatherOver{g, dim, options.tiled}, {varying(x.array, g)});
}

Array psum_scatter(const In& x, const Names& axes, ScatterOptions options) {
  CallScope scope(x.loc);
  Group g = group("psum_scatter", axes);
  int dim = dim_of("psum_scatter", "scatter_dimension", options.scatter_dimension, x.array.ndim(), x.array);
  if (!options.axis_index_groups.empty())
    return detail::scatter_groups(as_number(x.array), axes, dim, options.tiled, options.axis_index_groups);
  return bind1(ops::reduce_scatter, ops::GatherOver{g, dim, options.tiled}, {varying(as_number(x.array), g)});
}

Array ppermute(const In& x, const Names& axes, const std::vector<std::pair<int, int>>& pairs) {
  CallScope scope(x.loc);
  Group g = group("ppermute", axes);
  return bind1(ops::ppermute, ops::Permute{g, pairs}, {varying(x.array, g)});
}

Array pshuffle(const In& x, const Names& axes, const std::vector<int>& from) {
  CallScope scope(x.loc);
  std::int64_t n = group("pshuffle", axes).size();
  std::vector<int> sorted = from;
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (int i : from) text += (text.empty() ? "" : ", ") + std::to_string(i);
  bool permutation = static_cast<std::int64_t>(from.size()) == n;
  for (std::size_t i = 0; permutation && i < sorted.size(); ++i) permutation = sorted[i] == static_cast<int>(i);
  if (!permutation)
    raise<ValueError>("pshuffle", "[" + text + "] is not a permutation of the " + std::to_string(n) + " devices",
                      "Each number from 0 to " + std::to_string(n - 1) + " comes once.");
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < from.size(); ++i) pairs.emplace_back(from[i], static_cast<int>(i));
  return ppermute(x, axes, pairs);
}

Array pbroadcast(const In& x, const Names& axes, int source) {
  CallScope scope(x.loc);
  std::int64_t n = group("pbroadcast", axes).size();
  if (source < 0 || source >= n)
    raise<IndexError>("pbroadcast",
                      "there is no device " + std::to_string(source) + " among the " + std::to_string(n) + " along " +
                          text::names(axes.list()),
                      "Devices count from 0 to " + std::to_string(n - 1) + ".");
  Array all = all_gather(x, axes);
  std::vector<std::int64_t> start(static_cast<std::size_t>(all.ndim()), 0), limit = all.shape().dims();
  start[0] = source;
  limit[0] = source + 1;
  return lax::reshape(slice(all, start, limit), x.array.shape());
}

Array all_to_all(const In& x, const Names& axes, int split_axis, int concat_axis, AllToAllOptions options) {
  CallScope scope(x.loc);
  Group g = group("all_to_all", axes);
  int split = dim_of("all_to_all", "split_axis", split_axis, x.array.ndim(), x.array);
  int concat = dim_of("all_to_all", "concat_axis", concat_axis, x.array.ndim(), x.array);
  if (!options.axis_index_groups.empty())
    return detail::exchange_groups(x.array, axes, split, concat, options.tiled, options.axis_index_groups);
  return bind1(ops::all_to_all, ops::Exchange{g, split, concat, options.tiled}, {varying(x.array, g)});
}

}  // namespace lax
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
