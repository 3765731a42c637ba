// Factorizations and solves of stacks of matrices (the last two dims), strict: float32, float64 or complex, no
// promotion, no broadcasting. tutti/linalg/linalg.hpp has the NumPy-like functions. Source: jax.lax.linalg.
//
// Leading dims are batch dims: computed side by side, and split over devices without a message; a matrix is whole on
// its device. Errors: TypeError for another dtype, ShapeError for what is no (square) matrix. Singular or non-finite
// input is no error: infinities and NaN come out.
#pragma once

#include <optional>
#include <tuple>

#include "tutti/array/array.hpp"

namespace tutti::lax::linalg {

/// The lower factor l[..., n, n] of a = l l^H; of a[..., n, n] the lower triangle is read. NaN where a matrix is not
/// positive definite.
Array cholesky(const In& a);

struct TriangularSolve {
  bool left_side = false, lower = false, transpose_a = false, conjugate_a = false, unit_diagonal = false;
};
/// x with op(a) x = b (left_side) or x op(a) = b; of a[..., n, n] one triangle is read, the diagonal only unless it is
/// `unit_diagonal`. b is [..., n, k], or [..., k, n].
Array triangular_solve(const In& a, const In& b, const TriangularSolve& options = {});

struct Lu {
  Array lu, pivots, permutation;
};
/// a[..., m, n] with its rows permuted is l u: l below the diagonal of `lu` (ones on it are not stored), u on and above
/// it. Row i was swapped with row pivots[..., i] (int32, min(m, n) of them), one after the other; what that makes of
/// 0..m-1 is `permutation`.
Lu lu(const In& a);

/// x with a x = b, b[..., n, k], by the factors of a; derivatives by `a` are those of the solve, by `factors` none.
Array solve(const In& a, const Lu& factors, const In& b);

/// 0..permutation_size-1 after row i was swapped with row pivots[..., i], one after the other.
Array lu_pivots_to_permutation(const In& pivots, Dim permutation_size);

/// x[..., n, k] of the systems with the diagonals dl, d, du[..., n] (below, on and above the main one; dl[..., 0] and
/// du[..., n-1] are not read) and right-hand sides b[..., n, k], with pivots. Source: LAPACK's gtsv.
Array tridiagonal_solve(const In& dl, const In& d, const In& du, const In& b);

/// alpha a a^T + beta c for a[..., n, k] and c[..., n, n].
Array symmetric_product(const In& a, const In& c, const Operand& alpha = 1.f, const Operand& beta = 0.f);

/// The first n columns of the product of k reflections 1 - tau v v^H, of which the vectors v are the columns of
/// a[..., m, n] below the diagonal, with 1 on it. Source: LAPACK's orgqr.
Array householder_product(const In& a, const In& taus);

struct Qr {
  Array q, r;
};
/// q[..., m, k] with orthonormal columns and r[..., k, n] upper triangular, q r = a[..., m, n]; k is min(m, n), or m
/// for full_matrices.
Qr qr(const In& a, bool full_matrices = false);

struct Svd {
  Array u, s, vh;
};
/// a[..., m, n] = u diag(s) vh with s[..., k] descending, k = min(m, n); u[..., m, k] and vh[..., k, n], square for
/// full_matrices. NaN for non-finite input.
Svd svd(const In& a, bool full_matrices = true);
Array svdvals(const In& a);

struct Eigh {
  Array w, v;
  const Array& eigenvalues() const { return w; }
  const Array& eigenvectors() const { return v; }
};
/// For Hermitian a[..., n, n], of which one triangle is read: eigenvalues w[..., n], ascending, and the eigenvectors as
/// columns of v[..., n, n]. NaN for non-finite input.
Eigh eigh(const In& a, bool lower = true);
Array eigvalsh(const In& a, bool lower = true);

struct Eig {
  Array w, left, right;  // vectors that were not asked for are empty
};
/// For any a[..., n, n]: eigenvalues w (complex, in no order) and eigenvectors of length 1 as columns.
Eig eig(const In& a, bool left = true, bool right = true);

struct Hessenberg {
  Array a, taus;
};
/// q^H a q is zero below the first subdiagonal: that form is on and above it in `a`, and below are the vectors of the
/// n - 1 reflections of which q is the product, with their factors `taus` (householder_product, ormqr). NaN for
/// non-finite input. No derivatives.
Hessenberg hessenberg(const In& a);

struct Tridiagonal {
  Array a, d, e, taus;
};
/// For Hermitian a[..., n, n], of which one triangle is read: q^H a q has the diagonal d[..., n] and e[..., n-1] beside
/// it; `a` has the vectors of the reflections in that triangle. NaN for non-finite input. No derivatives.
Tridiagonal tridiagonal(const In& a, bool lower = true);

struct Schur {
  Array t, q;  // q empty where it was not asked for
};
/// a[..., n, n] = q t q^H, t upper triangular; of real a with blocks of 2 x 2 on the diagonal for complex eigenvalues.
/// NaN for non-finite input. No derivatives.
Schur schur(const In& a, bool vectors = true);

/// q c (left) or c q, with q^H for q where `transpose`, of the q that hessenberg and LAPACK's geqrf leave as the
/// columns of a[..., m, n] below the diagonal with factors taus[..., k]; q is not formed.
Array ormqr(const In& a, const In& taus, const In& c, bool left = true, bool transpose = false);

/// The upper factor of r^T r + w w^T, for an upper triangular r[..., n, n] and w[..., n], float32 or float64.
Array cholesky_update(const In& r, const In& w);

struct QdwhOptions {
  int max_iterations = 10;
  std::optional<double> eps{};  // that of the dtype
};
struct Qdwh {
  Array u, h, iterations, is_converged;
};
/// The polar factors of x[m, n], m >= n: x = u h, u with orthonormal columns, h Hermitian and not negative. Source:
/// Nakatsukasa, Bai and Gygi's dynamically weighted Halley iteration.
Qdwh qdwh(const In& x, const QdwhOptions& options = {});

struct Slogdet {
  Array sign, logabsdet;
};
/// The determinant of a[..., n, n], and its sign and logarithm (float), which do not overflow.
Array det(const In& a);
Slogdet slogdet(const In& a);

}  // namespace tutti::lax::linalg

// SPDX-License-Identifier: Apache-2.0
