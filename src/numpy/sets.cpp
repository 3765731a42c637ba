#include "tutti/numpy/sets.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/differences.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

namespace {

// Whether a row of a matrix whose rows are sorted differs from the one before it.
Array differs_from_before(const Array& rows, bool equal_nan) {
  return composite(
      "unique",
      [](const Array& x, bool nan_is_one) {
        Array differs = x(slice(1, none)) != x(slice(0, -1));
        if (nan_is_one && x.dtype().is_inexact()) {
          const Array absent = isnan(x);
          differs = differs & ~(absent(slice(1, none)) & absent(slice(0, -1)));
        }
        return concatenate({ones({1}, bool_), any(differs, 1)});
      },
      rows, equal_nan);
}

// x as rows, sorted; whether a row differs from the one before it; where it stood, if `from` is wanted or rows are not
// single elements.
struct Sorted {
  Array rows, first, from;
};
Sorted sorted_rows(const Array& in, bool equal_nan, bool from) {
  // A complex NaN may have its NaN in either part; as one value they stand together, behind all others.
  const Array x = in.dtype().is_complex() ? where(isnan(in), array(std::complex(NAN, 0.f)), in) : in;
  const std::int64_t n = x.shape()[0];
  if (x.ndim() == 1 && !from) {
    const Array rows = sort(x);
    return {rows, differs_from_before(reshape(rows, {n, 1}), equal_nan), {}};
  }
  const Array columns = reshape(x, Shape{n, n ? x.size() / n : 0});
  std::vector<Array> keys;
  for (std::int64_t k = columns.shape()[1]; k-- > 0;) keys.push_back(columns(all, k));
  const Array at = keys.empty() ? lax::iota(int64, {n}, 0) : lexsort(keys);
  const Array rows = take(x, at, 0, TakeMode::clip);
  return {rows, differs_from_before(reshape(rows, columns.shape()), equal_nan), at};
}

[[noreturn]] void traced(const char* name, const Array& x) {
  raise<TracerError>(name, "the size of the result depends on the values of " + x.type().str() + ", a traced array",
                     "Give .size: as many results there will be.");
}

// What is asked for beside the values.
struct Wanted {
  bool indices = false, inverse = false, counts = false;
};
Unique unique_of(const char* name, const Array& in, const UniqueOptions& o, Wanted wanted) {
  const Array x = o.axis ? moveaxis(in, ops::normal_axis(name, *o.axis, in), 0) : ravel(in);
  if (!o.size && x.is_traced()) traced(name, in);
  const std::int64_t n = x.shape()[0];
  if (n == 0) {
    if (o.size && *o.size > 0 && !o.fill_value.has_value())
      raise<ValueError>(name, "there is no element to fill " + std::to_string(o.size->value) + " places with",
                        "Give .fill_value.");
    Shape shape = x.shape();
    shape[0] = o.size ? o.size->value : 0;
    const Array none = zeros({shape[0]}, int32);
    return {o.size ? full(shape, o.fill_value.has_value() ? o.fill_value : Array(0), x.dtype()) : x, none,
            zeros({0}, int32), none};
  }
  const Sorted s = sorted_rows(x, o.equal_nan, wanted.indices || wanted.inverse);
  const std::int64_t size = o.size ? o.size->value : sum(s.first).item<std::int64_t>();
  const Array firsts = flatnonzero(s.first, {.size = size, .fill_value = Array(n)}), there = firsts < n;
  // Places behind the last one show the first element.
  const Array at = where(there, firsts, Array(0));
  Unique out;
  out.values = take(s.rows, at, 0, TakeMode::clip);
  if (o.size && o.fill_value.has_value()) {
    Array mask = there;
    while (mask.ndim() < out.values.ndim()) mask = expand_dims(mask, -1);
    out.values = where(mask, out.values, lax::convert_element_type(o.fill_value, x.dtype()));
  }
  if (o.axis) out.values = moveaxis(out.values, 0, ops::normal_axis(name, *o.axis, in));
  if (wanted.indices) out.indices = take(s.from, at, 0, TakeMode::clip);
  if (wanted.counts)
    out.counts = lax::convert_element_type(
        concatenate({firsts, full({1}, Array(n), firsts.dtype())})(slice(1, none)) - firsts, int32);
  if (wanted.inverse) {
    out.inverse = zeros({n}, int32).at(s.from).set(cumsum(s.first, 0, int32) - 1);
    if (!o.axis) out.inverse = reshape(out.inverse, in.shape());
  }
  return out;
}

std::vector<Array> flat_pair(const Array& x, const Array& y) { return ops::same_dtype({ravel(x), ravel(y)}); }
// What fills the places that are too many, unless it is given: 0, or the least that is kept, as in JAX.
enum class Filled { zero, least };
Array kept(const Array& x, const Array& mask, const SizeOptions& o, Filled filled = Filled::zero) {
  if (!o.size) return extract(mask, x);
  if (x.size() == 0) return full({o.size->value}, o.fill_value.has_value() ? o.fill_value : Array(0), x.dtype());
  SizeOptions which = o;
  which.fill_value = Array(x.size());
  const Array at = flatnonzero(mask, which);
  const Array found = take(x, at, TakeMode::clip);
  const Array there = lax::iota(int32, {o.size->value}, 0) < sum(mask);
  if (o.fill_value.has_value()) return where(there, found, o.fill_value);
  const Array zeroed = where(there, found, Array(0));
  if (filled == Filled::zero || o.size->value == 0) return zeroed;
  return where(there, zeroed, min(where(there, zeroed, max(zeroed))));
}
// x sorted, without repetition; behind the true ones NaN-like places that `there` leaves out.
struct Distinct {
  Array values, there;
};
Distinct distinct(const Array& x, bool sized) {
  if (!sized) {
    const Array u = unique(x);
    return {u, ones(u.shape(), bool_)};
  }
  if (x.size() == 0) return {x, ones(x.shape(), bool_)};
  const Sorted s = sorted_rows(x, true, false);
  return {s.rows, s.first};
}

}  // namespace

