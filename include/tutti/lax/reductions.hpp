// Reductions by any function, and choices and roundings that lax has beside numpy. Source: jax.lax.
#pragma once

#include <functional>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/lax/windows.hpp"

namespace tutti::lax {

/// Joins two arrays element by element; associative, as the order of joining is not promised.
using Combine = std::function<Array(const Array&, const Array&)>;
/// All elements along `dims` and `initial` joined; the dims leave.
///
///     Array y = lax::reduce(x, 0, [](const Array& a, const Array& b) { return a + b - a * b; }, {1});
Array reduce(const In& x, const Operand& initial, const Combine& combine, const Dims& dims);
/// The same of several arrays of one shape, whose elements are joined together.
using CombineSeveral = std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>&)>;
std::vector<Array> reduce(const std::vector<Array>& xs, const std::vector<Array>& initial,
                          const CombineSeveral& combine, const Dims& dims, Loc loc = Loc::current());
/// The elements of every window and `initial`, once; what padding adds does not count. Commutative besides.
Array reduce_window(const In& x, const Operand& initial, const Combine& combine, const WindowOptions& options);

Array reduce_and(const In& x, const Dims& dims);
Array reduce_or(const In& x, const Dims& dims);
Array reduce_xor(const In& x, const Dims& dims);

/// The float nearest in a format of so many bits, at a tie the even one; infinite or 0 beyond its exponents.
Array reduce_precision(const In& x, int exponent_bits, int mantissa_bits);
/// cases[which] element by element; `which` is bool for two cases, or int32, in range.
Array select_n(const In& which, const std::vector<Array>& cases);
/// x between lo and hi, which have its dtype and shape, or are scalars.
Array clamp(const In& lo, const In& x, const In& hi);
enum class RoundingMethod { away_from_zero, to_nearest_even };
constexpr Choices choices_of(RoundingMethod) {
  return {"round", "method", "away_from_zero|AWAY_FROM_ZERO to_nearest_even|TO_NEAREST_EVEN"};
}
Array round(const In& x, OneOf<RoundingMethod> method = RoundingMethod::away_from_zero);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
