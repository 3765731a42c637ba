// The elementwise and reduction ops. Each is defined in the home that its group names.
#pragma once

#include <vector>

#include "ir/op.hpp"

namespace tutti::ops {

extern const Op neg, abs, sign, add, sub, mul, div, rem, fma, max, min;                         // arithmetic.cpp
extern const Op floor, ceil, round, trunc, is_finite;                                           // rounding.cpp
extern const Op sqrt, rsqrt, cbrt, integer_pow, pow;                                            // powers.cpp
extern const Op exp, exp2, expm1, log, log1p, logistic;                                         // exponential.cpp
extern const Op sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh;  // trigonometric.cpp
extern const Op erf, erfc, erf_inv, lgamma, digamma, trigamma, logaddexp, nextafter;            // special.cpp
extern const Op eq, ne, lt, le, gt, ge, select;                                                 // comparison.cpp
extern const Op bitwise_and, bitwise_or, bitwise_xor, bitwise_not, shift_left, shift_right_logical,
    shift_right_arithmetic, population_count, clz;                                        // bits.cpp
extern const Op convert_element_type, bitcast_convert_type, stop_gradient;                // convert.cpp
extern const Op reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_any, reduce_all;  // reduce.cpp
extern const Op argmax, argmin;                                                           // argmax.cpp
extern const Op cumsum;                                                                   // cumsum.cpp

/// All of these, for op_list.cpp.
const std::vector<const Op*>& elementwise_ops();

struct IntegerPow {
  int exponent = 1;
  friend bool operator==(const IntegerPow&, const IntegerPow&) = default;
};
struct ConvertElementType {
  DType dtype;
  bool weak = false;
  friend bool operator==(const ConvertElementType&, const ConvertElementType&) = default;
};
struct BitcastConvertType {
  DType dtype;
  friend bool operator==(const BitcastConvertType&, const BitcastConvertType&) = default;
};
/// Of the reduce_* ops: sorted dims that disappear.
struct Reduction {
  std::vector<int> axes;
  friend bool operator==(const Reduction&, const Reduction&) = default;
};
struct ArgReduction {
  int axis = 0;
  DType index = int32;
  friend bool operator==(const ArgReduction&, const ArgReduction&) = default;
};
struct Cumulative {
  int axis = 0;
  bool reverse = false;
  friend bool operator==(const Cumulative&, const Cumulative&) = default;
};

}  // namespace tutti::ops
