// Schur forms, and what is computed by them: roots and other functions of matrices, Sylvester's equation; systems of
// Toeplitz matrices. Not part of tutti.hpp: include this file. Source of names and meanings: jax.scipy.linalg,
// scipy.linalg. Of [..., n, n]: leading dims are batch dims, which broadcast. float32, complex64, under x64 float64 and
// complex128; integers become float32. What is not square is a ShapeError.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tutti/array/array.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/linalg/linalg.hpp"

namespace tutti::linalg {

enum class SchurForm { real, complex };
constexpr Choices choices_of(SchurForm) { return {"schur", "output", "real complex"}; }
struct Schur {
  Array t, z;
};
/// a = z t z^H with unitary z and upper triangular t; of a real matrix both are real (t has blocks of 2 x 2 for pairs
/// of complex eigenvalues), unless the output is "complex". Without derivatives, as are rsf2csf and hessenberg.
Schur schur(const In& a, OneOf<SchurForm> output = SchurForm::real);
/// The complex form of a real one.
Schur rsf2csf(const In& t, const In& z);
/// The part of a = q h q^H that is zero below the first subdiagonal; and both.
Array hessenberg(const In& a);
struct HessenbergForm {
  Array h, q;
};
HessenbergForm hessenberg_and_q(const In& a);

/// The principal square root, complex: root root = a. NaN or infinities where there is none. Differentiable where no
/// two eigenvalues of the root add up to 0.
Array sqrtm(const In& a);
/// f of a matrix: `f` is called with the eigenvalues, complex[n], and returns as many values. By Parlett's recurrence,
/// inexact for close eigenvalues, without derivatives. Complex. Of one matrix (else ShapeError).
Array funm(const In& a, const std::function<Array(const Array&)>& f);
/// expm(a), and its derivative at a in the direction e.
struct ExpmFrechet {
  Array expm, derivative;
};
ExpmFrechet expm_frechet(const In& a, const In& e);
enum class PolarSide { right, left };
constexpr Choices choices_of(PolarSide) { return {"polar", "side", "right left"}; }
struct Polar {
  Array u, p;
};
/// a[..., m, n] = u p (right: p[..., n, n]) or p u (left: p[..., m, m]), u with orthonormal columns or rows, p
/// Hermitian and not negative.
Polar polar(const In& a, OneOf<PolarSide> side = PolarSide::right);

/// The x of a x + x b = c, c[..., m, n]; infinite or NaN where eigenvalues of a and -b are equal.
Array solve_sylvester(const In& a, const In& b, const In& c);
/// The x of toeplitz(c, r) x = b, b[n] or [n, k], by Levinson's recursion: n^2 operations, all leading blocks of the
/// matrix must be regular. r's first element is not read; conj(c) when left out. Vectors c[n], r[n] only.
Array solve_toeplitz(const In& c, const In& b);
Array solve_toeplitz(const In& c, const In& r, const In& b);
/// Eigenvalues, ascending, and eigenvectors of the symmetric matrix with diagonal d[n] and e[n-1] beside it.
Eigh eigh_tridiagonal(const In& d, const In& e);
struct QrProduct {
  Array product, r;
};
/// c q (right) or q c (left), q r being the factors of a; and r.
QrProduct qr_multiply(const In& a, const In& c, OneOf<PolarSide> mode = PolarSide::right);

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
