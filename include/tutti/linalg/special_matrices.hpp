// Matrices of a pattern. Not part of tutti.hpp: include this file. Source: jax.scipy.linalg, scipy.linalg. Of vectors
// the last dim counts, those before it are batch dims; ShapeError for a scalar, ValueError for an order below 1.
// Without a dtype they are float32, under x64 float64.
#pragma once

#include <optional>

#include "tutti/array/array.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/numpy/differences.hpp"

namespace tutti::linalg {

/// Element (i, j) is c[(i - j) mod n].
Array circulant(const In& c);
/// Constant antidiagonals: c is the first column, r the last row, whose first element is not read (zeros when left
/// out).
Array hankel(const In& c);
Array hankel(const In& c, const In& r);
/// The matrix whose characteristic polynomial has the coefficients a[n], n >= 2: [n - 1, n - 1]; fiedler_companion: one
/// with five diagonals.
Array companion(const In& a);
Array fiedler_companion(const In& a);
/// |a[i] - a[j]|.
Array fiedler(const In& a);
/// f[n], n >= 2, in the first row, s[n - 1] below the diagonal.
Array leslie(const In& f, const In& s);
/// The matrix whose product with v[n] is convolve(a, v, mode).
Array convolution_matrix(const In& a, Dim n, OneOf<ConvolveMode> mode = ConvolveMode::full);

enum class DftScale { none, sqrtn, n };
constexpr Choices choices_of(DftScale) { return {"dft", "scale", "none sqrtn n"}; }
/// exp(-2 pi i j k / n), complex; over n or its root.
Array dft(Dim n, OneOf<DftScale> scale = DftScale::none, Loc loc = Loc::current());
/// 1 and -1 with orthogonal rows, for powers of 2.
Array hadamard(Dim n, DType dtype = canonical(int64), Loc loc = Loc::current());
/// Orthonormal rows that add up to 0, [n - 1, n]; `full`: with a first row of equal numbers.
Array helmert(Dim n, bool full = false, Loc loc = Loc::current());
/// 1 / (i + j + 1), and its inverse, of integers (exact as long as the dtype holds them).
Array hilbert(Dim n, Loc loc = Loc::current());
Array invhilbert(Dim n, Loc loc = Loc::current());
enum class PascalKind { symmetric, lower, upper };
constexpr Choices choices_of(PascalKind) { return {"pascal", "kind", "symmetric lower upper"}; }
/// Binomial coefficients: i over j (lower), its transpose (upper), or i + j over i; and their inverses.
Array pascal(Dim n, OneOf<PascalKind> kind = PascalKind::symmetric, Loc loc = Loc::current());
Array invpascal(Dim n, OneOf<PascalKind> kind = PascalKind::symmetric, Loc loc = Loc::current());

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
