// Linear systems and what is made of their solutions.
#include "linalg/inexact.hpp"
#include "tutti/transform/composite.hpp"
#include "tutti/transform/custom_rules.hpp"

namespace tutti::linalg {
namespace {

/// A vector as a matrix of one column; whether it was one.
bool as_columns(const char* function, const Array& a, Array& b) {
  const bool vector = b.ndim() == 1;
  if (vector) b = expand_dims(b, -1);
  if (b.ndim() < 2 || rows_of(b) != cols_of(a))
    raise<ShapeError>(function, "a is " + type_text(a) + ", b is " + type_text(b),
                      "b needs as many rows as a: " + std::to_string(cols_of(a)) + ".");
  return vector;
}
Array as_given(const Array& x, bool vector) { return vector ? squeeze(x, -1) : x; }

// Determinants of up to three rows by their formulas: their derivatives of any order need no division.
Array small_det(const Array& a) {
  auto at = [&](int i, int j) { return a(ellipsis, i, j); };
  switch (rows_of(a)) {
    case 1: return at(0, 0);
    case 2: return at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
    default:
      return at(0, 0) * at(1, 1) * at(2, 2) + at(0, 1) * at(1, 2) * at(2, 0) + at(0, 2) * at(1, 0) * at(2, 1) -
             at(0, 2) * at(1, 1) * at(2, 0) - at(0, 0) * at(1, 2) * at(2, 1) - at(0, 1) * at(1, 0) * at(2, 2);
  }
}

Array pinv_by_svd(const Array& a, double rtol, bool hermitian) {
  const auto [u, s, vh] = svd(a, false, hermitian);
  const Array cutoff = rtol * s(ellipsis, slice(1));
  const Array sizes = where(s > cutoff, s, std::numeric_limits<double>::infinity()).astype(a.dtype());
  return matmul(adjoint(vh), adjoint(u) / expand_dims(sizes, -1));
}
// Golub and Pereyra, SIAM Journal on Numerical Analysis 10 (1973).
Array pinv_tangent(const Array& a, const Array& p, const Array& da) {
  const Array s = matmul(p, matmul(adjoint(p), adjoint(da))), t = matmul(matmul(adjoint(da), adjoint(p)), p);
  return s - matmul(matmul(s, a), p) + t - matmul(p, matmul(a, t)) - matmul(matmul(p, da), p);
}

}  // namespace

Array solve(const In& left, const In& right) {
  CallScope scope(left.loc);
  auto [a, b] = inexact(left.array, right.array);
  need_square("solve", a);
  const bool vector = as_columns("solve", a, b);
  return as_given(composite(
                      "solve",
                      [](const Array& m, const Array& y) {
                        const auto [both, pivots, permutation] = lax::linalg::lu(lax::stop_gradient(m));
                        const auto [own, rhs] = same_batch("solve", m, y);
                        const Array factors = broadcast_to(both, own.shape());
                        const Array swaps = broadcast_to(pivots, joined(batch_of(own), {rows_of(own)}));
                        return lax::linalg::solve(own, {factors, swaps, {}}, rhs);
                      },
                      a, b),
                  vector);
}

Array inv(const In& in) {
  CallScope scope(in.loc);
  const Array a = inexact(need_square("inv", in.array));
  return solve(a, eye(rows_of(a), a.dtype()));
}

Array det(const In& in) {
  CallScope scope(in.loc);
  const Array a = inexact(need_square("det", in.array));
  if (rows_of(a) >= 1 && rows_of(a) <= 3)
    return composite(
        "det", [](const Array& x) { return small_det(x); }, a);
  return lax::linalg::det(a);
}
Slogdet slogdet(const In& in) {
  CallScope scope(in.loc);
  return lax::linalg::slogdet(inexact(need_square("slogdet", in.array)));
}

Lstsq lstsq(const In& left, const In& right, std::optional<double> rcond) {
  CallScope scope(left.loc);
  auto [a, b] = inexact(left.array, right.array);
  if (a.ndim() != 2 || b.ndim() < 1 || b.ndim() > 2 || a.shape()[0] != b.shape()[0])
    raise<ShapeError>("lstsq", "a is " + type_text(a) + ", b is " + type_text(b),
                      "a is a matrix, b a vector or matrix with as many rows: leading extents must match.");
  const bool vector = b.ndim() == 1;
  if (vector) b = expand_dims(b, -1);
  const std::int64_t m = rows_of(a), n = cols_of(a);
  Lstsq out;
  if (m == 0 || n == 0) {
    out = {zeros({n, cols_of(b)}, a.dtype()), {}, zeros({}, int32), zeros({0}, real_dtype(a))};
  } else {
    const auto [u, s, vh] = svd(a, false);
    const double limit = !rcond ? epsilon(a) * static_cast<double>(std::max(m, n)) : *rcond < 0 ? epsilon(a) : *rcond;
    const Array counts = (s > 0) & (s >= limit * s(slice(1)));
    const Array inverse = where(counts, 1 / where(counts, s, 1), 0).astype(a.dtype());
    out = {matmul(adjoint(vh), expand_dims(inverse, -1) * matmul(adjoint(u), b)), {}, sum(counts), s};
  }
  const Array off = b - matmul(a, out.x);
  out.residuals = off.dtype().is_complex() ? sum(square(real(off)) + square(imag(off)), 0) : sum(square(off), 0);
  out.x = as_given(out.x, vector);
  return out;
}

Array pinv(const In& in, std::optional<double> rtol, bool hermitian) {
  CallScope scope(in.loc);
  Array a = inexact(need_matrices("pinv", in.array));
  if (hermitian) a = (need_square("pinv", a) + adjoint(a)) / 2;
  if (rows_of(a) == 0 || cols_of(a) == 0) return zeros(joined(batch_of(a), {cols_of(a), rows_of(a)}), a.dtype());
  struct Limits {
    double rtol;
    bool hermitian;
  };
  static const auto& with_rule = *new auto(
      custom_jvp([](const Array& x, const Limits& limits) { return pinv_by_svd(x, limits.rtol, limits.hermitian); },
                 [](const std::tuple<Array, Limits>& args, const std::tuple<Array, Limits>& tangents) {
                   const auto& [x, limits] = args;
                   const Array p = pinv_by_svd(x, limits.rtol, limits.hermitian);
                   return std::pair{p, pinv_tangent(x, p, std::get<0>(tangents))};
                 }));
  const double limit = rtol.value_or(10 * epsilon(a) * static_cast<double>(std::max(rows_of(a), cols_of(a))));
  return with_rule(a, Limits{limit, hermitian});
}

Array matrix_rank(const In& in, std::optional<double> rtol, bool hermitian) {
  CallScope scope(in.loc);
  const Array a = inexact(in.array);
  if (a.ndim() < 2) return any(a != zero_of(a)).astype(int32);
  if (rows_of(a) == 0 || cols_of(a) == 0) return zeros(batch_of(a), int32);
  const Array s = svdvals(a, hermitian);
  const Array limit =
      rtol ? Array(*rtol)
           : s(ellipsis, slice(1)) * (epsilon(a) * static_cast<double>(std::max(rows_of(a), cols_of(a))));
  return sum(s > limit, -1);
}

Array cho_solve(const ChoFactor& factor, const In& right) {
  CallScope scope(right.loc);
  auto [c, b] = inexact(factor.c, right.array);
  need_square("cho_solve", c);
  const bool vector = as_columns("cho_solve", c, b);
  std::tie(c, b) = same_batch("cho_solve", c, b);
  using lax::linalg::triangular_solve;
  const Array first = triangular_solve(
      c, b, {.left_side = true, .lower = factor.lower, .transpose_a = !factor.lower, .conjugate_a = !factor.lower});
  return as_given(
      triangular_solve(
          c, first,
          {.left_side = true, .lower = factor.lower, .transpose_a = factor.lower, .conjugate_a = factor.lower}),
      vector);
}

Array solve_triangular(const In& left, const In& right, const TriangularOptions& options) {
  CallScope scope(left.loc);
  auto [a, b] = inexact(left.array, right.array);
  need_square("solve_triangular", a);
  const bool vector = as_columns("solve_triangular", a, b);
  std::tie(a, b) = same_batch("solve_triangular", a, b);
  return as_given(lax::linalg::triangular_solve(a, b,
                                                {.left_side = true,
                                                 .lower = options.lower,
                                                 .transpose_a = options.trans != Trans::none,
                                                 .conjugate_a = options.trans == Trans::adjoint,
                                                 .unit_diagonal = options.unit_diagonal}),
                  vector);
}

Array lu_solve(const LuFactor& factors, const In& right, OneOf<Trans> trans) {
  CallScope scope(right.loc);
  auto [lu, b] = inexact(factors.lu, right.array);
  need_square("lu_solve", lu);
  const bool vector = as_columns("lu_solve", lu, b);
  const Array swaps = factors.pivots;
  std::tie(lu, b) = same_batch("lu_solve", lu, b);
  // Differentiable by the factors: two triangular solves and the permutation that the swaps make.
  const std::int64_t n = rows_of(lu);
  Array order = broadcast_to(arange(n), swaps.shape());
  for (std::int64_t i = 0; i < n; ++i) {
    const Array at = swaps(ellipsis, slice(i, i + 1)), here = order(ellipsis, slice(i, i + 1));
    const Array there = take_along_axis(order, at, -1);
    order = where(arange(n) == i, there, where(arange(n) == at, here, order));
  }
  order = broadcast_to(order, joined(batch_of(lu), {n}));
  using lax::linalg::triangular_solve;
  if (trans == Trans::none) {
    const Array moved = take_along_axis(b, expand_dims(order, -1), -2);
    const Array first = triangular_solve(lu, moved, {.left_side = true, .lower = true, .unit_diagonal = true});
    return as_given(triangular_solve(lu, first, {.left_side = true}), vector);
  }
  const bool adjoint = trans == Trans::adjoint;
  const Array first = triangular_solve(lu, b, {.left_side = true, .transpose_a = true, .conjugate_a = adjoint});
  const Array x = triangular_solve(
      lu, first,
      {.left_side = true, .lower = true, .transpose_a = true, .conjugate_a = adjoint, .unit_diagonal = true});
  return as_given(take_along_axis(x, expand_dims(argsort(order), -1), -2), vector);
}

Array tensorinv(const In& in, int ind) {
  CallScope scope(in.loc);
  const Array a = inexact(in.array);
  if (ind <= 0 || ind > a.ndim())
    raise<ValueError>("tensorinv", "ind is " + std::to_string(ind) + " for " + type_text(a), "It is 1 or more.");
  Shape first, last;
  for (int d = 0; d < a.ndim(); ++d) (d < ind ? first : last).push_back(a.shape()[static_cast<std::size_t>(d)]);
  if (first.num_elements() != last.num_elements())
    raise<ShapeError>("tensorinv", type_text(a) + " with ind " + std::to_string(ind) + " is not square",
                      "The extents before and behind need the same product.");
  for (std::int64_t d : first) last.push_back(d);
  return inv(a.reshape(Shape{first.num_elements(), first.num_elements()})).reshape(last);
}
Array tensorsolve(const In& left, const In& right, const std::vector<int>& axes) {
  CallScope scope(left.loc);
  auto [a, b] = inexact(left.array, right.array);
  if (!axes.empty()) {
    std::vector<int> last;
    for (std::size_t k = 0; k < axes.size(); ++k) last.push_back(a.ndim() - static_cast<int>(axes.size() - k));
    a = moveaxis(a, axes, last);
  }
  Shape first, out;
  for (int d = 0; d < a.ndim(); ++d) (d < b.ndim() ? first : out).push_back(a.shape()[static_cast<std::size_t>(d)]);
  if (first != b.shape() || b.size() != out.num_elements())
    raise<ShapeError>("tensorsolve", "a is " + type_text(a) + ", b is " + type_text(b),
                      "a's first extents are b's, and the others have the same product.");
  return solve(a.reshape(Shape{b.size(), b.size()}), ravel(b)).reshape(out);
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
