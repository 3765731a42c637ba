#include "lane/complex_functions.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "lane/lane.hpp"
#include "lane/side_by_side.hpp"
#include "lane/square16.hpp"  // the intrinsics

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tutti::lane {
namespace {

// Compiled for any processor: of products beside sums GCC 12 makes fused ones where it may, whatever it is told.
template <class T> struct OneByOne {
  using Number = std::complex<T>;
#define TUTTI_SINGLE(f) \
  [[gnu::noinline]] static Number f(Number z) { return Number(ComplexMath<T>::f(z)); }
  TUTTI_SINGLE(sqrt)
  TUTTI_SINGLE(rsqrt)
  TUTTI_SINGLE(exp2)
  TUTTI_SINGLE(expm1)
  TUTTI_SINGLE(log1p)
  TUTTI_SINGLE(logistic)
  TUTTI_SINGLE(sinh)
  TUTTI_SINGLE(cosh)
  TUTTI_SINGLE(tan)
  TUTTI_SINGLE(tanh)
  TUTTI_SINGLE(asin)
  TUTTI_SINGLE(acos)
  TUTTI_SINGLE(atan)
  TUTTI_SINGLE(asinh)
  TUTTI_SINGLE(acosh)
  TUTTI_SINGLE(atanh)
#undef TUTTI_SINGLE
  [[gnu::noinline]] static Number pow(Number x, Number y) { return ComplexMath<T>::pow(x, y); }
};

namespace complex_plain {
#define TUTTI_VECTOR 16
#include "lane/kernels/complex_numbers.inc"
#undef TUTTI_VECTOR
}  // namespace complex_plain

#if TUTTI_X86
namespace complex_avx2 {
#include "lane/begin_avx2.inc"
#define TUTTI_VECTOR 32
#include "lane/kernels/complex_numbers.inc"
#undef TUTTI_VECTOR
#include "lane/end_target.inc"
}  // namespace complex_avx2

namespace complex_avx512 {
#include "lane/begin_avx512.inc"
#define TUTTI_VECTOR 64
#include "lane/kernels/complex_numbers.inc"
#undef TUTTI_VECTOR
#include "lane/end_target.inc"
}  // namespace complex_avx512
#else
namespace complex_avx2 = complex_plain;
namespace complex_avx512 = complex_plain;
#endif

constexpr ComplexFunction complex_function(int k) {
  return {{complex_plain::complex_kernels[k].c64, complex_avx2::complex_kernels[k].c64,
           complex_avx512::complex_kernels[k].c64},
          {complex_plain::complex_kernels[k].c128, complex_avx2::complex_kernels[k].c128,
           complex_avx512::complex_kernels[k].c128}};
}

}  // namespace

int ComplexFunction::kind() { return vector_kind(); }

constinit const ComplexFunction complex_sqrt = complex_function(0), complex_rsqrt = complex_function(1),
                                complex_exp2 = complex_function(2), complex_expm1 = complex_function(3),
                                complex_log1p = complex_function(4), complex_logistic = complex_function(5),
                                complex_sinh = complex_function(6), complex_cosh = complex_function(7),
                                complex_tan = complex_function(8), complex_tanh = complex_function(9),
                                complex_asin = complex_function(10), complex_acos = complex_function(11),
                                complex_atan = complex_function(12), complex_asinh = complex_function(13),
                                complex_acosh = complex_function(14), complex_atanh = complex_function(15),
                                complex_pow = complex_function(16), complex_mul = complex_function(17);

}  // namespace tutti::lane
#pragma GCC diagnostic pop

// SPDX-License-Identifier: Apache-2.0
