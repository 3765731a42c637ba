// Linear algebra. Names and meanings: jax.numpy.linalg and, where said, jax.scipy.linalg.
//
//     Array a = array({{4., 1.}, {1., 3.}}), b = array({1., 2.});
//     Array x = linalg::solve(a, b);                    // {1/11, 7/11}
//     auto [w, v] = linalg::eigh(a);                    // ascending; eigenvectors are columns
//     float size = linalg::norm(a, "nuc").item<float>();
//
// The last two dims are matrices, those before them batch dims, which are computed side by side and may be split over
// devices; a matrix is whole on its device. float32, complex64, and under x64 float64 and complex128; integers become
// float32. All can be differentiated unless said otherwise. What is no matrix, or not square where it must be, is a
// ShapeError. Singular matrices and infinite or NaN elements are no errors: infinities and NaN come out.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/lax/linalg.hpp"
#include "tutti/numpy/matrix.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::linalg {

using lax::linalg::Eigh;
using lax::linalg::Qr;
using lax::linalg::Slogdet;
using lax::linalg::Svd;

// --- norms

/// The norm: none (2-norm of vectors, Frobenius norm of matrices), a number (infinities too), "fro" or "nuc".
struct Ord {
  std::optional<double> number;
  std::string name;
  Ord(none_t) {}
  template <Number T> Ord(T p) : number(static_cast<double>(p)) {}
  Ord(const char* n) : name(n) {}
};
/// Over one axis the norm of vectors, over two (rows, columns) that of matrices, over all of a vector or matrix when no
/// axis is given; without `ord` and axes, the 2-norm of all elements. Another number of axes, or a norm that vectors
/// (matrices) do not have, is a ValueError.
Array norm(const In& x, const Ord& ord = none, const std::vector<int>& axes = {}, bool keepdims = false);
Array norm(const In& x, const Ord& ord, int axis, bool keepdims = false);
/// sum(|x|^p)^(1/p) over all elements or some axes; 0 counts what is not 0, infinities give the extrema of |x|.
Array vector_norm(const In& x, const Ord& ord = 2, const Axes& axes = {}, bool keepdims = false);
/// Norm over the last two dims: "fro", "nuc", 1, -1, 2, -2 or an infinity.
Array matrix_norm(const In& x, const Ord& ord = "fro", bool keepdims = false);
/// norm(x, p) * norm(inv(x), p); none and 2: the quotient of the extreme singular values. Infinite for singular x.
Array cond(const In& x, const Ord& p = none);

// --- factors

/// Lower l with a = l l^H (upper: its adjoint), of (a + a^H) / 2, or of a's lower triangle without `symmetrize_input`.
/// NaN where a is not positive definite. Without `symmetrize_input` derivatives take a's tangents to be Hermitian.
Array cholesky(const In& a, bool upper = false, bool symmetrize_input = true);
/// q[..., m, k] and r[..., k, n], k = min(m, n); mode "complete": k = m; "r": q is empty.
Qr qr(const In& a, const std::string& mode = "reduced");
/// u, s (descending) and vh with a = u diag(s) vh. `hermitian` uses that a is. Without derivative where u and vh are
/// completed, at equal singular values NaN.
Svd svd(const In& a, bool full_matrices = true, bool hermitian = false);
Array svdvals(const In& a, bool hermitian = false);
/// The triangle that is read, 'L' or 'U', or "L" or "U".
struct Uplo {
  char letter;
  Uplo(char c) : letter(c) {}
  Uplo(const char* text) : letter(text[0] != 0 && text[1] == 0 ? text[0] : '?') {}
};
/// Eigenvalues w (ascending) and eigenvectors v (columns) of (a + a^H) / 2, or of one triangle of a ('L' or 'U').
Eigh eigh(const In& a, Uplo uplo = 'L', bool symmetrize_input = true);
Array eigvalsh(const In& a, Uplo uplo = 'L');
/// For any square matrix: complex eigenvalues, in no order, and eigenvectors of length 1.
Eigh eig(const In& a);
Array eigvals(const In& a);

// --- solving

