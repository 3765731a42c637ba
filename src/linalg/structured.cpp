// Systems and products whose matrices have a structure: made of loops and products, whose derivatives are theirs.
#include <string>
#include <utility>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/linalg.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax::linalg {
namespace {

Array column(const Array& x) { return expand_dims(x, -1); }

// Rows of a tridiagonal system, or those of the first n - 1 or last n - 1 of them.
struct Row {
  Array lower, diagonal, upper, b;
};
struct Remainder {
  Array diagonal, upper, b;
};
struct Eliminated {
  Array diagonal, upper, second, b;  // `second`: above `upper`, where rows changed places
};

// One step of elimination: the larger of two elements is the pivot, as in LAPACK's gtsv.
std::pair<Remainder, Eliminated> eliminate(const Remainder& now, const Row& next) {
  const Array swap = abs(next.lower) > abs(now.diagonal), swap_b = column(swap);
  const Array pivot = where(swap, next.lower, now.diagonal);
  const Array factor = where(swap, now.diagonal, next.lower) / pivot, factor_b = column(factor);
  return {{where(swap, now.upper - factor * next.diagonal, next.diagonal - factor * now.upper),
           where(swap, -factor * next.upper, next.upper),
           where(swap_b, now.b - factor_b * next.b, next.b - factor_b * now.b)},
          {pivot, where(swap, next.diagonal, now.upper), where(swap, next.upper, 0), where(swap_b, next.b, now.b)}};
}

Array from(const Array& x, std::int64_t first, std::int64_t last) { return x(tutti::slice(first, last)); }

void check_diagonals(const Array& dl, const Array& d, const Array& du, const Array& b) {
  const bool fits = d.ndim() >= 1 && dl.shape() == d.shape() && du.shape() == d.shape() && b.ndim() == d.ndim() + 1 &&
                    Shape(std::vector<std::int64_t>(b.shape().begin(), b.shape().end() - 1)) == d.shape();
  if (!fits)
    raise<ShapeError>(
        "lax::linalg::tridiagonal_solve",
        "the diagonals are " + type_text(dl) + ", " + type_text(d) + " and " + type_text(du) + ", b is " + type_text(b),
        "Diagonals are [..., n], b is [..., n, k].");
  if (dl.dtype() != d.dtype() || du.dtype() != d.dtype() || b.dtype() != d.dtype() || !d.dtype().is_inexact())
    raise<TypeError>(
        "lax::linalg::tridiagonal_solve",
        "the operands are " + type_text(dl) + ", " + type_text(d) + ", " + type_text(du) + " and " + type_text(b),
        "Convert them to one floating or complex dtype.");
}

}  // namespace

Array tridiagonal_solve(const In& dl, const In& d, const In& du, const In& b) {
  CallScope scope(d.loc);
  check_diagonals(dl.array, d.array, du.array, b.array);
  const std::int64_t n = d.array.shape(-1);
  if (n == 0) return b.array;
  const Array lower = moveaxis(dl, -1, 0), diagonal = moveaxis(d, -1, 0), right = moveaxis(b, -2, 0);
  const Array above = moveaxis(du, -1, 0);
  const Array upper = concatenate({from(above, 0, n - 1), zeros_like(from(above, n - 1, n))}, 0);
  const Remainder first{diagonal(0), upper(0), right(0)};
  const Row rest{from(lower, 1, n), from(diagonal, 1, n), from(upper, 1, n), from(right, 1, n)};
  const auto [last, rows] = lax::scan(eliminate, first, rest);
  const Array x_last = last.b / column(last.diagonal);
  auto back = [](const std::pair<Array, Array>& below, const Eliminated& row) {
    const Array x =
        (row.b - column(row.upper) * below.first - column(row.second) * below.second) / column(row.diagonal);
    return std::pair{std::pair{x, below.first}, x};
  };
  const Array xs = lax::scan(back, std::pair{x_last, zeros_like(x_last)}, rows, {.reverse = true}).second;
  return moveaxis(concatenate({xs, expand_dims(x_last, 0)}, 0), 0, -2);
}

Array symmetric_product(const In& a, const In& c, const Operand& alpha, const Operand& beta) {
  CallScope scope(a.loc);
  if (a.array.ndim() < 2 || c.array.ndim() != a.array.ndim() || c.array.shape(-1) != a.array.shape(-2) ||
      c.array.shape(-2) != a.array.shape(-2))
    raise<ShapeError>("lax::linalg::symmetric_product", "a is " + type_text(a.array) + ", c " + type_text(c.array),
                      "They are [..., n, k] and [..., n, n].");
  return alpha.array * matmul(a, swapaxes(a, -1, -2)) + beta.array * c.array;
}

Array lu_pivots_to_permutation(const In& pivots, Dim permutation_size) {
  CallScope scope(pivots.loc);
  if (pivots.array.ndim() < 1 || !pivots.array.dtype().is_integer() || pivots.array.shape(-1) > permutation_size)
    raise<ValueError>(
        "lax::linalg::lu_pivots_to_permutation",
        "pivots are " + type_text(pivots.array) + " for a permutation of " + std::to_string(permutation_size),
        "Give integers [..., k] with k at most the size of the permutation.");
  const Array swaps = moveaxis(pivots, -1, 0);
  Shape whole(std::vector<std::int64_t>(pivots.array.shape().begin(), pivots.array.shape().end() - 1));
  whole.push_back(permutation_size);
  const Array rows = arange(static_cast<std::int64_t>(permutation_size)).astype(pivots.array.dtype());
  auto swap = [&](const Array& p, const std::pair<Array, Array>& step) {
    const Array i = column(step.first), j = column(step.second);
    const Array here = take_along_axis(p, broadcast_to(i, j.shape()), -1), there = take_along_axis(p, j, -1);
    return std::pair{where(rows == i, there, where(rows == j, here, p)), std::vector<Array>()};
  };
  const Array places = arange(swaps.shape(0)).astype(pivots.array.dtype());
  Array each = places;  // as many dims as a row of swaps has
  for (int k = 1; k < swaps.ndim(); ++k) each = column(each);
  return lax::scan(swap, broadcast_to(rows, whole), std::pair{broadcast_to(each, swaps.shape()), swaps}).first;
}

Array householder_product(const In& a, const In& taus) {
  CallScope scope(a.loc);
  const Array &v = a.array, &t = taus.array;
  if (v.ndim() < 2 || v.shape(-2) < v.shape(-1) || t.ndim() != v.ndim() - 1 || t.shape(-1) > v.shape(-1))
    raise<ShapeError>("lax::linalg::householder_product", "a is " + type_text(v) + ", taus are " + type_text(t),
                      "They are [..., m, n] and [..., k] with m >= n >= k.");
  const std::int64_t m = v.shape(-2), n = v.shape(-1), k = t.shape(-1);
  const Array below = tril(v, -1) + eye(m, n, 0, v.dtype());  // the reflectors' first element is 1
  const Array reflectors = moveaxis(below, -1, 0)(tutti::slice(0, k));
  auto reflect = [](const Array& q, const std::pair<Array, Array>& r) {
    const Array w = column(r.first), along = matmul(tutti::conj(swapaxes(w, -1, -2)), q);
    return std::pair{q - column(column(r.second)) * (w * along), std::vector<Array>()};
  };
  return lax::scan(reflect, broadcast_to(eye(m, n, 0, v.dtype()), v.shape()), std::pair{reflectors, moveaxis(t, -1, 0)},
                   {.reverse = true})
      .first;
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
