#include "tutti/optim/line_points.hpp"

#include "tutti/numpy/numpy.hpp"

namespace tutti::optim::detail {

LinePoint chosen_point(const Array& condition, const LinePoint& x, const LinePoint& y) {
  return {where(condition, x.at, y.at), where(condition, x.value, y.value), where(condition, x.slope, y.slope)};
}

Array cubic_minimum(const LinePoint& a, const LinePoint& b, const LinePoint& c) {
  const Array db = b.at - a.at, dc = c.at - a.at;
  const Array rb = b.value - a.value - a.slope * db, rc = c.value - a.value - a.slope * dc;
  const Array denominator = square(db * dc) * (db - dc);
  const Array third = (square(dc) * rb - square(db) * rc) / denominator;
  const Array second = (db * square(db) * rc - dc * square(dc) * rb) / denominator;
  return a.at + (sqrt(square(second) - 3 * third * a.slope) - second) / (3 * third);
}

Array quadratic_minimum(const LinePoint& a, const LinePoint& b) {
  const Array d = b.at - a.at;
  return a.at - a.slope * square(d) / (2 * (b.value - a.value - a.slope * d));
}

}  // namespace tutti::optim::detail

// SPDX-License-Identifier: Apache-2.0
