// jax.numpy's families of small functions by their Python names: statistics, sets, sorting, grids, differences,
// polynomials, bits.
#include "golden/python_values.hpp"
#include "tutti/linalg/linalg.hpp"
#include "tutti/linalg/polynomial.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/differences.hpp"
#include "tutti/numpy/grids.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/rearrange.hpp"
#include "tutti/numpy/segments.hpp"
#include "tutti/numpy/selection.hpp"
#include "tutti/numpy/sets.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/numpy/statistics.hpp"
#include "tutti/transform/along_axis.hpp"

namespace golden::python {
namespace {

using namespace tutti;
using A = Arguments;

Value pair(const std::pair<Array, Array>& p) { return Values{p.first, p.second}; }
template <class Enum> Enum one_of(const std::map<std::string, Enum>& names, const std::string& text) {
  auto found = names.find(text);
  if (found == names.end()) throw Unknown("option " + text);
  return found->second;
}

// --- statistics

QuantileOptions quantile_options(const A& a) {
  static const std::map<std::string, QuantileMethod> methods = {
      {"linear", QuantileMethod::linear},   {"lower", QuantileMethod::lower},
      {"higher", QuantileMethod::higher},   {"midpoint", QuantileMethod::midpoint},
      {"nearest", QuantileMethod::nearest}, {"inverted_cdf", QuantileMethod::inverted_cdf}};
  return {.axes = a.axes(2, "axis"),
          .keepdims = a.flag(99, "keepdims"),
          .method = one_of(methods, a.text(99, "method", "linear"))};
}
Function quantile_of(Array (*f)(const In&, const Operand&, const QuantileOptions&)) {
  return [f](const A& a) { return f(a.array(0, "a"), a.array(1, "q"), quantile_options(a)); };
}
Function over_axes(Array (*f)(const In&, const Axes&, bool)) {
  return [f](const A& a) { return f(a.array(0, "a"), a.axes(1, "axis"), a.flag(99, "keepdims")); };
}
Function spread_of(Array (*f)(const In&, const Axes&, bool, double)) {
  return [f](const A& a) {
    return f(a.array(0, "a"), a.axes(1, "axis"), a.flag(99, "keepdims"), a.number(99, "ddof", 0));
  };
}
Function position_of(Array (*f)(const In&, std::optional<int>, bool)) {
  return [f](const A& a) { return f(a.array(0, "a"), a.maybe_integer(1, "axis"), a.flag(99, "keepdims")); };
}
Bins bins_of(const A& a, std::size_t p) {
  if (a.at(p, "bins").get<Array>()) return a.array(p, "bins");
  const std::int64_t n = a.integer(p, "bins", 10);
  if (!a.has(2, "range")) return n;
  const Values& r = a.at(2, "range").list();
  return Bins(n, {r.at(0).number(), r.at(1).number()});
}
Value histogram_of(const A& a) {
  const Histogram h = histogram(a.array(0, "a"), bins_of(a, 1),
                                {.weights = a.maybe_array(3, "weights"), .density = a.flag(4, "density")});
  return Values{h.counts, h.edges};
}
Value bincount_of(const A& a) {
  BincountOptions o{.weights = a.maybe_array(1, "weights"), .minlength = a.integer(2, "minlength", 0)};
  if (a.has(99, "length")) o.length = a.integer(99, "length", 0);
  return bincount(a.array(0, "x"), o);
}
Value cov_of(const A& a) {
  CovOptions o{.rowvar = a.flag(2, "rowvar", true), .bias = a.flag(3, "bias"), .ddof = a.maybe_integer(4, "ddof")};
  o.fweights = a.maybe_array(5, "fweights");
  o.aweights = a.maybe_array(6, "aweights");
  return a.has(1, "y") ? cov(a.array(0, "m"), a.array(1, "y"), o) : cov(a.array(0, "m"), o);
}
Value corrcoef_of(const A& a) {
  const bool rowvar = a.flag(2, "rowvar", true);
  return a.has(1, "y") ? corrcoef(a.array(0, "x"), a.array(1, "y"), rowvar) : corrcoef(a.array(0, "x"), rowvar);
}
Function reduced_with(Array (*f)(const In&, const ReduceOptions&)) {
  return [f](const A& a) {
    ReduceOptions o{.axes = a.axes(1, "axis"), .keepdims = a.flag(99, "keepdims"), .dtype = a.dtype(99, "dtype")};
    o.initial = a.maybe_array(99, "initial");
    o.where = a.maybe_array(99, "where");
    o.ddof = a.number(99, "ddof", a.number(99, "correction", 0));
    return f(a.array(0, "a"), o);
  };
}

// --- sorting, searching, sets

Value searchsorted_of(const A& a) {
  return searchsorted(a.array(0, "a"), a.array(1, "v"),
                      {.right = a.text(2, "side", "left") == "right", .sorter = a.maybe_array(3, "sorter")});
}
Value sort_of(const A& a) {
  const bool given = a.positional.size() > 1 || a.named.count("axis"), flat = given && !a.has(1, "axis");
  if (flat) return sort(a.array(0, "a"), none, a.flag(99, "descending"));
  return sort(a.array(0, "a"), integer(a, 1, "axis", -1), a.flag(99, "descending"));
}
Value argsort_of(const A& a) {
  const bool given = a.positional.size() > 1 || a.named.count("axis"), flat = given && !a.has(1, "axis");
  if (flat) return argsort(a.array(0, "a"), none, a.flag(99, "descending"));
  return argsort(a.array(0, "a"), integer(a, 1, "axis", -1), a.flag(99, "descending"));
}
SizeOptions size_options(const A& a) {
  SizeOptions o;
  if (a.has(99, "size")) o.size = a.integer(99, "size", 0);
  o.fill_value = a.maybe_array(99, "fill_value");
  return o;
}
Value unique_of(const A& a) {
  UniqueOptions o{.axis = a.maybe_integer(99, "axis"), .equal_nan = a.flag(99, "equal_nan", true)};
  if (a.has(99, "size")) o.size = a.integer(99, "size", 0);
  o.fill_value = a.maybe_array(99, "fill_value");
  const Array x = a.array(0, "ar");
  const bool index = a.flag(1, "return_index"), inverse = a.flag(2, "return_inverse"),
             counts = a.flag(3, "return_counts");
  if (!index && !inverse && !counts) return unique(x, o);
  const Unique u = unique_all(x, o);
  Values out{u.values};
  if (index) out.push_back(u.indices);
  if (inverse) out.push_back(u.inverse);
  if (counts) out.push_back(u.counts);
  return out;
}
Function set_of(Array (*f)(const In&, const In&, const SizeOptions&)) {
  return [f](const A& a) { return f(a.array(0, "ar1"), a.array(1, "ar2"), size_options(a)); };
}

// --- selection

Value piecewise_of(const A& a) {
  std::vector<Piecewise> pieces;
  for (const Value& v : a.at(2, "funclist").list()) {
    if (const Function* f = v.get<Function>())
      pieces.push_back([f = Value(*f)](const Array& x) { return f({x}).array(); });
    else
      pieces.push_back(v.array());
  }
  return piecewise(a.array(0, "x"), a.at(1, "condlist").arrays(), pieces);
}
Value select_of(const A& a) {
  if (!a.has(1, "choicelist") || !a.at(0, "condlist").get<Values>()) {  // the file's form: conditions, then choices
    std::vector<Array> conditions, choices;
    for (std::size_t i = 0; i < a.positional.size(); ++i)
      (2 * i < a.positional.size() ? conditions : choices).push_back(a.positional[i].array());
    return select(conditions, choices, a.array(99, "default"));
  }
  const Value& other = a.at(2, "default");
  return select(a.at(0, "condlist").arrays(), a.at(1, "choicelist").arrays(),
                other.is_none() ? Array(0) : other.array());
}
Value put_along_of(const A& a) {
  return put_along_axis(a.array(0, "arr"), a.array(1, "indices"), a.array(2, "values"), a.maybe_integer(3, "axis"));
}
TakeMode take_mode(const A& a) {
  const std::string mode = a.text(99, "mode", "fill");
  return mode == "clip" ? TakeMode::clip : mode == "wrap" ? TakeMode::wrap : TakeMode::fill;
}
Value take_of(const A& a) {
  const Array fill = a.maybe_array(99, "fill_value");
  if (!a.has(2, "axis")) return take(a.array(0, "a"), a.array(1, "indices"), take_mode(a), fill);
  return take(a.array(0, "a"), a.array(1, "indices"), integer(a, 2, "axis", 0), take_mode(a), fill);
}
Value apply_along_of(const A& a) {
  const Value f = a.at(0, "func1d");
  return apply_along_axis([&](const Array& v) { return f({v}).array(); }, integer(a, 1, "axis", 0), a.array(2, "arr"));
}

// --- grids

Value meshgrid_of(const A& a) {
  static const std::map<std::string, Indexing> names = {{"xy", Indexing::xy}, {"ij", Indexing::ij}};
  std::vector<Array> xs;
  if (a.has(99, "n"))  // the file's form: of arange
    for (std::int64_t n : a.at(99, "n").integers()) xs.push_back(xs.empty() ? arange(n) : arange(double(n)));
  for (const Value& v : a.positional) xs.push_back(v.array());
  return meshgrid(xs, {.indexing = one_of(names, a.text(99, "indexing", "xy")), .sparse = a.flag(99, "sparse")});
}
Value linspace_of(const A& a) {
  const bool endpoint = a.flag(3, "endpoint", true);
  const std::int64_t n = a.integer(2, "num", 50);
  if (!a.at(0, "start").get<Array>())
    return linspace(a.number(0, "start", 0), a.number(1, "stop", 1), n, endpoint,
                    a.dtype(5, "dtype").value_or(float64));
  return linspace(a.array(0, "start"), a.array(1, "stop"),
                  {.n = n, .endpoint = endpoint, .axis = integer(a, 6, "axis", 0), .dtype = a.dtype(5, "dtype")});
}
Function triangle_of(std::pair<Array, Array> (*f)(Dim, Dim, std::optional<Dim>, Loc)) {
  return [f](const A& a) {
    std::optional<Dim> m;
    if (a.has(2, "m")) m = a.integer(2, "m", 0);
    return pair(f(a.integer(0, "n", 0), integer(a, 1, "k", 0), m, Loc::current()));
  };
}
Value ravel_multi_of(const A& a) {
  static const std::map<std::string, RavelMode> modes = {
      {"raise", RavelMode::raise}, {"wrap", RavelMode::wrap}, {"clip", RavelMode::clip}, {"ignore", RavelMode::ignore}};
  return ravel_multi_index(a.at(0, "multi_index").arrays(), Shape(a.at(1, "dims").integers()),
                           one_of(modes, a.text(2, "mode", "raise")), a.text(3, "order", "C") == "F");
}

// --- rearranging

using Split = std::vector<Array> (*)(const In&, int);
using SplitAt = std::vector<Array> (*)(const In&, const std::vector<std::int64_t>&);
Function split_of(Split parts, SplitAt at) {
  return [=](const A& a) -> Value {
    const Value& where = a.at(1, "indices_or_sections");
    if (where.get<std::int64_t>()) return parts(a.array(0, "ary"), static_cast<int>(where.integer()));
    return at(a.array(0, "ary"), where.integers());
  };
}
Value array_split_of(const A& a) {
  const Value& where = a.at(1, "indices_or_sections");
  const int axis = integer(a, 2, "axis", 0);
  if (where.get<std::int64_t>()) return array_split(a.array(0, "ary"), static_cast<int>(where.integer()), axis);
  return array_split(a.array(0, "ary"), where.integers(), axis);
}
Function each_of(Array (*f)(const In&)) {
  return [f](const A& a) -> Value {
    if (a.positional.size() == 1) return f(a.array(0, "x"));
    Values out;
    for (const Value& v : a.positional) out.push_back(f(v.array()));
    return out;
  };
}
Value roll_of(const A& a) {
  const Array x = a.array(0, "a");
  const auto shifts = a.at(1, "shift").integers();
  if (!a.has(2, "axis")) return roll(x, shifts.at(0));
  std::vector<int> axes;
  for (std::int64_t d : a.at(2, "axis").integers()) axes.push_back(static_cast<int>(d));
  return shifts.size() == 1 && axes.size() == 1 ? roll(x, shifts[0], axes[0]) : roll(x, shifts, axes);
}
Value rot90_of(const A& a) {
  std::pair<int, int> axes{0, 1};
  if (a.has(2, "axes")) {
    const auto l = a.at(2, "axes").integers();
    axes = {static_cast<int>(l.at(0)), static_cast<int>(l.at(1))};
  }
  return rot90(a.array(0, "m"), integer(a, 1, "k", 1), axes);
}
Value repeat_of(const A& a) {
  const Array x = a.array(0, "a");
  const auto axis = a.maybe_integer(2, "axis");
  const Value& counts = a.at(1, "repeats");
  if (counts.get<Array>()) {
    RepeatOptions o{.axis = axis};
    if (a.has(99, "total_repeat_length")) o.total_repeat_length = a.integer(99, "total_repeat_length", 0);
    return repeat(x, counts.array(), o);
  }
  if (counts.get<Values>()) return repeat(x, counts.integers(), axis);
  return axis ? repeat(x, counts.integer(), *axis) : repeat(x, counts.integer());
}
Value insert_of(const A& a) {
  const auto axis = a.maybe_integer(3, "axis");
  const Value& at = a.at(1, "obj");
  if (at.get<std::int64_t>()) return insert(a.array(0, "arr"), at.integer(), a.array(2, "values"), axis);
  return insert(a.array(0, "arr"), at.integers(), a.array(2, "values"), axis);
}
Value delete_of(const A& a) {
  const auto axis = a.maybe_integer(2, "axis");
  const Value& at = a.at(1, "obj");
  if (const SliceOf* s = at.get<SliceOf>()) {
    auto bound = [](const std::optional<std::int64_t>& b) { return b ? SliceBound(*b) : SliceBound(none); };
    return delete_(a.array(0, "arr"), slice(bound(s->start), bound(s->stop), bound(s->step)), axis);
  }
  if (at.get<std::int64_t>()) return delete_(a.array(0, "arr"), at.integer(), axis);
  return delete_(a.array(0, "arr"), at.integers(), axis);
}
Value slice_of(const A& a) {
  auto at = [&](std::size_t i) {
    return i < a.positional.size() && !a.positional[i].is_none() ? std::optional(a.positional[i].integer())
                                                                 : std::nullopt;
  };
  if (a.positional.size() == 1) return SliceOf{{}, at(0), {}};
  return SliceOf{at(0), at(1), at(2)};
}
std::vector<std::pair<std::int64_t, std::int64_t>> widths_of(const Value& v) {
  if (!v.get<Values>()) return {{v.integer(), v.integer()}};
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (const Value& e : v.list()) {
    const auto l = e.integers();
    out.emplace_back(l.at(0), l.at(l.size() - 1));
  }
  return out;
}
std::vector<std::pair<double, double>> values_of(const Value& v) {
  if (!v.get<Values>()) return {{v.number(), v.number()}};
  std::vector<std::pair<double, double>> out;
  for (const Value& e : v.list()) out.emplace_back(e.list().at(0).number(), e.list().at(1).number());
  return out;
}
Value pad_of(const A& a) {
  static const std::map<std::string, PadMode> modes = {
      {"constant", PadMode::constant}, {"edge", PadMode::edge},           {"reflect", PadMode::reflect},
      {"wrap", PadMode::wrap},         {"symmetric", PadMode::symmetric}, {"linear_ramp", PadMode::linear_ramp},
      {"maximum", PadMode::maximum},   {"mean", PadMode::mean},           {"median", PadMode::median},
      {"minimum", PadMode::minimum},   {"empty", PadMode::empty}};
  PadOptions o{.mode = one_of(modes, a.text(2, "mode", "constant")),
               .odd = a.text(99, "reflect_type", "even") == "odd"};
  if (a.has(99, "constant_values")) o.constant_values = values_of(a.at(99, "constant_values"));
  if (a.has(99, "end_values")) o.end_values = values_of(a.at(99, "end_values"));
  if (a.has(99, "stat_length")) o.stat_length = widths_of(a.at(99, "stat_length"));
  return pad(a.array(0, "array"), widths_of(a.at(1, "pad_width")), o);
}

// --- differences

Value gradient_of(const A& a) {
  std::vector<Array> spacing;
  for (std::size_t i = 1; i < a.positional.size(); ++i) spacing.push_back(a.positional[i].array());
  const std::vector<Array> out = gradient(a.array(0, "f"), spacing, a.axes(99, "axis"));
  return out.size() == 1 ? Value(out[0]) : Value(out);
}
Value interp_of(const A& a) {
  InterpOptions o{
      .left = a.maybe_array(3, "left"), .right = a.maybe_array(4, "right"), .period = a.maybe_number(5, "period")};
  return interp(a.array(0, "x"), a.array(1, "xp"), a.array(2, "fp"), o);
}
Value trapezoid_of(const A& a) {
  const int axis = integer(a, 3, "axis", -1);
  return a.has(1, "x") ? trapezoid(a.array(0, "y"), a.array(1, "x"), axis)
                       : trapezoid(a.array(0, "y"), a.number(2, "dx", 1), axis);
}
Function convolve_of(Array (*f)(const In&, const In&, OneOf<ConvolveMode>), const char* otherwise) {
  return [=](const A& a) {
    static const std::map<std::string, ConvolveMode> modes = {
        {"full", ConvolveMode::full}, {"same", ConvolveMode::same}, {"valid", ConvolveMode::valid}};
    return f(a.array(0, "a"), a.array(1, "v"), one_of(modes, a.text(2, "mode", otherwise)));
  };
}
Function running_of(Array (*f)(const In&, std::optional<int>, std::optional<DType>)) {
  return [f](const A& a) { return f(a.array(0, "a"), a.maybe_integer(1, "axis"), a.dtype(2, "dtype")); };
}
Function cumulative_of(Array (*f)(const In&, const CumulativeOptions&)) {
  return [f](const A& a) {
    return f(a.array(0, "x"), {.axis = a.maybe_integer(99, "axis"),
                               .dtype = a.dtype(99, "dtype"),
                               .include_initial = a.flag(99, "include_initial")});
  };
}

BitOrder bit_order(const A& a) {
  return one_of<BitOrder>({{"big", BitOrder::big}, {"little", BitOrder::little}}, a.text(99, "bitorder", "big"));
}
std::optional<Dim> maybe_dim(const A& a, const char* name) {
  return a.has(99, name) ? std::optional<Dim>(a.integer(99, name, 0)) : std::nullopt;
}

Value average_of(const A& a) {
  const AverageOptions o{
      .weights = a.maybe_array(2, "weights"), .axes = a.axes(1, "axis"), .keepdims = a.flag(99, "keepdims")};
  const Average both = average_and_weight(a.array(0, "a"), o);
  return a.flag(3, "returned") ? Value(Values{both.average, both.weight}) : Value(both.average);
}

const Functions statistics({
    {"jnp.average", average_of},
    {"jnp.quantile", quantile_of(quantile)},
    {"jnp.nanquantile", quantile_of(nanquantile)},
    {"jnp.percentile", quantile_of(percentile)},
    {"jnp.nanpercentile", quantile_of(nanpercentile)},
    {"jnp.median", over_axes(median)},
    {"jnp.nanmedian", over_axes(nanmedian)},
    {"jnp.nanmin", over_axes(nanmin)},
    {"jnp.nanmax", over_axes(nanmax)},
    {"jnp.nanprod", over_axes(nanprod)},
    {"jnp.nansum", over_axes(nansum)},
    {"jnp.nanmean", over_axes(nanmean)},
    {"jnp.nanvar", spread_of(nanvar)},
    {"jnp.nanstd", spread_of(nanstd)},
    {"jnp.nanargmax", position_of(nanargmax)},
    {"jnp.nanargmin", position_of(nanargmin)},
    {"jnp.argmax", position_of(argmax)},
    {"jnp.argmin", position_of(argmin)},
    {"jnp.histogram", histogram_of},
    {"jnp.bincount", bincount_of},
    {"jnp.cov", cov_of},
    {"jnp.corrcoef", corrcoef_of},
    {"jnp.sum", reduced_with(sum_with)},
    {"jnp.prod", reduced_with(prod_with)},
    {"jnp.max", reduced_with(max_with)},
    {"jnp.min", reduced_with(min_with)},
    {"jnp.mean", reduced_with(mean_with)},
    {"jnp.var", reduced_with(var_with)},
    {"jnp.std", reduced_with(std_with)},
    {"jnp.any", reduced_with(any_with)},
    {"jnp.all", reduced_with(all_with)},
});
const Functions orders({
    {"jnp.searchsorted", searchsorted_of},
    {"jnp.digitize", [](const A& a) { return digitize(a.array(0, "x"), a.array(1, "bins"), a.flag(2, "right")); }},
    {"jnp.sort", sort_of},
    {"jnp.argsort", argsort_of},
    {"jnp.lexsort",
     [](const A& a) {
       std::vector<Array> keys = a.positional.size() > 1 ? Value(a.positional).arrays() : a.at(0, "keys").arrays();
       return lexsort(keys, integer(a, 99, "axis", -1));
     }},
    {"jnp.partition",
     [](const A& a) { return partition(a.array(0, "a"), integer(a, 1, "kth", 0), integer(a, 2, "axis", -1)); }},
    {"jnp.argpartition",
     [](const A& a) { return argpartition(a.array(0, "a"), integer(a, 1, "kth", 0), integer(a, 2, "axis", -1)); }},
    {"jnp.sort_complex", of_one(sort_complex)},
    {"jnp.unique", unique_of},
    {"jnp.union1d", set_of(union1d)},
    {"jnp.intersect1d", set_of(intersect1d)},
    {"jnp.setdiff1d", set_of(setdiff1d)},
    {"jnp.setxor1d", set_of(setxor1d)},
    {"jnp.isin", [](const A& a) { return isin(a.array(0, "x"), a.array(1, "among"), a.flag(99, "invert")); }},
    {"jnp.nonzero", [](const A& a) { return nonzero(a.array(0, "a"), size_options(a)); }},
    {"jnp.argwhere", [](const A& a) { return argwhere(a.array(0, "a"), size_options(a)); }},
    {"jnp.flatnonzero", [](const A& a) { return flatnonzero(a.array(0, "a"), size_options(a)); }},
    {"jnp.extract", [](const A& a) { return extract(a.array(0, "c"), a.array(1, "arr"), size_options(a)); }},
    {"jnp.compress",
     [](const A& a) {
       return compress(a.array(0, "c"), a.array(1, "a"), a.maybe_integer(2, "axis"), size_options(a));
     }},
    {"jnp.select", select_of},
    {"jnp.piecewise", piecewise_of},
    {"jnp.put_along_axis", put_along_of},
    {"jnp.take", take_of},
    {"jnp.apply_along_axis", apply_along_of},
});
const Functions grids({
    {"jnp.meshgrid", meshgrid_of},
    {"jnp.indices", [](const A& a) { return indices(Shape(a.at(0, "dimensions").integers())); }},
    {"jnp.linspace", linspace_of},
    {"jnp.logspace",
     [](const A& a) {
       return logspace(a.array(0, "start"), a.array(1, "stop"), a.integer(2, "num", 50), a.flag(3, "endpoint", true),
                       a.number(4, "base", 10));
     }},
    {"jnp.tril_indices", triangle_of(tril_indices)},
    {"jnp.triu_indices", triangle_of(triu_indices)},
    {"jnp.diag_indices", [](const A& a) { return diag_indices(a.integer(0, "n", 0), integer(a, 1, "ndim", 2)); }},
    {"jnp.unravel_index",
     [](const A& a) { return unravel_index(a.array(0, "indices"), Shape(a.at(1, "shape").integers())); }},
    {"jnp.ravel_multi_index", ravel_multi_of},
    {"jnp.diagonal",
     [](const A& a) {
       return diagonal(a.array(0, "a"), integer(a, 1, "offset", 0), integer(a, 2, "axis1", 0),
                       integer(a, 3, "axis2", 1));
     }},
    {"jnp.trace", [](const A& a) { return trace(a.array(0, "a"), integer(a, 1, "offset", 0)); }},
    {"jnp.append",
     [](const A& a) { return append(a.array(0, "arr"), a.array(1, "values"), a.maybe_integer(2, "axis")); }},
    {"jnp.array_split", array_split_of},
    {"jnp.hsplit", split_of(hsplit, hsplit)},
    {"jnp.vsplit", split_of(vsplit, vsplit)},
    {"jnp.dsplit", split_of(dsplit, dsplit)},
    {"jnp.dstack", [](const A& a) { return dstack(a.at(0, "tup").arrays()); }},
    {"jnp.column_stack", [](const A& a) { return column_stack(a.at(0, "tup").arrays()); }},
    {"jnp.atleast_1d", each_of(atleast_1d)},
    {"jnp.atleast_2d", each_of(atleast_2d)},
    {"jnp.atleast_3d", each_of(atleast_3d)},
    {"jnp.roll", roll_of},
    {"jnp.rot90", rot90_of},
    {"jnp.repeat", repeat_of},
    {"jnp.insert", insert_of},
    {"jnp.delete", delete_of},
    {"slice", slice_of},
    {"jnp.pad", pad_of},
    {"case.jnp_pad", pad_of},
});
const Functions differences({
    {"jnp.diff",
     [](const A& a) {
       DiffOptions o{.axis = integer(a, 2, "axis", -1)};
       o.prepend = a.maybe_array(3, "prepend");
       o.append = a.maybe_array(4, "append");
       return diff(a.array(0, "a"), integer(a, 1, "n", 1), o);
     }},
    {"jnp.ediff1d",
     [](const A& a) { return ediff1d(a.array(0, "ary"), a.maybe_array(1, "to_end"), a.maybe_array(2, "to_begin")); }},
    {"jnp.gradient", gradient_of},
    {"jnp.interp", interp_of},
    {"jnp.trapezoid", trapezoid_of},
    {"jnp.convolve", convolve_of(convolve, "full")},
    {"jnp.correlate", convolve_of(correlate, "valid")},
    {"jnp.cumprod", running_of(cumprod)},
    {"jnp.cumsum", running_of(cumsum)},
    {"jnp.nancumsum", running_of(nancumsum)},
    {"jnp.nancumprod", running_of(nancumprod)},
    {"jnp.cumulative_sum", cumulative_of(cumulative_sum)},
    {"jnp.cumulative_prod", cumulative_of(cumulative_prod)},
    {"jnp.polyval", [](const A& a) { return polyval(a.array(0, "p"), a.array(1, "x")); }},
    {"jnp.polyadd", [](const A& a) { return polyadd(a.array(0, "p"), a.array(1, "q")); }},
    {"jnp.polysub", [](const A& a) { return polysub(a.array(0, "p"), a.array(1, "q")); }},
    {"jnp.polymul", [](const A& a) { return polymul(a.array(0, "p"), a.array(1, "q")); }},
    {"jnp.polyder", [](const A& a) { return polyder(a.array(0, "p"), integer(a, 1, "m", 1)); }},
    {"jnp.polyint", [](const A& a) { return polyint(a.array(0, "p"), integer(a, 1, "m", 1), a.maybe_array(2, "k")); }},
    {"jnp.polyfit",
     [](const A& a) {
       return polyfit(a.array(0, "x"), a.array(1, "y"), integer(a, 2, "deg", 1),
                      {.rcond = a.maybe_number(3, "rcond"), .w = a.maybe_array(5, "w")});
     }},
    {"jnp.gcd", of_two(gcd)},
    {"jnp.lcm", of_two(lcm)},
    {"jnp.left_shift", of_two(left_shift)},
    {"jnp.right_shift", of_two(right_shift)},
    {"jnp.packbits", [](const A& a) { return packbits(a.array(0, "a"), a.maybe_integer(1, "axis"), bit_order(a)); }},
    {"jnp.unpackbits",
     [](const A& a) {
       return unpackbits(a.array(0, "a"), a.maybe_integer(1, "axis"), maybe_dim(a, "count"), bit_order(a));
     }},
});

}  // namespace
}  // namespace golden::python

// SPDX-License-Identifier: Apache-2.0
