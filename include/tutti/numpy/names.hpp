// Functions under the array API's names, parts and classes of floats, products of vectors with stacks of matrices.
// Source of names and meanings: jax.numpy.
#pragma once

#include <utility>

#include "tutti/array/array.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {

using lax::stop_gradient;
inline Array concat(const ArrayList& xs, int axis = 0) { return concatenate(xs, axis); }
inline Array around(const In& x, int decimals = 0) { return round(x, decimals); }
inline Array degrees(const In& x) { return rad2deg(x); }
inline Array radians(const In& x) { return deg2rad(x); }
inline Array bitwise_invert(const In& x) { return bitwise_not(x); }
inline Array bitwise_left_shift(const Operand& x, const Operand& y) { return left_shift(x, y); }
inline Array bitwise_right_shift(const Operand& x, const Operand& y) { return right_shift(x, y); }
inline Array empty_like(const In& x) { return zeros_like(x); }
inline Array empty_like(const In& x, DType dtype) { return zeros_like(x, dtype); }

/// Equal elements where one is broadcast to the other: a bool array of shape ().
Array array_equiv(const Operand& x, const Operand& y);
/// True where the imaginary part is not 0, or is; and if the dtype is real.
Array iscomplex(const In& x);
Array isreal(const In& x);
bool isrealobj(const Array& x);
Array isneginf(const In& x);
Array isposinf(const In& x);
/// The fraction and the whole part, both with x's sign.
std::pair<Array, Array> modf(const In& x);
/// m and e (int32) with x = m 2^e and |m| from 1/2 to 1; 0 and what is not finite stay, with e = 0. float32 and
/// float64; others become float32.
std::pair<Array, Array> frexp(const In& x);
/// m 2^e for integers e, without an overflow in between; ValueError for other exponents.
Array ldexp(const Operand& m, const Operand& e);
/// The distance to the next float of larger magnitude.
Array spacing(const In& x);
/// x[..., m, n] times v[..., n], and v[..., m] conjugated times x[..., m, n]; leading dims broadcast.
Array matvec(const In& x, const In& v);
Array vecmat(const In& v, const In& x);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
