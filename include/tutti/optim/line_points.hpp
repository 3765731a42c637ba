// Points on a line along which a loss is searched, and where curves through them are least. Source: Nocedal and Wright
// 1999, section 3.5.
#pragma once

#include "tutti/array/array.hpp"

namespace tutti::optim::detail {

/// A step size, and the loss and its slope there: scalars.
struct LinePoint {
  Array at, value, slope;
};
/// x where the condition holds, else y.
LinePoint chosen_point(const Array& condition, const LinePoint& x, const LinePoint& y);
/// The minimum of the cubic through three points with the slope in the first, NaN where it has none.
Array cubic_minimum(const LinePoint& a, const LinePoint& b, const LinePoint& c);
/// The minimum of the parabola through two points with the slope in the first.
Array quadratic_minimum(const LinePoint& a, const LinePoint& b);

}  // namespace tutti::optim::detail

// SPDX-License-Identifier: Apache-2.0
