#include "tutti/linalg/iterative.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "linalg/inexact.hpp"
#include "tutti/lax/control_flow.hpp"

namespace tutti::linalg::detail {
namespace {

// The unknowns, as a list of arrays. Linear combinations keep each array's dtype.
using Vec = std::vector<Array>;
template <class F> Vec each(const Vec& x, const Vec& y, F f) {
  Vec out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(f(x[i], y[i]).astype(x[i].dtype()));
  return out;
}
Vec plus(const Vec& x, const Array& by, const Vec& y) {
  return each(x, y, [&](const Array& a, const Array& b) { return a + by * b; });
}
Vec minus(const Vec& x, const Vec& y) {
  return each(x, y, [](const Array& a, const Array& b) { return a - b; });
}
Vec chosen(const Array& condition, const Vec& x, const Vec& y) {
  return each(x, y, [&](const Array& a, const Array& b) { return where(condition, a, b); });
}
template <class F> Array added(const Vec& x, const Vec& y, F f) {
  Array out;
  for (std::size_t i = 0; i < x.size(); ++i) out = out.has_value() ? out + f(x[i], y[i]) : f(x[i], y[i]);
  return out;
}
Array inner(const Vec& x, const Vec& y) {
  return added(x, y, [](const Array& a, const Array& b) { return vdot(a, b); });
}
// The real part, without computing the other.
Array real_inner(const Vec& x, const Vec& y) {
  return added(x, y, [](const Array& a, const Array& b) {
    const Array re = vdot(real(a), real(b));
    return a.dtype().is_complex() || b.dtype().is_complex() ? re + vdot(imag(a), imag(b)) : re;
  });
}
Array norm_of(const Vec& x) { return sqrt(real_inner(x, x)); }
DType dtype_of(const Vec& x) {
  DType dtype = x[0].dtype();
  for (const Array& a : x) dtype = promote_types(dtype, a.dtype());
  return dtype;
}

// What every method needs: inexact right hand sides, a beginning, the number of unknowns.
struct Start {
  Vec b, x0;
  std::int64_t unknowns = 0, steps = 0;
};
Start start_of(const Iteration& in) {
  Start s;
  if (in.b.empty()) raise<ValueError>(in.name, "the right hand side has no arrays", "Give one or more.");
  if (!in.x0.empty() && in.x0.size() != in.b.size())
    raise<ValueError>(in.name,
                      "x0 has " + std::to_string(in.x0.size()) + " arrays, b has " + std::to_string(in.b.size()),
                      "Both are trees of one structure.");
  if (in.maxiter && *in.maxiter < 0)
    raise<ValueError>(in.name, "maxiter is " + std::to_string(in.maxiter->value), "Give 0 or more.");
  for (std::size_t i = 0; i < in.b.size(); ++i) {
    s.b.push_back(inexact(in.b[i]));
    s.x0.push_back(in.x0.empty() ? zeros_like(s.b[i]) : in.x0[i].astype(s.b[i].dtype()));
    s.unknowns += s.b[i].size();
    if (s.x0[i].shape() != s.b[i].shape())
      raise<ShapeError>(in.name, "x0 is " + type_text(in.x0[i]) + " for b " + type_text(in.b[i]),
                        "Both have one shape.");
  }
  s.steps = in.maxiter ? in.maxiter->value : extent::mul(10, s.unknowns);
  s.steps = std::min<std::int64_t>(s.steps, std::numeric_limits<std::int32_t>::max());
  return s;
}
Vec preconditioned(const Iteration& in, const Vec& x) { return in.inverse ? in.inverse(x) : x; }
using Solver = std::function<Vec(const ArraysFn& matrix, const Vec& b)>;
Vec solved(const Iteration& in, const Start& s, bool symmetric, const Solver& solve, Loc loc) {
  auto matrix = [&](const Vec& x) { return in.matrix(x); };
  auto by = [&](const auto& product, const Vec& b) { return solve(product, b); };
  return symmetric ? lax::custom_linear_solve(matrix, s.b, by, {.symmetric = true}, loc)
                   : lax::custom_linear_solve(matrix, s.b, by, by, loc);
}
// The square of the norm at which a residual is small enough.
Array square_of_target(const Iteration& in, const Vec& b) {
  return maximum(in.tol * in.tol * real_inner(b, b), in.atol * in.atol);
}

struct Conjugate {
  Vec x, r, p;
  Array gamma, k;
};
struct Biconjugate {
  Vec x, r, p, q;
  Array alpha, omega, rho, k;
};

}  // namespace

std::function<Array(const Array&)> product_with(const char* name, const Array& a, Loc loc) {
  CallScope scope(loc);
  if (a.ndim() != 2 || a.shape()[0] != a.shape()[1])
    raise<ShapeError>(name, "the matrix is " + type_text(a), "Give a square matrix, or a function.");
  return [a](const Array& x) { return matmul(a, x); };
}

// Hestenes and Stiefel's method.
Vec conjugate_gradients(const Iteration& in, Loc loc) {
  CallScope scope(loc, {"", in.name, 0});
  const Start s = start_of(in);
  const bool is_real = std::none_of(s.b.begin(), s.b.end(), [](const Array& x) { return x.dtype().is_complex(); });
  auto solve = [&](const ArraysFn& matrix, const Vec& b) {
    const Array target = square_of_target(in, b);
    auto on = [&](const Conjugate& c) {
      return ((in.inverse ? real_inner(c.r, c.r) : c.gamma) > target) & (c.k < s.steps);
    };
    auto step = [&](const Conjugate& c) {
      const Vec ap = matrix(c.p);
      const Array alpha = c.gamma / real_inner(c.p, ap);
      const Vec x = plus(c.x, alpha, c.p), r = plus(c.r, -alpha, ap), z = preconditioned(in, r);
      const Array gamma = real_inner(r, z);
      return Conjugate{x, r, plus(z, gamma / c.gamma, c.p), gamma, c.k + 1};
    };
    const Vec r = minus(b, matrix(s.x0)), z = preconditioned(in, r);
    return lax::while_loop(on, step, Conjugate{s.x0, r, z, real_inner(r, z), array(0)}).x;
  };
  return solved(in, s, is_real, solve, loc);
}

// Van der Vorst's method.
Vec stabilized_biconjugate_gradients(const Iteration& in, Loc loc) {
  CallScope scope(loc, {"", in.name, 0});
  const Start s = start_of(in);
  auto solve = [&](const ArraysFn& matrix, const Vec& b) {
    const Array target = square_of_target(in, b), one = ones(Shape{}, dtype_of(b));
    const Vec first = minus(b, matrix(s.x0));
    auto on = [&](const Biconjugate& c) { return (real_inner(c.r, c.r) > target) & (c.k < s.steps) & (c.k >= 0); };
    auto step = [&](const Biconjugate& c) {
      const Array rho = inner(first, c.r), beta = rho / c.rho * c.alpha / c.omega;
      const Vec p = plus(c.r, beta, plus(c.p, -c.omega, c.q)), p_hat = preconditioned(in, p), q = matrix(p_hat);
      const Array alpha = rho / inner(first, q);
      const Vec half = plus(c.r, -alpha, q), half_hat = preconditioned(in, half), t = matrix(half_hat);
      const Array enough = real_inner(half, half) < target, omega = inner(t, half) / inner(t, t);
      const Vec x = plus(c.x, alpha, p_hat);
      const Array k = where(rho == 0, -10, where((omega == 0) | (alpha == 0), -11, c.k + 1));  // it broke down
      return Biconjugate{chosen(enough, x, plus(x, omega, half_hat)),
                         chosen(enough, half, plus(half, -omega, t)),
                         p,
                         q,
                         alpha,
                         omega,
                         rho,
                         k};
    };
    return lax::while_loop(on, step, Biconjugate{s.x0, first, first, first, one, one, one, array(0)}).x;
  };
  return solved(in, s, false, solve, loc);
}

namespace {

struct Unit {
  Vec x;
  Array norm;
};
// x / |x|, and |x|; zeros where that is not above `least` (the dtype's precision when there is none).
Unit unit_of(const Vec& x, const Array& least = {}) {
  const Array norm = norm_of(x);
  const Array some = norm > (least.has_value() ? least : Array(epsilon(norm)));
  Vec out;
  for (const Array& a : x) out.push_back(where(some, a / norm.astype(a.dtype()), 0));
  return {out, where(some, norm, 0)};
}
// The products of the columns, which stand in the last dim, with a vector, and their combination by such numbers.
Array onto(const Vec& columns, const Vec& x) {
  return added(columns, x, [](const Array& v, const Array& y) {
    const std::int64_t n = v.shape().back();
    return matmul(conj(v).reshape(-1, n).T(), ravel(y));
  });
}
Vec combined(const Vec& columns, const Array& by) {
  Vec out;
  for (const Array& v : columns) out.push_back(matmul(v, by).astype(v.dtype()));
  return out;
}
// Less its parts along the columns, by classical Gram-Schmidt, done again where much was cancelled; and those parts.
std::pair<Vec, Array> orthogonal(const Vec& columns, const Vec& x, const Array& norm) {
  struct State {
    Vec q;
    Array r, scaled, k;
  };
  const std::int64_t n = columns[0].shape().back();
  auto project = [&](const State& s) {
    const Array h = onto(columns, s.q);
    const Vec q = minus(s.q, combined(columns, h));
    return State{q, s.r + h, unit_of(q).norm / std::sqrt(2.), s.k + 1};
  };
  const State first = project({x, zeros({n}, dtype_of(columns)), norm / std::sqrt(2.), array(0)});
  auto again = [&](const State& s) { return (s.k < 1) & (unit_of({s.r}).norm < s.scaled); };
  const State last = lax::while_loop(again, project, State{first.q, first.r, first.scaled, first.k});
  return {last.q, last.r};
}

struct Arnoldi {
  Vec v;         // orthonormal columns, zeros behind the last one
  Array h, gap;  // rows: the parts of each image along the columns; the last one's norm before it was scaled
};
// Adds the image of column k as column k + 1.
Arnoldi next_column(const Iteration& in, const ArraysFn& matrix, const Array& k, const Vec& v, const Array& h) {
  Vec column;
  for (const Array& x : v) column.push_back(take(x, k, -1));
  const Vec image = preconditioned(in, matrix(column));
  const Array norm = unit_of(image).norm;
  auto [rest, parts] = orthogonal(v, image, norm);
  const Unit unit = unit_of(rest, norm * epsilon(norm));
  Vec columns;
  for (std::size_t i = 0; i < v.size(); ++i) columns.push_back(v[i].at(ellipsis, k + 1).set(unit.x[i]));
  return {columns, h.at(k).set(parts.at(k + 1).set(unit.norm.astype(h.dtype()))), unit.norm};
}
Vec first_column(const Vec& unit, std::int64_t restart) {
  Vec out;
  for (const Array& x : unit) {
    PadWidths widths(static_cast<std::size_t>(x.ndim()), {0, 0});
    widths.push_back({0, restart});
    out.push_back(pad(expand_dims(x, -1), widths));
  }
  return out;
}
Vec leading(const Vec& columns, std::int64_t n) {
  Vec out;
  for (const Array& v : columns) out.push_back(v(ellipsis, slice(0, n)));
  return out;
}

// One step of GMRES: the change of x.
Vec batched_change(const Iteration& in, const ArraysFn& matrix, const Unit& residual, std::int64_t restart) {
  struct State {
    Vec v;
    Array h, broken, k;
  };
  const DType dtype = dtype_of(residual.x);
  auto on = [&](const State& s) { return (s.k < restart) & ~s.broken; };
  auto step = [&](const State& s) {
    const Arnoldi next = next_column(in, matrix, s.k, s.v, s.h);
    return State{next.v, next.h, next.gap == 0, s.k + 1};
  };
  const State end = lax::while_loop(
      on, step, State{first_column(residual.x, restart), eye(restart, restart + 1, 0, dtype), array(false), array(0)});
  const Array h = end.h.T(), rhs = zeros({restart + 1}, dtype).at(0).set(residual.norm.astype(dtype));
  const Array normal = matmul(adjoint(h), h);
  return combined(leading(end.v, restart), linalg::cho_solve(linalg::cho_factor(normal), matmul(adjoint(h), rhs)));
}

std::pair<Array, Array> rotated(const Array& x, const Array& y, const Array& c, const Array& s) {
  return {conj(c) * x - conj(s) * y, s * x + c * y};
}
Array rotate_places(const Array& x, const Array& i, const Array& c, const Array& s) {
  const auto [a, b] = rotated(x(i), x(i + 1), c, s);
  return x.at(i).set(a).at(i + 1).set(b);
}
// Givens' rotation that takes b to 0.
std::pair<Array, Array> rotation(const Array& a, const Array& b) {
  const Array steep = abs(a) < abs(b), none_needed = b == 0;
  const Array t = -(where(steep, a, b) / where(steep, b, a)), size = abs(t);
  const Array r = lax::rsqrt(1 + size * size).astype(t.dtype());
  return {where(none_needed, 1, where(steep, r * t, r)), where(none_needed, 0, where(steep, r, r * t))};
}
Vec incremental_change(const Iteration& in, const ArraysFn& matrix, const Unit& residual, const Array& target,
                       std::int64_t restart) {
  struct State {
    Vec v;
    Array r, rotations, rhs, error, k;
  };
  const DType dtype = dtype_of(residual.x);
  auto on = [&](const State& s) { return (s.k < restart) & (s.error > target); };
  auto step = [&](const State& s) {
    const Arnoldi next = next_column(in, matrix, s.k, s.v, s.r);
    const Array row = lax::fori_loop(
        0, s.k,
        [&](const Array& i, const Array& x) { return rotate_places(x, i, s.rotations(i, 0), s.rotations(i, 1)); },
        next.h(s.k));
    const auto [c, d] = rotation(row(s.k), row(s.k + 1));
    const Array rhs = rotate_places(s.rhs, s.k, c, d);
    return State{next.v,
                 next.h.at(s.k).set(rotate_places(row, s.k, c, d)),
                 s.rotations.at(s.k).set(stack({c, d})),
                 rhs,
                 abs(rhs(s.k + 1)),
                 s.k + 1};
  };
  const State end = lax::while_loop(
      on, step,
      State{first_column(residual.x, restart), eye(restart, restart + 1, 0, dtype), zeros({restart, 2}, dtype),
            zeros({restart + 1}, dtype).at(0).set(residual.norm.astype(dtype)), residual.norm, array(0)});
  const Array upper = end.r(all, slice(0, restart)).T(), rhs = end.rhs(slice(0, restart));
  return combined(leading(end.v, restart), linalg::solve_triangular(upper, rhs));
}

}  // namespace

// Saad and Schultz's method.
Vec generalized_minimal_residuals(const Iteration& in, Loc loc) {
  CallScope scope(loc, {"", in.name, 0});
  const Start s = start_of(in);
  if (in.restart < 1) raise<ValueError>(in.name, "restart is " + std::to_string(in.restart.value), "Give 1 or more.");
  const std::int64_t restart = std::min<std::int64_t>(in.restart, s.unknowns);
  struct State {
    Vec x;
    Unit residual;
    Array k;
  };
  auto solve = [&](const ArraysFn& matrix, const Vec& b) {
    const Array norm = norm_of(b), target = maximum(in.tol * norm, in.atol);
    const Array inner_target = norm_of(preconditioned(in, b)) * minimum(1., target / norm);
    auto residual = [&](const Vec& x) { return unit_of(preconditioned(in, minus(b, matrix(x)))); };
    auto on = [&](const State& c) { return (c.k < s.steps) & (c.residual.norm > target); };
    auto step = [&](const State& c) {
      const Vec change = in.method == GmresMethod::batched
                             ? batched_change(in, matrix, c.residual, restart)
                             : incremental_change(in, matrix, c.residual, inner_target, restart);
      const Vec x = plus(c.x, Array(1), change);
      return State{x, residual(x), c.k + 1};
    };
    return lax::while_loop(on, step, State{s.x0, residual(s.x0), array(0)}).x;
  };
  if (s.unknowns == 0) return s.b;
  return solved(in, s, false, solve, loc);
}

}  // namespace tutti::linalg::detail

// SPDX-License-Identifier: Apache-2.0
