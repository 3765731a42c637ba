// Functions of arrays of complex numbers, several numbers at a time: the meaning of the ops whose loops are no loops
// over parts.
#pragma once

#include <complex>
#include <cstdint>

namespace tutti::lane {

/// out[i] = f(x[i], y[i * y_step]) for n numbers; functions of one number do not read y. `out` may be x or y.
template <class T>
using OfComplex = void (*)(const std::complex<T>* x, const std::complex<T>* y, std::int64_t y_step,
                           std::complex<T>* out, std::int64_t n);

/// The functions of lane/complex_math.hpp, for processors with vectors of 16 bytes, with AVX2 and with AVX-512: the
/// same bits for all of them. complex64 is computed in double but for products, of which loops are made too.
struct ComplexFunction {
  OfComplex<float> c64[3];
  OfComplex<double> c128[3];

  template <class T>
  void operator()(const std::complex<T>* x, const std::complex<T>* y, std::int64_t y_step, std::complex<T>* out,
                  std::int64_t n) const {
    if constexpr (sizeof(T) == 4)
      c64[kind()](x, y, y_step, out, n);
    else
      c128[kind()](x, y, y_step, out, n);
  }

 private:
  static int kind();
};

extern const ComplexFunction complex_sqrt, complex_rsqrt, complex_exp2, complex_expm1, complex_log1p, complex_logistic,
    complex_sinh, complex_cosh, complex_tan, complex_tanh, complex_asin, complex_acos, complex_atan, complex_asinh,
    complex_acosh, complex_atanh, complex_pow, complex_mul;

}  // namespace tutti::lane

// SPDX-License-Identifier: Apache-2.0
