// Running combinations of an associative function along an axis.
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace detail {

/// How many elements the leaves of `xs` have along `axis`. ShapeError when they disagree or one is a scalar.
std::int64_t scan_length(const char* what, const std::vector<Array>& xs, std::int64_t given, int axis, Loc loc);
/// From `first` to the element before `last` along an axis; with a step of 2 every other one.
Array part_between(const Array& x, std::int64_t first, std::int64_t last, int axis, std::int64_t step = 1);
/// ShapeError when combining changed a shape or dtype.
void check_combined(const std::vector<Array>& given, const std::vector<Array>& got, Loc loc);
Array joined(const Array& x, const Array& y, int axis);
/// even[0], odd[0], even[1], ... along an axis; `even` has as many elements as `odd`, or one more.
Array interleaved(const Array& even, const Array& odd, int axis);
Array reversed(const Array& x, int axis);

/// For n elements: neighbours are combined, of these pairs the running combinations are found, which are those of the
/// odd elements, and the even ones are one step further.
template <class F, class X> X running(const F& fn, const X& xs, std::int64_t n, int axis, Loc loc) {
  if (n < 2) return xs;
  auto part = [&](const X& from, std::int64_t first, std::int64_t last, std::int64_t step = 1) {
    return tree::map([&](const Array& x) { return part_between(x, first, last, axis, step); }, from);
  };
  const X left = part(xs, 0, n - 1, 2), pairs = X(fn(left, part(xs, 1, n, 2)));
  check_combined(tree::leaves(left), tree::leaves(pairs), loc);
  const X odd = running(fn, pairs, n / 2, axis, loc);
  X even = part(xs, 0, 1);
  if (n > 2) {
    const X rest = fn(n % 2 ? odd : part(odd, 0, n / 2 - 1), part(xs, 2, n, 2));
    even = tree::map([&](const Array& x, const Array& y) { return joined(x, y, axis); }, even, rest);
  }
  return tree::map([&](const Array& x, const Array& y) { return interleaved(x, y, axis); }, even, odd);
}

}  // namespace detail

namespace lax {

struct AssociativeScanOptions {
  bool reverse = false;
  int axis = 0;
};
/// The running combination along an axis: element i is fn over elements 0 to i, in reverse over the last to i.
/// `fn(left, right)` must be associative, and takes and returns many elements at once: about 2 n calls' worth of them,
/// in 2 log2(n) calls. ShapeError when it returns another shape or dtype. Source: jax.lax.associative_scan.
template <class F, Tree X>
X associative_scan(const F& fn, const X& xs, AssociativeScanOptions options = {}, Loc loc = Loc::current()) {
  const int axis = options.axis;
  const std::int64_t n = detail::scan_length("associative_scan", tree::leaves(xs), -1, axis, loc);
  auto turned = [&](const X& x) {
    return options.reverse ? tree::map([&](const Array& a) { return detail::reversed(a, axis); }, x) : x;
  };
  detail::refuse_empty(fn, "associative_scan", loc);
  const InsideCall inside("associative_scan", loc);
  return turned(detail::running(fn, turned(xs), n, axis, loc));
}

}  // namespace lax
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