Array unique(const In& x, const UniqueOptions& o) {
  CallScope scope(x.loc);
  return unique_of("unique", x.array, o, {}).values;
}
Unique unique_all(const In& x, const UniqueOptions& o) {
  CallScope scope(x.loc);
  return unique_of("unique_all", x.array, o, {true, true, true});
}
std::pair<Array, Array> unique_counts(const In& x, const UniqueOptions& o) {
  CallScope scope(x.loc);
  const Unique u = unique_of("unique_counts", x.array, o, {.counts = true});
  return {u.values, u.counts};
}
std::pair<Array, Array> unique_inverse(const In& x, const UniqueOptions& o) {
  CallScope scope(x.loc);
  const Unique u = unique_of("unique_inverse", x.array, o, {.inverse = true});
  return {u.values, u.inverse};
}
Array unique_values(const In& x, const UniqueOptions& o) {
  CallScope scope(x.loc);
  return unique_of("unique_values", x.array, o, {}).values;
}

Array union1d(const In& x, const In& y, const SizeOptions& o) {
  CallScope scope(x.loc);
  return unique(concatenate(flat_pair(x.array, y.array)), {.size = o.size, .fill_value = o.fill_value});
}
Array intersect1d(const In& x, const In& y, const SizeOptions& o) {
  CallScope scope(x.loc);
  const std::vector<Array> xs = flat_pair(x.array, y.array);
  if (!o.size && (xs[0].is_traced() || xs[1].is_traced())) traced("intersect1d", x.array);
  const Distinct d = distinct(xs[0], o.size.has_value());
  return kept(d.values, d.there & isin(d.values, xs[1]), o, Filled::least);
}
Intersection intersect1d_indices(const In& x, const In& y) {
  CallScope scope(x.loc);
  const std::vector<Array> xs = flat_pair(x.array, y.array);
  const Unique a = unique_all(xs[0]), b = unique_all(xs[1]);
  const Array in_a = isin(a.values, b.values), in_b = isin(b.values, a.values);
  return {extract(in_a, a.values), extract(in_a, a.indices), extract(in_b, b.indices)};
}
Array setdiff1d(const In& x, const In& y, const SizeOptions& o) {
  CallScope scope(x.loc);
  const std::vector<Array> xs = {ravel(x.array), ravel(y.array)};
  if (!o.size && (xs[0].is_traced() || xs[1].is_traced())) traced("setdiff1d", x.array);
  const Distinct d = distinct(xs[0], o.size.has_value());
  return kept(d.values, d.there & isin(d.values, xs[1], true), o);
}
Array setxor1d(const In& x, const In& y, const SizeOptions& o) {
  CallScope scope(x.loc);
  const std::vector<Array> xs = flat_pair(x.array, y.array);
  if (!o.size && (xs[0].is_traced() || xs[1].is_traced())) traced("setxor1d", x.array);
  const Array both = concatenate(xs);
  const Distinct d = distinct(both, o.size.has_value());
  // Each is in one of them at least; a NaN is in none.
  const Array in_both = isin(d.values, xs[0]) & isin(d.values, xs[1]);
  return kept(d.values, d.there & ~in_both, o, Filled::least);
}

Array isin(const In& x, const In& among, bool invert) {
  CallScope scope(x.loc);
  std::vector<Array> xs = ops::same_dtype({x.array, ravel(among.array)});
  if (xs[1].size() == 0) return full(x.array.shape(), Array(invert), bool_);
  // The first element that is not less: equal, or there is none.
  const Array sorted = sort(xs[1]), at = searchsorted(sorted, xs[0]);
  const Array found = take(sorted, at, TakeMode::clip);
  return invert ? found != xs[0] : found == xs[0];
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
