#include "ops/elementwise/elementwise_ops.hpp"

namespace tutti::ops {

const std::vector<const Op*>& elementwise_ops() {
  static const std::vector<const Op*> list = {
      &neg, &abs, &sign, &add, &sub, &mul, &div, &rem, &fma, &max, &min,
      &floor, &ceil, &round, &trunc, &is_finite,
      &sqrt, &rsqrt, &cbrt, &integer_pow, &pow,
      &exp, &exp2, &expm1, &log, &log1p, &logistic,
      &sin, &cos, &tan, &asin, &acos, &atan, &atan2, &sinh, &cosh, &tanh, &asinh, &acosh, &atanh,
      &erf, &erfc, &erf_inv, &lgamma, &digamma, &trigamma, &logaddexp, &nextafter,
      &eq, &ne, &lt, &le, &gt, &ge, &select,
      &bitwise_and, &bitwise_or, &bitwise_xor, &bitwise_not, &shift_left, &shift_right_logical, &shift_right_arithmetic, &population_count, &clz,
      &convert_element_type, &bitcast_convert_type, &stop_gradient,
      &reduce_sum, &reduce_prod, &reduce_max, &reduce_min, &reduce_any, &reduce_all,
      &argmax, &argmin, &cumsum,
  };
  return list;
}

}  // namespace tutti::ops
