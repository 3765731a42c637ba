#include "tutti/numpy/complex.hpp"

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {

Array real(const In& x) {
  CallScope scope(x.loc);
  return x.array.dtype().is_complex() ? lax::real(x.array) : x.array;
}
Array imag(const In& x) {
  CallScope scope(x.loc);
  return x.array.dtype().is_complex() ? lax::imag(x.array) : zeros_like(x.array);
}
Array angle(const In& x) {
  CallScope scope(x.loc);
  const DType dtype = x.array.dtype().is_inexact() ? real_dtype(x.array.dtype()) : canonical(float64);
  return atan2(imag(x.array).astype(dtype), real(x.array).astype(dtype));
}
bool iscomplexobj(const Array& x) { return x.dtype().is_complex(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
