// The public collectives: names become sizes, negative dims positive ones; where variance is typed, operands are made to vary.
#include "tutti/collectives.hpp"

#include <algorithm>

#include "ops/collective.hpp"
#include "trace/trace.hpp"
#include "transform/grouped_collectives.hpp"
#include "tutti/call_scope.hpp"
#include "tutti/lax.hpp"

namespace tutti {
namespace {

using ops::ReduceOver;

std::string at(Loc loc) { return loc ? "\n  at " + loc.str() : ""; }

ReduceOver group(const Names& axes) {
  if (axes.empty()) throw ValueError("a collective needs at least one axis name" + at(current_loc()));
  ReduceOver out;
  for (const std::string& name : axes) {
    if (std::find(out.axes.begin(), out.axes.end(), name) != out.axes.end()) throw ValueError("the axis " + name + " is named twice" + at(current_loc()));
    out.axes.push_back(name);
    out.sizes.push_back(bound_axis_size(name));
  }
  return out;
}
std::int64_t size_of(const ReduceOver& g) {
  std::int64_t n = 1;
  for (std::int64_t s : g.sizes) n *= s;
  return n;
}

// Varying over all axes of the group over which variance is typed.
Array varying(const Array& x, const ReduceOver& g) {
  const std::vector<std::string>& have = x.type().varying;
  ReduceOver missing;
  for (std::size_t i = 0; i < g.axes.size(); ++i) {
    if (!axis_is_typed(g.axes[i]) || std::find(have.begin(), have.end(), g.axes[i]) != have.end()) continue;
    missing.axes.push_back(g.axes[i]);
    missing.sizes.push_back(g.sizes[i]);
  }
  return missing.axes.empty() ? x : bind1(ops::pvary, missing, {x});
}

int dim_of(const char* what, int dim, int ndim) {
  if (dim < -ndim || dim >= ndim) throw IndexError(std::string(what) + ": dim " + std::to_string(dim) + " does not exist: there are " + std::to_string(ndim) + at(current_loc()));
  return dim < 0 ? dim + ndim : dim;
}

Array as_number(const Array& x) { return x.dtype() == bool_ ? lax::convert_element_type(x, int32) : x; }
Array as_number_for(detail::Combine how, const Array& x) {
  if (how == detail::Combine::sum) return as_number(x);
  return how == detail::Combine::mean && !x.dtype().is_inexact() ? lax::convert_element_type(x, float32) : x;
}

}  // namespace

namespace detail {

Array combine_leaf(const Array& x, const Names& axes, Combine how, const lax::AxisGroups& groups, Loc loc) {
  CallScope scope(loc);
  ReduceOver g = group(axes);
  if (!groups.empty()) return combine_groups(as_number_for(how, x), axes, how, groups);
  Array operand = as_number_for(how, x);
  if (how == Combine::max || how == Combine::min) return bind1(how == Combine::max ? ops::pmax : ops::pmin, g, {varying(operand, g)});
  Array sum = bind1(ops::psum, g, {varying(operand, g)});
  if (how == Combine::sum) return sum;
  return lax::div(sum, array_from_scalar(Scalar(static_cast<double>(size_of(g))).to(sum.dtype()), true));
}

Array pvary_leaf(const Array& x, const Names& axes, Loc loc) {
  CallScope scope(loc);
  ReduceOver g = group(axes);
  const std::vector<std::string>& have = x.type().varying;
  for (const std::string& axis : g.axes)
    if (std::find(have.begin(), have.end(), axis) != have.end())
      raise<ValueError>("pvary", x.type().str() + " is varying along " + axis + " already", "Leave that axis out.");
  return varying(x, g);
}

}  // namespace detail

namespace lax {

std::int64_t axis_size(const Names& axes, Loc loc) {
  CallScope scope(loc);
  return size_of(group(axes));
}

Array axis_index(const Names& axes, Loc loc) {
  CallScope scope(loc);
  ReduceOver g = group(axes);
  return varying(bind1(ops::axis_index, g, {}), g);
}

Array all_gather(const In& x, const Names& axes, GatherOptions options) {
  CallScope scope(x.loc);
  ReduceOver g = group(axes);
  int dim = dim_of("all_gather", options.axis, x.array.ndim() + !options.tiled);
  if (!options.axis_index_groups.empty()) return detail::gather_groups(x.array, axes, dim, options.tiled, options.axis_index_groups);
  return bind1(ops::all_gather, ops::GatherOver{g.axes, g.sizes, dim, options.tiled}, {varying(x.array, g)});
}

Array psum_scatter(const In& x, const Names& axes, ScatterOptions options) {
  CallScope scope(x.loc);
  ReduceOver g = group(axes);
  int dim = dim_of("psum_scatter", options.scatter_dimension, x.array.ndim());
  if (!options.axis_index_groups.empty()) return detail::scatter_groups(as_number(x.array), axes, dim, options.tiled, options.axis_index_groups);
  return bind1(ops::reduce_scatter, ops::GatherOver{g.axes, g.sizes, dim, options.tiled}, {varying(as_number(x.array), g)});
}

Array ppermute(const In& x, const Names& axes, const std::vector<std::pair<int, int>>& pairs) {
  CallScope scope(x.loc);
  ReduceOver g = group(axes);
  return bind1(ops::ppermute, ops::Permute{g.axes, g.sizes, pairs}, {varying(x.array, g)});
}

Array pshuffle(const In& x, const Names& axes, const std::vector<int>& from) {
  CallScope scope(x.loc);
  std::int64_t n = size_of(group(axes));
  std::vector<int> sorted = from;
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (int i : from) text += (text.empty() ? "" : ", ") + std::to_string(i);
  bool permutation = static_cast<std::int64_t>(from.size()) == n;
  for (std::size_t i = 0; permutation && i < sorted.size(); ++i) permutation = sorted[i] == static_cast<int>(i);
  if (!permutation)
    raise<ValueError>("pshuffle", "[" + text + "] is not a permutation of the " + std::to_string(n) + " devices", "Each number from 0 to " + std::to_string(n - 1) + " comes once.");
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < from.size(); ++i) pairs.emplace_back(from[i], static_cast<int>(i));
  return ppermute(x, axes, pairs);
}

Array pbroadcast(const In& x, const Names& axes, int source) {
  CallScope scope(x.loc);
  std::int64_t n = size_of(group(axes));
  if (source < 0 || source >= n)
    throw IndexError("pbroadcast: there is no device " + std::to_string(source) + " among " + std::to_string(n) + at(current_loc()));
  Array all = all_gather(x, axes);
  std::vector<std::int64_t> start(static_cast<std::size_t>(all.ndim()), 0), limit = all.shape().dims();
  start[0] = source, limit[0] = source + 1;
  return reshape(slice(all, start, limit), x.array.shape());
}

Array all_to_all(const In& x, const Names& axes, int split_axis, int concat_axis, AllToAllOptions options) {
  CallScope scope(x.loc);
  ReduceOver g = group(axes);
  int split = dim_of("all_to_all", split_axis, x.array.ndim()), concat = dim_of("all_to_all", concat_axis, x.array.ndim());
  if (!options.axis_index_groups.empty()) return detail::exchange_groups(x.array, axes, split, concat, options.tiled, options.axis_index_groups);
  return bind1(ops::all_to_all, ops::Exchange{g.axes, g.sizes, split, concat, options.tiled}, {varying(x.array, g)});
}

}  // namespace lax
}  // namespace tutti
