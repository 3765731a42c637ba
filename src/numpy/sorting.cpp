#include "tutti/numpy/sorting.hpp"

#include <algorithm>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

namespace {

// x < y in the order of sort, where NaN is last; with `or_equal` also where neither is less.
Array before(const Array& x, const Array& y, bool or_equal) {
  if (!x.dtype().is_inexact()) return or_equal ? x <= y : x < y;
  return or_equal ? (x <= y) | isnan(y) : (x < y) | (isnan(y) & ~isnan(x));
}

// Halves the interval as often as there are bits in n + 1.
Array bisected(const Array& sorted, const Array& x, bool right) {
  const std::int64_t n = sorted.size();
  Array low = zeros(x.shape(), int32), high = full(x.shape(), Array(n), int32);
  for (std::int64_t width = n; width > 0; width /= 2) {
    const Array middle = low + right_shift(high - low, 1);
    const Array at = take(sorted, middle, TakeMode::clip);
    // In an empty interval nothing moves: middle is high.
    const Array go_left = right ? before(x, at, false) : before(x, at, true);
    const Array open = low < high;
    high = where(open & go_left, middle, high);
    low = where(open & ~go_left, middle + 1, low);
  }
  return low;
}

}  // namespace

Array searchsorted(const In& sorted, const Operand& x, const SearchOptions& options) {
  CallScope scope(sorted.loc);
  if (sorted.array.ndim() != 1)
    raise<ShapeError>("searchsorted", "the sorted array is " + sorted.array.type().str(), "It takes a vector.");
  std::vector<Array> xs =
      ops::same_dtype({options.sorter.has_value() ? take(sorted, options.sorter) : sorted.array, x.array});
  return composite(
      "searchsorted", [](const Array& s, const Array& v, bool right) { return bisected(s, v, right); }, xs[0], xs[1],
      options.right);
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
  return argsort(x, axis);
}
Array sort_complex(const In& x) {
  CallScope scope(x.loc);
  return lax::convert_element_type(sort(x), complex_dtype(x.array.dtype()));
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
        const Dims along{dim};
        const Array positions = lax::iota(int32, v.shape(), dim);
        // Stable and descending: the reversed array sorted, and read from its end.
        std::vector<Array> sorted = lax::sort({lax::rev(v, along), lax::rev(positions, along)}, dim, 1);
        Dims start(v.shape().size(), 0), limit = v.shape().dims();
        start[static_cast<std::size_t>(dim)] = v.shape()[dim] - count;
        for (Array& s : sorted) s = lax::rev(lax::slice(s, start, limit), along);
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
