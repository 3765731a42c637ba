// Products with reflections, updates of factors, polar factors. Source: jax.lax.linalg.
#include <cmath>
#include <string>

#include "linalg/inexact.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/linalg.hpp"
#include "tutti/lax/slices.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::lax::linalg {
namespace {

using tutti::linalg::adjoint;

Array as_column(const Array& x) { return expand_dims(x, -1); }
Array as_row(const Array& x) { return expand_dims(x, -2); }

// The factor, and what is left of the vector.
struct Updated {
  Array r, w;
};
// A rotation of row k of the factor and the vector, that takes element k of the vector away.
Updated rotated(const Array& k, const Updated& at) {
  const Array row = dynamic_index_in_dim(at.r, k, -2, false), x = dynamic_index_in_dim(row, k, -1),
              y = dynamic_index_in_dim(at.w, k, -1);
  const Array none = y == 0, most = where(none, 1, maximum(abs(x), abs(y))), a = x / most, b = y / most;
  const Array size = 1 / sqrt(where(none, 1, square(a) + square(b)));
  const Array c = where(none, 1, a * size), s = where(none, 0, -b * size);
  return {dynamic_update_index_in_dim(at.r, as_row(c * row - s * at.w), k, -2), c * at.w + s * row};
}

double epsilon(const Array& x) { return x.dtype().size() == (x.dtype().is_complex() ? 16 : 8) ? 0x1p-52 : 0x1p-23; }

// One step of the dynamically weighted Halley iteration, u (a + b u^H u) (1 + c u^H u)^-1: of [sqrt(c) u; 1] by QR as
// long as c is large, then by Cholesky.
Array halley(const Array& u, double a, double b, double c) {
  const std::int64_t m = u.shape(-2), n = u.shape(-1);
  const double e = b / c;
  const Array one = eye(n, n, 0, u.dtype());
  if (c > 100) {
    const Array q = qr(concatenate({std::sqrt(c) * u, one}, 0)).q;
    const Array top = q(tutti::slice(0, m), tutti::all), bottom = q(tutti::slice(m, m + n), tutti::all);
    return e * u + (a - e) / std::sqrt(c) * matmul(top, adjoint(bottom));
  }
  const Array l = cholesky(c * matmul(adjoint(u), u) + one);
  const Array half = triangular_solve(l, adjoint(u), {.left_side = true, .lower = true});
  const Array whole =
      triangular_solve(l, half, {.left_side = true, .lower = true, .transpose_a = true, .conjugate_a = true});
  return e * u + (a - e) * adjoint(whole);
}
Array length(const Array& x) { return sqrt(sum(square(abs(x)))); }

}  // namespace

Array ormqr(const In& a, const In& taus, const In& c, bool left, bool transpose) {
  CallScope scope(a.loc);
  const Array &v = a.array, &t = taus.array, &x = c.array;
  const char* name = "lax::linalg::ormqr";
  if (v.ndim() < 2 || t.ndim() != v.ndim() - 1 || x.ndim() != v.ndim() || t.shape(-1) > v.shape(-1) ||
      x.shape(left ? -2 : -1) != v.shape(-2))
    raise<ShapeError>(name, "a is " + type_text(v) + ", taus are " + type_text(t) + ", c is " + type_text(x),
                      left ? "They are [..., m, n], [..., k] and [..., m, p], k at most n."
                           : "They are [..., m, n], [..., k] and [..., p, m], k at most n.");
  if (t.dtype() != v.dtype() || x.dtype() != v.dtype() || !v.dtype().is_inexact())
    raise<TypeError>(name, "a is " + type_text(v) + ", taus are " + type_text(t) + ", c is " + type_text(x),
                     "Convert them to one floating or complex dtype.");
  const std::int64_t m = v.shape(-2), k = t.shape(-1);
  const Array reflectors =
      moveaxis(tril(v, -1) + eye(m, v.shape(-1), 0, v.dtype()), -1, 0)(tutti::slice(0, k));  // their first element is 1
  auto reflect = [left](const Array& q, const std::pair<Array, Array>& r) {
    const Array w = as_column(r.first), tau = as_column(as_column(r.second));
    const Array next = left ? q - tau * (w * matmul(adjoint(w), q)) : q - tau * (matmul(q, w) * adjoint(w));
    return std::pair{next, std::vector<Array>()};
  };
  const Array factors = transpose ? tutti::conj(t) : t;
  return lax::scan(reflect, x, std::pair{reflectors, moveaxis(factors, -1, 0)}, {.reverse = left != transpose}).first;
}

