// Sources: Higham, Functions of Matrices (roots by columns of the Schur form); Golub and Van Loan (Parlett's
// recurrence, Bartels and Stewart's method, Levinson's recursion).
#include "tutti/linalg/matrix_functions.hpp"

#include <limits>
#include <utility>

#include "linalg/inexact.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/implicit.hpp"
#include "tutti/numpy/matrix.hpp"
#include "tutti/transform/closure.hpp"
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::linalg {
namespace {

Array complex_of(const Array& x) { return x.astype(complex_dtype(x.dtype())); }
Array column_at(const Array& m, const Array& k) { return m(ellipsis, k); }
Schur complex_schur(const Array& a) {
  const lax::linalg::Schur s = lax::linalg::schur(complex_of(a));
  return {s.t, s.q};
}
// The x of (upper + shift 1) x = b[..., n], where a zero on the diagonal is the least number: 0 over it is 0.
Array shifted_solve(const Array& upper, const Array& shift, const Array& b) {
  const std::int64_t n = cols_of(upper);
  const Array on = eye(n, bool_), sums = upper + expand_dims(shift, {-2, -1});
  const Array safe = where(sums == 0, std::numeric_limits<float>::min(), sums);
  const Array matrix = where(on, safe, upper).astype(upper.dtype());
  return squeeze(lax::linalg::triangular_solve(matrix, expand_dims(b, -1), {.left_side = true}), -1);
}

Array sylvester_once(const Array& a, const Array& b, const Array& c) {
  const Schur left = complex_schur(a), right = complex_schur(b);
  const Array f = matmul(matmul(adjoint(left.z), complex_of(c)), right.z);
  auto step = [&](const Array& k, const Array& y) {
    const Array s = column_at(right.t, k);
    const Array rest = column_at(f, k) - squeeze(matmul(y, expand_dims(s, -1)), -1);
    return y.at(ellipsis, k).set(shifted_solve(left.t, column_at(s, k), rest));
  };
  const Array y = lax::fori_loop(0, cols_of(b), step, zeros_like(f));
  const Array x = matmul(matmul(left.z, y), adjoint(right.z));
  return c.dtype().is_complex() ? x : tutti::real(x);
}
// Of one dtype and batch.
Array sylvester(const Array& a, const Array& b, const Array& c) {
  auto product = [&](const Array& x) { return matmul(a, x) + matmul(x, b); };
  auto solve = [&](const auto&, const Array& y) { return sylvester_once(a, b, y); };
  auto transposed = [&](const auto&, const Array& y) {
    return sylvester_once(swapaxes(a, -1, -2), swapaxes(b, -1, -2), y);
  };
  return lax::custom_linear_solve(product, c, solve, transposed);
}

Array root_once(const Array& a) {
  const Schur s = complex_schur(a);
  const std::int64_t n = cols_of(a);
  auto step = [&](const Array& j, const Array& u) {
    const Array t = column_at(s.t, j), diagonal_root = sqrt(column_at(t, j));
    const Array above = where(arange(n) < j, t, 0).astype(t.dtype());
    const Array column = shifted_solve(u, diagonal_root, above);
    return u.at(ellipsis, j).set(where(arange(n) == j, expand_dims(diagonal_root, -1), column).astype(t.dtype()));
  };
  const Array u = lax::fori_loop(0, n, step, zeros_like(s.t));
  return matmul(matmul(s.z, u), adjoint(s.z));
}
// Of a complex matrix; the rule calls the same again, so that it has derivatives too.
Array root_with_rule(const Array& a) {
  auto rule = [](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
    const Array root = root_with_rule(std::get<0>(args));
    // Recorded for a derivative, so that the last rule can be transposed too.
    const std::vector<Array> system{root, std::get<0>(tangents)};
    auto solution = [](const std::vector<Array>& s) { return std::vector<Array>{sylvester(s[0], s[0], s[1])}; };
    return std::pair{root, tutti::detail::closure_convert("sqrtm", system, solution, Loc()).function(system)[0]};
  };
  return custom_jvp(root_once, rule)(a);
}

}  // namespace

Schur schur(const In& a, OneOf<SchurForm> output) {
  CallScope scope(a.loc);
  const Array x = inexact(need_square("schur", a.array));
  if (output == SchurForm::complex) return complex_schur(x);
  const lax::linalg::Schur s = lax::linalg::schur(x);
  return {s.t, s.q};
}
Schur rsf2csf(const In& t, const In& z) {
  CallScope scope(t.loc);
  need_square("rsf2csf", t.array);
  need_square("rsf2csf", z.array);
  if (cols_of(t.array) != cols_of(z.array))
    raise<ShapeError>("rsf2csf", "t is " + type_text(t.array) + ", z " + type_text(z.array), "They are of one order.");
  const auto [a, b] = inexact(t.array, z.array);
  const Schur s = complex_schur(a);
  return {s.t, matmul(complex_of(b), s.z)};
}
HessenbergForm hessenberg_and_q(const In& a) {
  CallScope scope(a.loc);
  const Array x = inexact(need_square("hessenberg", a.array));
  const std::int64_t n = cols_of(x);
  if (n < 3) return {x, broadcast_to(eye(n, x.dtype()), x.shape())};
  const lax::linalg::Hessenberg h = lax::linalg::hessenberg(x);
  const Array inner = lax::linalg::householder_product(h.a(ellipsis, slice(1, none), slice(0, n - 1)), h.taus);
  const Array row = broadcast_to(eye(1, n, 0, x.dtype()), joined(batch_of(x), {1, n}));
  const Array column = zeros(joined(batch_of(x), {n - 1, 1}), x.dtype());
  return {triu(h.a, -1), concatenate({row, concatenate({column, inner}, -1)}, -2)};
}
Array hessenberg(const In& a) {
  CallScope scope(a.loc);
  return hessenberg_and_q(a.array).h;
}

Array sqrtm(const In& a) {
  CallScope scope(a.loc);
  return root_with_rule(complex_of(inexact(need_square("sqrtm", a.array))));
}
Array funm(const In& a, const std::function<Array(const Array&)>& f) {
  CallScope scope(a.loc);
  const Array x = inexact(need_square("funm", a.array));
  if (x.ndim() != 2) raise<ShapeError>("funm", "the array is " + type_text(x), "Give one matrix; vmap takes several.");
  const std::int64_t n = cols_of(x);
  const Schur s = complex_schur(x);
  const Array values = linalg::diagonal(s.t), of_values = f(values);
  if (of_values.shape() != values.shape())
    raise<ShapeError>("funm", "the function gives " + type_text(of_values) + " for " + type_text(values),
                      "It is elementwise.");
  const Array apart = expand_dims(values, 0) - expand_dims(values, 1);
  const Array divisor = where(apart == 0, 1, apart), away = expand_dims(arange(n), 0) - expand_dims(arange(n), 1);
  auto step = [&](const Array& p, const Array& so_far) {
    return where(away == p, (matmul(s.t, so_far) - matmul(so_far, s.t)) / divisor, so_far);
  };
  const Array inner = lax::fori_loop(1, std::max<std::int64_t>(n, 1), step, diag(of_values.astype(s.t.dtype())));
  return matmul(matmul(s.z, inner), adjoint(s.z));
}
ExpmFrechet expm_frechet(const In& a, const In& e) {
  CallScope scope(a.loc);
  const auto [x, dx] = inexact(need_square("expm_frechet", a.array), need_square("expm_frechet", e.array));
  if (x.shape() != dx.shape())
    raise<ShapeError>("expm_frechet", "a is " + type_text(a.array) + ", e " + type_text(e.array), "Give equal shapes.");
  const auto [y, dy] = jvp([](const Array& m) { return expm(m); }, std::tuple{x}, std::tuple{dx});
  return {y, dy};
}
Polar polar(const In& a, OneOf<PolarSide> side) {
  CallScope scope(a.loc);
  const Array x = inexact(need_matrices("polar", a.array));
  const auto [u, s, vh] = svd(x, false);
  const Array unitary = matmul(u, vh), scale = expand_dims(s, -2).astype(x.dtype());
  if (side == PolarSide::right) return {unitary, matmul(adjoint(vh) * scale, vh)};
  return {unitary, matmul(u * scale, adjoint(u))};
}

Array solve_sylvester(const In& a, const In& b, const In& c) {
  CallScope scope(a.loc);
  need_square("solve_sylvester", a.array);
  need_square("solve_sylvester", b.array);
  need_matrices("solve_sylvester", c.array);
  if (rows_of(c.array) != rows_of(a.array) || cols_of(c.array) != cols_of(b.array))
    raise<ShapeError>("solve_sylvester",
                      "a is " + type_text(a.array) + ", b " + type_text(b.array) + ", c " + type_text(c.array),
                      "They are [m, m], [n, n] and [m, n].");
  const DType dtype =
      promote_types(promote_types(inexact(a.array).dtype(), inexact(b.array).dtype()), inexact(c.array).dtype());
  Array x = a.array.astype(dtype), y = b.array.astype(dtype), z = c.array.astype(dtype);
  std::tie(x, z) = same_batch("solve_sylvester", x, z);
  std::tie(y, z) = same_batch("solve_sylvester", y, z);
  std::tie(x, z) = same_batch("solve_sylvester", x, z);
  return sylvester(x, y, z);
}

namespace {

// Solutions for the leading blocks, one order after the other. Forward and backward vectors: what the block makes of
// them is the first, and the last, column of the unit matrix.
Array levinson(const Array& c, const Array& r, const Array& b) {
  const std::int64_t n = c.size();
  struct Step {
    Array forward, backward, x;
  };
  auto behind = [](const Array& v) { return concatenate({zeros_like(v(slice(0, 1))), v(slice(0, -1))}); };
  auto step = [&](const Array& k, const Step& s) {
    const Array column = take(c, k - arange(n), TakeMode::clip), row = concatenate({r(slice(1, none)), r(slice(0, 1))});
    const Array error_f = sum(column * s.forward), error_b = sum(row * s.backward), scale = 1 / (1 - error_f * error_b);
    const Array moved = behind(s.backward);
    const Array forward = (s.forward - error_f * moved) * scale, backward = (moved - error_b * s.forward) * scale;
    const Array missing = b(k) - matmul(column, s.x);
    return Step{forward, backward, s.x + outer(backward, missing)};
  };
  const Array first = where(arange(n) == 0, 1 / c[0], 0).astype(c.dtype());
  return lax::fori_loop(1, n, step, Step{first, first, outer(first, b[0])}).x;
}

}  // namespace

Array solve_toeplitz(const In& c, const In& b) {
  CallScope scope(c.loc);
  return solve_toeplitz(c.array, conj(c.array), b.array);
}
Array solve_toeplitz(const In& c, const In& r, const In& b) {
  CallScope scope(c.loc);
  const bool fits = c.array.ndim() == 1 && r.array.ndim() == 1 && r.array.size() == c.array.size() &&
                    (b.array.ndim() == 1 || b.array.ndim() == 2) && b.array.shape()[0] == c.array.size() &&
                    c.array.size() > 0;
  if (!fits)
    raise<ShapeError>("solve_toeplitz",
                      "c is " + type_text(c.array) + ", r " + type_text(r.array) + ", b " + type_text(b.array),
                      "They are [n], [n], and [n] or [n, k].");
  const auto [x, y] = inexact(c.array, r.array);
  const auto [column, rhs] = inexact(x, b.array);
  const Array row = y.astype(column.dtype());
  const Array right = rhs.ndim() == 1 ? expand_dims(rhs, 1) : rhs;
  const Array whole = toeplitz(column, row);  // read where there are derivatives
  const Array transposed_column = concatenate({column(slice(0, 1)), row(slice(1, none))});
  auto product = [&](const Array& v) { return matmul(whole, v); };
  auto solve = [&](const auto&, const Array& v) { return levinson(column, row, v); };
  auto transposed = [&](const auto&, const Array& v) { return levinson(transposed_column, column, v); };
  const Array out = lax::custom_linear_solve(product, right, solve, transposed);
  return rhs.ndim() == 1 ? squeeze(out, 1) : out;
}
Eigh eigh_tridiagonal(const In& d, const In& e) {
  CallScope scope(d.loc);
  if (d.array.ndim() != 1 || e.array.ndim() != 1 || e.array.size() + 1 != d.array.size())
    raise<ShapeError>("eigh_tridiagonal", "d is " + type_text(d.array) + ", e " + type_text(e.array),
                      "They are [n] and [n - 1].");
  const auto [x, y] = inexact(d.array, e.array);
  return eigh(diag(x) + diag(y, -1) + diag(conj(y), 1));
}
QrProduct qr_multiply(const In& a, const In& c, OneOf<PolarSide> mode) {
  CallScope scope(a.loc);
  const auto [x, y] = inexact(need_matrices("qr_multiply", a.array), c.array);
  const auto [q, r] = qr(x);
  const std::int64_t m = rows_of(q), k = cols_of(q);
  const bool right = mode == PolarSide::right;
  const bool fits =
      y.ndim() == 1 ? y.size() == (right ? m : k) : y.ndim() >= 2 && (right ? cols_of(y) == m : rows_of(y) == k);
  if (!fits)
    raise<ShapeError>("qr_multiply", "a is " + type_text(a.array) + ", c " + type_text(c.array),
                      "Its extents fit to those of q, [m, min(m, n)].");
  return {right ? matmul(y, q) : matmul(q, y), r};
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