/// a x = b; b is a vector[n] or matrices[..., n, k]; batch dims broadcast.
Array solve(const In& a, const In& b);
Array inv(const In& a);
Array det(const In& a);
/// sign * exp(logabsdet) is the determinant.
Slogdet slogdet(const In& a);
struct Lstsq {
  Array x, residuals, rank, s;
};
/// The x of least |b - a x|^2 and, of these, of least norm; a[m, n], b[m] or [m, k]. Singular values s below rcond *
/// s[0] count as 0 (default: the dtype's precision times max(m, n)); residuals are sums of squares per column.
Lstsq lstsq(const In& a, const In& b, std::optional<double> rcond = {});
/// Moore and Penrose's inverse; singular values of at most rtol * the largest one count as 0 (default: 10 max(m, n)
/// times the dtype's precision).
Array pinv(const In& a, std::optional<double> rtol = {}, bool hermitian = false);
/// How many singular values exceed rtol * the largest one, or `rtol` as it is when it is given, as in JAX.
Array matrix_rank(const In& a, std::optional<double> rtol = {}, bool hermitian = false);
/// a * a * ... (n times); negative n: of the inverse.
Array matrix_power(const In& a, Dim n);
/// The product of all, multiplied in the cheapest order; the first and last may be vectors.
Array multi_dot(const ArrayList& xs);
/// a's inverse as a map of its last dims to its first `ind` ones; and x with tensordot(a, x, x.ndim()) = b, after a's
/// dims `axes` went behind the others.
Array tensorinv(const In& a, int ind = 2);
Array tensorsolve(const In& a, const In& b, const std::vector<int>& axes = {});

// --- jax.scipy.linalg

/// The exponential series of a matrix, by Pade's approximation and repeated squaring. NaN where more than
/// `max_squarings` are needed.
Array expm(const In& a, bool upper_triangular = false, int max_squarings = 16);
struct ChoFactor {
  Array c;
  bool lower = false;
};
/// Factor from a's lower (or upper) triangle. Derivatives take a's tangents to be Hermitian.
ChoFactor cho_factor(const In& a, bool lower = false);
/// x with a x = b, c being a's factor.
Array cho_solve(const ChoFactor& c, const In& b);
enum class Trans { none, transpose, adjoint };
constexpr Choices choices_of(Trans) { return {"solve_triangular", "trans", "N|none T|transpose C|adjoint"}; }
struct TriangularOptions {
  bool lower = false;
  OneOf<Trans> trans = Trans::none;
  bool unit_diagonal = false;
};
/// op(a) x = b of a triangular a; b is a vector[n] or matrices[..., n, k].
Array solve_triangular(const In& a, const In& b, const TriangularOptions& options = {});
struct PLU {
  Array p, l, u;
};
/// a = p l u, p a permutation matrix; l[..., m, k], u[..., k, n].
PLU lu(const In& a);
struct LuFactor {
  Array lu, pivots;
};
LuFactor lu_factor(const In& a);
Array lu_solve(const LuFactor& factors, const In& b, OneOf<Trans> trans = Trans::none);
/// Matrices (vectors are rows, scalars 1 x 1) along a diagonal, zeros elsewhere.
Array block_diag(const ArrayList& xs);
/// Constant diagonals: c is the first column, r the first row without its first element (conj(c) when left out).
Array toeplitz(const In& c);
Array toeplitz(const In& c, const In& r);
/// x with a x = b[..., n, k], a having d[..., n] on its diagonal, dl below (dl[0] is not read) and du above it (du[n-1]
/// is not read): by elimination without pivots, one row after the other. Source: jax.lax.linalg.tridiagonal_solve.
Array tridiagonal_solve(const In& dl, const In& d, const In& du, const In& b);
/// Eigenvalues, ascending, of the symmetric matrix with diagonal d[n] and e[n-1] beside it.
Array eigvalsh_tridiagonal(const In& d, const In& e);

// --- under these names too
using tutti::cross;
using tutti::matmul;
using tutti::matrix_transpose;
using tutti::outer;
using tutti::tensordot;
using tutti::vecdot;
/// Over the last two dims.
inline Array diagonal(const In& x, Dim offset = 0) { return tutti::diagonal(x, offset, -2, -1); }
inline Array trace(const In& x, Dim offset = 0) { return tutti::trace(x, offset, -2, -1); }

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