Array cholesky_update(const In& r, const In& w) {
  CallScope scope(r.loc);
  const Array &a = r.array, &v = w.array;
  const char* name = "lax::linalg::cholesky_update";
  if (a.ndim() < 2 || a.shape(-1) != a.shape(-2) || v.ndim() != a.ndim() - 1 || v.shape(-1) != a.shape(-1))
    raise<ShapeError>(name, "r is " + type_text(a) + ", w is " + type_text(v), "They are [..., n, n] and [..., n].");
  if (a.dtype() != v.dtype() || !a.dtype().is_floating())
    raise<TypeError>(name, "r is " + type_text(a) + ", w is " + type_text(v), "Convert them to one floating dtype.");
  return composite(
      "cholesky_update",
      [](const Array& factor, const Array& vector) {
        return lax::fori_loop(0, factor.shape(-1), rotated, Updated{factor, vector}).r;
      },
      a, v);
}

Qdwh qdwh(const In& x, const QdwhOptions& options) {
  CallScope scope(x.loc);
  const Array& a = x.array;
  if (a.ndim() != 2 || a.shape(0) < a.shape(1))
    raise<ShapeError>("lax::linalg::qdwh", "x is " + type_text(a),
                      "It is one matrix with as many rows as columns or more.");
  if (!a.dtype().is_inexact() || a.dtype().size() < 4)
    raise<TypeError>("lax::linalg::qdwh", "x is " + type_text(a), "Convert it to float32, float64 or complex.");
  const double eps = options.eps ? *options.eps : epsilon(a), tolerance = 5 * eps;
  const Array size = abs(a), columns = max(sum(size, 0)), rows = max(sum(size, 1));
  Array u = a * where(columns == 0, 1, 1 / (sqrt(columns) * sqrt(rows))).astype(a.dtype());
  // l is a lower bound of the singular values of u, which the weights bring to 1.
  double l = eps;
  int steps = 0;
  Array change = full_like(columns, 2 * std::cbrt(tolerance));
  for (; l + tolerance < 1 && steps < options.max_iterations; ++steps) {
    const double l2 = l * l, d = std::cbrt(4 * (1 / l2 - 1) / l2), s = std::sqrt(1 + d);
    const double p = s + std::sqrt(2 - d + 2 * (2 - l2) / (l2 * s)), q = (p - 1) * (p - 1) / 4, c = p + q - 1;
    l = l * (p + q * l2) / (1 + c * l2);
    const Array next = halley(u, p, q, c);
    if (c <= 100) change = length(next - u);
    u = next;
  }
  struct State {
    Array k, u, change;
  };
  const double enough = std::cbrt(tolerance);
  auto goes_on = [&](const State& s) { return (s.change > enough) & (s.k < options.max_iterations); };
  auto step = [](const State& s) {
    const Array next = halley(s.u, 3, 1, 3);
    return State{s.k + 1, next, length(next - s.u)};
  };
  const State last = lax::while_loop(goes_on, step, State{full({}, steps, int32), u, change});
  const Array unitary = 1.5 * last.u - 0.5 * matmul(last.u, matmul(adjoint(last.u), last.u));
  const Array h = matmul(adjoint(unitary), a);
  return {unitary, 0.5 * (h + adjoint(h)), last.k, last.change <= enough};
}

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
