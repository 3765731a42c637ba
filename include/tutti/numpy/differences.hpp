// Differences, running products, interpolation, convolution. Source of names and meanings: jax.numpy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti {

struct DiffOptions {
  int axis = -1;
  Array prepend = {}, append = {};  // stand before and behind x along the axis; scalars are repeated
};
/// x[1:] - x[:-1] along an axis, n times over; of bools whether they differ.
Array diff(const In& x, int n = 1, const DiffOptions& options = {});
template <Integer T> Array diff(const In& x, int n, T axis) {
  return diff(x, n, DiffOptions{.axis = static_cast<int>(axis)});
}
/// The differences of the flat array, between the elements of to_begin and to_end.
Array ediff1d(const In& x, const Array& to_end = {}, const Array& to_begin = {});
/// Derivatives by differences of second order inside and first order at the borders, of one or several axes (all of
/// them): one array each. `spacing`: nothing (1), a number or a vector of coordinates; one for all axes, or one each.
/// ValueError for fewer than two elements.
std::vector<Array> gradient(const In& x, const std::vector<Array>& spacing = {}, const Axes& axes = {});
/// The integral by trapezoids of y over x (of y's shape, or a vector), or of elements dx apart.
Array trapezoid(const In& y, double dx = 1, int axis = -1);
Array trapezoid(const In& y, const Array& x, int axis = -1);
struct InterpOptions {
  Array left = {}, right = {};  // below xp[0] and above xp[n-1]; without them fp[0] and fp[n-1]
  bool extrapolate_left = false, extrapolate_right = false;  // the first and last line go on there instead
  std::optional<double> period = {};                         // xp is sorted and continued with it
};
/// The piecewise linear function through (xp[i], fp[i]), xp ascending, at every element of x.
Array interp(const Operand& x, const In& xp, const In& fp, const InterpOptions& options = {});
/// x with jumps of more than `discontinuity` (period / 2) changed by whole periods. Integers with an integer period
/// stay integers, also where it is odd; there NumPy is followed, JAX changes some by parts of a period.
Array unwrap(const In& x, std::optional<double> discontinuity = {}, int axis = -1, double period = 6.283185307179586);

// --- running

/// Running products along an axis, or of the flat array.
Array cumprod(const In& x, std::optional<int> axis = {}, std::optional<DType> dtype = {});
/// The same with NaNs as 0 (1).
Array nancumsum(const In& x, std::optional<int> axis = {}, std::optional<DType> dtype = {});
Array nancumprod(const In& x, std::optional<int> axis = {}, std::optional<DType> dtype = {});
struct CumulativeOptions {
  std::optional<int> axis = {};
  std::optional<DType> dtype = {};
  bool include_initial = false;  // 0 (1) in front
};
/// The array API's: without an axis of a vector only.
Array cumulative_sum(const In& x, const CumulativeOptions& options = {});
Array cumulative_prod(const In& x, const CumulativeOptions& options = {});

// --- convolution of vectors

/// full: n + m - 1 elements; same: as many as the longer one; valid: where both overlap completely.
enum class ConvolveMode { full, same, valid };
constexpr Choices choices_of(ConvolveMode) { return {"convolve", "mode", "full same valid"}; }
/// sum of x[i] * y[k - i]. Zeros stand around the longer one and are multiplied too, as in JAX: an infinite element of
/// the shorter one makes NaN at the ends. ValueError for what is no vector, or is empty.
Array convolve(const In& x, const In& y, OneOf<ConvolveMode> mode = ConvolveMode::full);
/// sum of x[i + k] * conj(y[i]).
Array correlate(const In& x, const In& y, OneOf<ConvolveMode> mode = ConvolveMode::valid);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
