// Decimal texts of single floating numbers, and the common format of the numbers of one array, by NumPy's rules.
#pragma once

#include <string>
#include <vector>

#include "tutti/base/dtype.hpp"

namespace tutti::text {

/// What follows the last digit that matters: `1.`, `1.0` or `1`.
enum class Trim { point, zero, bare };

/// How one number is written. `most` and `least` count digits behind the point; -1: as many as the shortest text that
/// reads back needs.
struct NumberStyle {
  int most = -1, least = 0;
  Trim trim = Trim::point;
  bool plus = false;
  int exponent_digits = 2;
};
/// `1.5e-10`: `v` holds a float16, float32 or float64 exactly.
std::string scientific(double v, DType dtype, const NumberStyle& style);
/// `0.25`.
std::string positional(double v, DType dtype, const NumberStyle& style);
/// NumPy's text of a lone number: `3.0`, `1e+08`, `nan`.
std::string lone_number(double v, DType dtype);
/// NumPy's text of a lone complex number, whose parts are of `part`: `(1+2j)`, `2j`.
std::string lone_complex(double real, double imag, DType part);
/// C's %g: what numbers of bfloat16 and 8 bits print, alone and in arrays.
std::string general(float v);

/// One format for all numbers of an array, so that points line up.
class FloatFormat {
 public:
  /// `values`: all numbers that will be printed. `plus`: the sign of positive ones too.
  FloatFormat(const std::vector<double>& values, DType dtype, bool plus = false);
  std::string operator()(double v) const;

 private:
  DType dtype_;
  NumberStyle style_;
  bool scientific_ = false;
  std::size_t left_ = 0, right_ = 0;  // columns before and behind the point
};

}  // namespace tutti::text

// SPDX-License-Identifier: Apache-2.0
