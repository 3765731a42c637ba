#include "tutti/numpy/sorting.hpp"

#include <algorithm>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "ops/reduction/search.hpp"
#include "ops/reduction/sort.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

namespace {
// As sort orders them: NaN is behind all numbers, and all NaNs are one.
struct Ordered {
  Array less, same;
};
Ordered ordered(const Array& x, const Array& y) {
  const Array no_x = isnan(x), no_y = isnan(y);
  return {(x < y) | (~no_x & no_y), (x == y) | (no_x & no_y)};
}
// By halving: the real parts decide, then the imaginary ones.
Array complex_search(const Array& sorted, const Array& wanted, bool right) {
  const std::int64_t n = sorted.size();
  Array low = zeros(wanted.shape(), int32), high = full(wanted.shape(), Array(n), int32);
  for (std::int64_t left = n; left > 0; left /= 2) {
    const Array at = floor_divide(low + high, 2), open = low < high;
    const Array there = take(sorted, at, TakeMode::clip);
    const Array &a = right ? wanted : there, &b = right ? there : wanted;
    const Ordered re = ordered(real(a), real(b)), im = ordered(imag(a), imag(b));
    const Array less = re.less | (re.same & im.less), further = right ? ~less : less;
    low = where(open & further, at + 1, low);
    high = where(open & ~further, at, high);
  }
  return low;
}
}  // namespace

Array searchsorted(const In& sorted, const Operand& x, const SearchOptions& options) {
  CallScope scope(sorted.loc);
  if (sorted.array.ndim() != 1)
    raise<ShapeError>("searchsorted", "the sorted array is " + sorted.array.type().str(), "It takes a vector.");
  const bool right = options.right || options.side == Side::right;
  std::vector<Array> xs =
      ops::same_dtype({options.sorter.has_value() ? take(sorted, options.sorter) : sorted.array, x.array});
  if (xs[0].dtype().is_complex())
    return composite(
        "searchsorted", [](const Array& s, const Array& v, bool right) { return complex_search(s, v, right); }, xs[0],
        xs[1], right);
  return bind1(ops::search, ops::Search{.right = right}, xs);
}

Array digitize(const Operand& x, const In& bins, bool right) {
  CallScope scope(bins.loc);
  if (bins.array.ndim() != 1)
    raise<ShapeError>("digitize", "the bins are " + bins.array.type().str(), "They are a vector.");
  if (bins.array.size() == 0) return zeros(x.array.shape(), int32);
  return composite(
      "digitize",
      [](const Array& v, const Array& b, bool left) {
        const std::int64_t n = b.size();
        const SearchOptions side{.right = !left};
        // Of descending bins those behind the place in ascending ones.
        return where(b[n - 1] >= b[0], searchsorted(b, v, side), n - searchsorted(flip(b), v, side));
      },
      x.array, bins.array, right);
}

Array lexsort(const ArrayList& keys, int axis) {
  CallScope scope(keys.loc);
  if (keys.arrays.empty()) raise<ValueError>("lexsort", "there are no keys", "Give at least one.");
  const Array& last = keys.arrays.back();
  if (last.ndim() == 0) return zeros({}, int32);
  const int d = ops::normal_axis("lexsort", axis, last);
  std::vector<Array> operands(keys.arrays.rbegin(), keys.arrays.rend());
  operands.push_back(lax::iota(int64, last.shape(), d));
  return lax::sort(operands, d, static_cast<int>(keys.arrays.size())).back();
}

namespace {
void check_kth(const char* function, const Array& x, int kth, int axis) {
  const std::int64_t n = x.shape()[ops::normal_axis(function, axis, x)];
  if (kth < -n || kth >= n)
    raise<ValueError>(function, "kth is " + std::to_string(kth) + " for " + x.type().str(),
                      "Give a position along the axis.");
}
}  // namespace
Array partition(const In& x, int kth, int axis) {
  CallScope scope(x.loc);
  check_kth("partition", x.array, kth, axis);
  return sort(x, axis);
}
Array argpartition(const In& x, int kth, int axis) {
  CallScope scope(x.loc);
  check_kth("argpartition", x.array, kth, axis);
  return lax::convert_element_type(argsort(x, axis), int32);
}
Array sort_complex(const In& x) {
  CallScope scope(x.loc);
  return lax::convert_element_type(sort(x), complex_dtype(ops::promote_inexact({x.array}).dtype));
}

namespace lax {

TopK top_k(const In& x, std::int64_t k, int axis) {
  CallScope scope(x.loc);
  const int d = ops::normal_axis("top_k", axis, x.array);
  if (k < 0) raise<ValueError>("top_k", "k is " + std::to_string(k), "Ask for 0 elements or more.");
  if (k > x.array.shape()[d])
    raise<ValueError>("top_k",
                      "the " + std::to_string(k) + " largest along dim " + std::to_string(d) + " of " +
                          x.array.type().str() + ", which has fewer",
                      "Ask for as many as there are, or fewer.");
  const auto both = composite(
      "top_k",
      [](const Array& v, int dim, std::int64_t count) {
        std::vector<Array> sorted =
            tutti::bind(ops::sort, ops::Sort{.dim = dim, .descending = true}, {v, lax::iota(int32, v.shape(), dim)});
        Dims start(v.shape().size(), 0), limit = v.shape().dims();
        limit[static_cast<std::size_t>(dim)] = count;
        for (Array& s : sorted) s = lax::slice(s, start, limit);
        return std::pair{sorted[0], sorted[1]};
      },
      x.array, d, k);
  return {both.first, both.second};
}

std::pair<Array, Array> sort_key_val(const In& keys, const In& values, int dim) {
  CallScope scope(keys.loc);
  std::vector<Array> sorted =
      lax::sort({keys.array, values.array}, ops::normal_axis("sort_key_val", dim, keys.array), 1);
  return {sorted[0], sorted[1]};
}

}  // namespace lax

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
